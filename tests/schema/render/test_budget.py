from typing import Any

import pytest
from orjson import dumps
from tests.effort import calls
from tests.schema.conftest import (
    DIALECTS,
    check,
    composed,
    definitions,
    is_stub,
    place,
    ref,
    rendered,
    rendering,
    shows,
    subschemas,
)

from specfn import Options, load
from specfn.schema.render.budget import ModelRenderer, Rendering

Json = dict[str, Any]

BUDGETS = [
    1024,
    1100,
    1300,
    1500,
    1800,
    2048,
    2500,
    3000,
    4096,
    6000,
    8192,
    12_000,
    16_384,
    24_000,
    32_768,
]
TEXT = {"type": "string"}


def said(text: str, **more: Any) -> Json:
    """A schema with a description of a hundred bytes."""
    return {"description": f"{text} ".ljust(100, "x"), **more}


def nested(depth: int, **more: Any) -> Json:
    """Objects in objects, each with a described text, all required."""
    schema: Json = {"type": "object", "properties": {"leaf": TEXT}, **more}
    for level in reversed(range(depth)):
        schema = {
            "type": "object",
            "properties": {"text": said(f"level {level}", type="string"), "next": schema},
            "required": ["text", "next"],
        }
    return schema


def field(name: str, size: int, *, described: bool = True, whole: bool = False) -> Json:
    """An object of about so many bytes without its descriptions; a whole one is not shown in part."""
    names = [f"{name}_field_{index:02}" for index in range(size // (46 if whole else 31))]
    text = said("what it is", type="string") if described else TEXT
    schema: Json = {"type": "object", "properties": dict.fromkeys(names, text)}
    return {**schema, "required": names} if whole else schema


def size_of(schemas: Json, node: Json, **options: Any) -> int:
    return len(dumps(rendered(schemas, node, budget=None, **options)))


#: Graphs of every kind, larger than any budget.
GRAPHS: dict[str, tuple[Json, Json]] = {
    "wide recursion": (
        {name: {"type": "object", **said(name),
                "properties": {"name": said("n", type="string"), "kind": {"enum": [f"k{i}" for i in range(20)]},
                               **{other.lower(): ref(other) for other in "ABCDEF"},
                               "list": {"type": "array", "items": ref("A"), **said("list")},
                               "maybe": {"anyOf": [ref("B"), {"type": "null"}], **said("maybe")}},
                "required": ["name", "a"]}
         for name in "ABCDEF"},
        ref("A"),
    ),
    "unions of unions": (
        {"U": {"oneOf": [ref("L"), ref("R"), {"type": "array", "items": ref("U")}, {"type": "null"}]},
         "L": {"type": "object", "properties": {"u": ref("U"), "t": said("left", const="l")}, "required": ["t", "u"]},
         "R": {"type": "object", "properties": {"u": ref("U"), "v": ref("U"), "t": {"const": "r"}}, "required": ["t"]}},
        {"type": "object", "properties": {"u": ref("U"), "l": ref("L")}},
    ),
    "families": (
        {"P": {"type": "object", "properties": {"kind": TEXT, "all": {"type": "array", "items": ref("P")}},
               "required": ["kind"], "discriminator": {"propertyName": "kind"}},
         **{f"C{i}": {"allOf": [ref("P"), {"properties": {"p": ref("P"), f"f{i}": said("f", type="string")}}]}
            for i in range(12)}},
        ref("P"),
    ),
    "maps and tuples": (
        {"M": {"type": "object", "additionalProperties": ref("T"), **said("map")},
         "T": {"type": "array", "prefixItems": [ref("M"), ref("T"), TEXT], "items": ref("M")}},
        {"type": "object", "properties": {"m": ref("M"), "t": ref("T")}, "patternProperties": {"^x": ref("M")},
         "additionalProperties": False},
    ),
    "one long line": (
        {f"L{i}": {"type": "object", "properties": {"n": ref(f"L{i + 1}"), "t": said("t", type="string")},
                   "required": ["n"]} for i in range(300)} | {"L300": TEXT},
        ref("L0"),
    ),
    "many large siblings": (
        {f"S{i}": field(f"s{i}", 800) for i in range(60)},
        {"type": "object", "properties": {f"s{i}": ref(f"S{i}") for i in range(8)}, "required": ["s3", "s5"]},
    ),
    "wide and flat": ({}, {"type": "object", "properties": {f"property_{i}": said("p", type="string") for i in range(900)}}),
    "long enums": (
        {f"E{i}": {"type": "string", "enum": [f"value-{i}-{j}" for j in range(200)]} for i in range(9)},
        {"type": "object", "properties": {f"e{i}": ref(f"E{i}") for i in range(9)}, "required": ["e1"]},
    ),
    "deep and inline": ({}, nested(60)),
    "a long list of branches": (
        {f"B{i}": {"type": "object", "properties": {"t": {"const": f"b{i}"}, "x": ref("Root")}, "required": ["t"]}
         for i in range(150)} | {"Root": {"type": "object", "properties": {"x": {"anyOf": [ref(f"B{i}") for i in range(150)]}}}},
        ref("Root"),
    ),
}  # fmt: skip


@pytest.mark.parametrize("dialect", DIALECTS)
@pytest.mark.parametrize("graph", GRAPHS)
def test_no_schema_is_larger_than_its_budget(graph: str, dialect: Any) -> None:
    """F9: the final bytes are within every budget, the schema is valid, and every edit leads to its place."""
    schemas, node = GRAPHS[graph]
    for budget in BUDGETS:
        found = rendering(schemas, node, dialect=dialect, budget=budget)
        assert len(dumps(found.schema)) <= budget
        check(found.schema, dialect)
        for edit in found.edits:
            assert isinstance(place(found.schema, edit.pointer), dict)
            assert edit.reason


@pytest.mark.parametrize("dialect", DIALECTS)
@pytest.mark.parametrize("graph", GRAPHS)
def test_every_stub_is_an_edit_and_every_cut_a_stub(graph: str, dialect: Any) -> None:
    """F8, F9: what stands for a subtree says so, and is recorded as a cut at exactly that place."""
    schemas, node = GRAPHS[graph]
    for budget in (1024, 3000, 8192):
        found = rendering(schemas, node, dialect=dialect, budget=budget)
        stubs = {id(inner) for inner in subschemas(found.schema) if is_stub(inner)}
        cuts = [place(found.schema, edit.pointer) for edit in found.edits if edit.kind == "cut"]
        assert all(map(is_stub, cuts))
        assert {id(cut) for cut in cuts} >= stubs


@pytest.mark.parametrize("dialect", DIALECTS)
@pytest.mark.parametrize("graph", GRAPHS)
def test_more_room_shows_no_less(graph: str, dialect: Any) -> None:
    """F9: most of a budget is used before anything is cut, and a larger one is used for more."""
    schemas, node = GRAPHS[graph]
    sizes = [
        len(dumps(rendered(schemas, node, dialect=dialect, budget=budget)))
        for budget in (1024, 4096, 32_768)
    ]
    assert sizes == sorted(sizes)


@pytest.mark.parametrize("dialect", DIALECTS)
def test_budgets_hold_to_the_byte(dialect: Any) -> None:
    """F9: whatever the budget, to the byte, the schema is within it."""
    node = {
        "type": "object",
        "properties": {
            **{f"text_{index}": said("t", type="string") for index in range(8)},
            "small": ref("Small"),
            "other": ref("Other"),
        },
    }
    schemas = {"Small": {"type": "object", "properties": {}}, "Other": field("o", 300)}
    for budget in range(1024, 1900):
        size = len(dumps(rendered(schemas, node, dialect=dialect, budget=budget)))
        assert size <= budget


def depths(schema: Json) -> tuple[list[int], int]:
    """At which levels of ``nested`` texts are described, and how many levels are shown."""
    described, level = [], 0
    while "properties" in schema and "text" in schema["properties"]:
        if "description" in schema["properties"]["text"]:
            described.append(level)
        level += 1
        schema = schema["properties"]["next"]
    return described, level


@pytest.mark.parametrize("dialect", DIALECTS)
def test_descriptions_go_deepest_first(dialect: Any) -> None:
    """F9: a nested description is never left out while a deeper one is shown."""
    for budget in range(1024, 3200, 64):
        described, level = depths(rendered({}, nested(16), dialect=dialect, budget=budget))
        assert described == [*range(len(described))]
        assert level >= len(described)


def test_nested_descriptions_go_before_any_subtree() -> None:
    """F9: where leaving out nested descriptions makes room, no subtree is cut."""
    node = nested(16)
    bare = len(dumps(rendered({}, node)).replace(b"x" * 90, b"")) - 15 * 30
    for budget in range(max(1024, bare + 300), 3600, 100):
        found = rendering({}, node, budget=budget)
        assert not any(is_stub(inner) for inner in subschemas(found.schema))
        assert "cut" not in {edit.kind for edit in found.edits}


def test_descriptions_of_parameters_are_not_nested() -> None:
    """F9: the texts of the root's members, and of theirs, stay as long as those members do."""
    group = {"type": "object", "properties": {"limit": said("how many", type="integer")}}
    node = {
        "type": "object",
        "properties": {
            "id": said("which", type="string"),
            "query": group,
            "body": {
                "type": "object",
                "properties": {f"o{i}": field(f"o{i}", 700) for i in range(9)},
            },
        },
    }
    schema = rendered({}, node, budget=4096)
    assert schema["properties"]["id"]["description"].startswith("which")
    assert schema["properties"]["query"]["properties"]["limit"]["description"].startswith(
        "how many"
    )


@pytest.mark.parametrize("dialect", DIALECTS)
@pytest.mark.parametrize("order", [("first", "second"), ("second", "first")])
def test_required_subtrees_are_shown_before_optional_ones(
    order: tuple[str, str], dialect: Any
) -> None:
    """F9: with room for one of two, the required one is shown, wherever it stands."""
    schemas = {
        "First": field("a", 700, described=False, whole=True),
        "Second": field("b", 700, described=False, whole=True),
    }
    properties = {key: ref(key.capitalize()) for key in order}
    for required in order:
        node = {"type": "object", "properties": properties, "required": [required]}
        budget = size_of(schemas, node, dialect=dialect) - 50
        schema = rendered(schemas, node, dialect=dialect, budget=budget)
        shown = {
            key: not is_stub(
                schema["properties"][key] if dialect == "3.0" else schema["$defs"][key.capitalize()]
            )
            for key in order
        }
        assert shown == {key: key == required for key in order}


def test_what_only_an_optional_subtree_requires_is_optional() -> None:
    """F9: a subtree counts as required only where everything on its way is."""
    wide = {
        "type": "object",
        "properties": {"deep": field("d", 600, described=False, whole=True)},
        "required": ["deep"],
    }
    node = {"type": "object", "properties": {"may": wide, "must": {**wide}}, "required": ["must"]}
    schema = rendered({}, node, budget=size_of({}, node) - 50)
    assert not is_stub(schema["properties"]["must"]["properties"]["deep"])
    assert is_stub(schema["properties"]["may"]["properties"]["deep"])


def test_near_comes_before_deep() -> None:
    """F9: expansion is breadth first: no subtree is opened while a nearer one of its kind waits."""
    deep = nested(20, required=["leaf"])
    node = {
        "type": "object",
        "properties": {"deep": deep, "near": field("n", 300, described=False)},
        "required": ["deep", "near"],
    }
    schema = rendered({}, node, budget=1200)
    assert not is_stub(schema["properties"]["near"])
    assert any(is_stub(inner) for inner in subschemas(schema["properties"]["deep"]))


LONG = [f"value number {index}" for index in range(51)]


@pytest.mark.parametrize("dialect", DIALECTS)
def test_long_enums_are_the_last_to_go(dialect: Any) -> None:
    """F9: an enum of over fifty is described only where nothing else makes room; one of fifty never."""
    tree = field("t", 500, described=False, whole=True)
    node = {
        "type": "object",
        "properties": {"long": {"type": "string", "enum": LONG}, "tree": tree},
        "required": ["tree"],
    }
    whole = size_of({}, node, dialect=dialect)
    roomy = rendered({}, node, dialect=dialect, budget=whole - 50)
    assert roomy["properties"]["long"]["enum"] == LONG
    assert is_stub(roomy["properties"]["tree"])
    budget = len(dumps(roomy)) - 10
    found = rendering({}, node, dialect=dialect, budget=budget)
    said_of = found.schema["properties"]["long"]
    assert "enum" not in said_of
    assert said_of["type"] == "string"
    assert said_of["description"].startswith('one of 51 values: ["value number 0","value number 1"')
    assert ("enum", "/properties/long") in [(edit.kind, edit.pointer) for edit in found.edits]
    node["properties"]["long"]["enum"] = LONG[:50]
    schema = rendered({}, node, dialect=dialect, budget=budget)
    assert schema["properties"]["long"]["enum"] == LONG[:50]


@pytest.mark.parametrize("dialect", DIALECTS)
@pytest.mark.parametrize("budget", BUDGETS[:9])
def test_scalars_are_never_cut(budget: int, dialect: Any) -> None:
    """F9: an object that is shown is shown with all its scalars, or says that there are more."""
    scalars = {
        "t": {"type": "string", "minLength": 1, "format": "uuid"},
        "n": {"type": ["integer", "null"], "minimum": 0},
        "e": {"enum": ["a", "b"]},
        "b": {"type": "boolean", "default": False},
        "l": {"type": "array", "items": {"type": "number"}},
    }
    schemas = {
        "N": {
            "type": "object",
            "properties": {
                **scalars,
                "child": ref("N"),
                "other": {"type": "array", "items": ref("N")},
            },
        }
    }
    full = rendered(schemas, ref("N"), dialect=dialect)
    model = full if dialect == "3.0" else full["$defs"]["N"]
    expected = {name: model["properties"][name] for name in scalars}
    for inner in subschemas(rendered(schemas, ref("N"), dialect=dialect, budget=budget)):
        if "properties" in inner:
            found = {
                name: inner["properties"][name] for name in scalars if name in inner["properties"]
            }
            assert found.items() <= expected.items()
            assert found == expected or "more optional properties: " in inner["description"]


def test_a_stub_claims_no_type_that_was_not_declared() -> None:
    """F8, F9: a cut schema without a type is shown as anything, whatever its properties suggest."""
    wide = {key: value for key, value in field("w", 1200, described=False).items() if key != "type"}
    schema = rendered(
        {},
        {"type": "object", "properties": {"p": {"type": "object", "properties": {"q": wide}}}},
        budget=1024,
    )
    stub = schema["properties"]["p"]["properties"]["q"]
    assert stub == {"description": "object (nested deeper than shown)"}
    assert shows(schema, {"p": {"q": "text"}}, "3.0")


@pytest.mark.parametrize("dialect", DIALECTS)
@pytest.mark.parametrize("budget", BUDGETS[:6])
def test_a_wide_object_is_shown_in_part_and_stays_open(budget: int, dialect: Any) -> None:
    """F9: of more optional scalars than fit, as many as fit are shown, and the others still admitted."""
    node = {
        "type": "object",
        "properties": {f"p{index}": {"type": "string", "maxLength": 9} for index in range(300)},
        "required": ["p299"],
        "additionalProperties": False,
    }
    found = rendering({}, node, dialect=dialect, budget=budget)
    assert "p299" in found.schema["properties"]
    assert shows(found.schema, {f"p{index}": "x" for index in range(300)}, dialect)
    hidden = 300 - len(found.schema["properties"])
    assert f"{hidden} more optional properties: " in found.schema["description"]
    assert any(edit.kind == "properties" and str(hidden) in edit.reason for edit in found.edits)
    assert len(dumps(found.schema)) > 0.6 * budget


@pytest.mark.parametrize("dialect", DIALECTS)
def test_names_in_a_description_are_cleaned(dialect: Any) -> None:
    """F12: where names of properties stand in a text, the text is cleaned like any."""
    node = {
        "type": "object",
        "properties": {f"p{index}\u202e<|im_start|>": {"const": "x" * 40} for index in range(80)},
    }
    said_of = rendered({}, node, dialect=dialect, budget=1024)["description"]
    assert "\u202e" not in said_of
    assert "<|" not in said_of


@pytest.mark.parametrize("dialect", DIALECTS)
def test_long_names_are_within_the_budget(dialect: Any) -> None:
    """F9: naming what is not shown takes no more room than there is."""
    node = {"type": "object", "properties": {f"p{index}{'y' * 200}": TEXT for index in range(60)}}
    assert len(dumps(rendered({}, node, dialect=dialect, budget=1024))) <= 1024


@pytest.mark.parametrize("dialect", DIALECTS)
def test_where_the_required_do_not_fit_the_optional_are_not_shown(dialect: Any) -> None:
    """F9: scalars that are required may take more than the budget; optional ones do not make it worse."""
    names = [f"required_property_{index}" for index in range(60)]
    optional = {f"optional_{index}": TEXT for index in range(300)}
    node = {
        "type": "object",
        "properties": {**dict.fromkeys(names, TEXT), **optional},
        "required": names,
    }
    assert [*rendered({}, node, dialect=dialect, budget=1024)["properties"]] == names


def test_the_budget_is_the_bytes_not_the_characters() -> None:
    """F9: a letter that UTF-8 writes in three bytes counts three."""
    node = {
        "type": "object",
        "properties": {
            f"p{i}": {"type": "string", "description": "日本語" * 30} for i in range(40)
        },
    }
    for budget in BUDGETS[:8]:
        for dialect in DIALECTS:
            assert len(dumps(rendered({}, node, dialect=dialect, budget=budget))) <= budget


def test_no_limit_is_no_limit() -> None:
    """F9: with ``None`` nothing is cut but what nests without end, and every description is shown."""
    schemas, node = GRAPHS["many large siblings"]
    found = rendering(schemas, node, budget=None)
    assert found.edits == ()
    assert len(dumps(found.schema)) > 4096
    schemas, node = GRAPHS["one long line"]
    kinds = {edit.kind for edit in rendering(schemas, node, budget=None).edits}
    assert kinds <= {"cut"}


def test_what_fits_is_whole_and_what_does_not_is_recorded() -> None:
    """F9: at its own size a schema has no edits; one byte less and something is left out, and said."""
    schemas = {
        "A": {"type": "object", "properties": {"b": ref("B"), "t": said("t", type="string")}},
        "B": field("b", 900),
    }
    size = len(dumps(rendered(schemas, ref("A"), budget=None)))
    assert rendering(schemas, ref("A"), budget=size).edits == ()
    found = rendering(schemas, ref("A"), budget=size - 1)
    assert found.edits
    assert len(dumps(found.schema)) < size


def test_edits_of_descriptions_are_at_their_objects() -> None:
    """F9: an object whose descriptions were left out says so at its own place."""
    found = rendering({}, nested(12), budget=1500)
    places = [edit.pointer for edit in found.edits if edit.kind == "description"]
    assert places
    for pointer in places:
        assert "description" not in place(found.schema, pointer)["properties"].get("text", {})


@pytest.mark.parametrize("dialect", DIALECTS)
def test_a_graph_of_references_is_rendered_at_once(dialect: Any) -> None:
    """T17: forty levels of two references each, 2^40 paths, are work in proportion to the budget."""
    schemas: Json = {
        f"N{level}": {
            "type": "object",
            "properties": {side: ref(f"N{level + 1}") for side in ("left", "right")},
        }
        for level in range(40)
    }
    schemas["N40"] = {"type": "object", "properties": {"leaf": TEXT}}
    for budget in (32_768, 1024):
        assert (
            calls(lambda b=budget: rendered(schemas, ref("N0"), dialect=dialect, budget=b)) < 50_000
        )
        nodes = sum(
            1 for _ in subschemas(rendered(schemas, ref("N0"), dialect=dialect, budget=budget))
        )
        assert nodes < budget / 10


def test_positional_schemas_share_the_budget() -> None:
    """F4, F9: the elements of a list are together within the budget, and the light ones are whole."""
    found = definitions({"Big": GRAPHS["wide recursion"][0]["A"], **GRAPHS["wide recursion"][0]})
    small = {"type": "string", "description": "small"}
    nodes = [small, found.compose(ref("Big")), {"type": "integer"}, found.compose(ref("B"))]
    for budget in (1024, 2048, 8192, 32_768):
        shown = [item.schema for item in ModelRenderer(found, budget=budget).render_all(nodes)]
        assert len(dumps(shown)) <= budget
        assert (shown[0], shown[2]) == (small, {"type": "integer"})
        for schema in shown:
            check(schema, "3.0")


def test_rendering_changes_nothing_that_was_rendered_before() -> None:
    """F9: renderings share parts; one is the same before and after the others."""
    schemas, _ = GRAPHS["wide recursion"]
    found = definitions(schemas)
    renderer = ModelRenderer(found, budget=3000)
    nodes = [found.compose(ref(name)) for name in schemas]
    first: list[Rendering] = [renderer.render(node) for node in nodes]
    before = [dumps(item.schema) for item in first]
    again = [dumps(renderer.render(node).schema) for node in reversed(nodes)]
    assert before == again[::-1] == [dumps(item.schema) for item in first]


@pytest.mark.parametrize(
    ("node", "recursive"),
    [
        (TEXT, False),
        (ref("Line"), False),
        (ref("Tree"), True),
        ({"type": "object", "properties": {"t": {"type": "array", "items": ref("Tree")}}}, True),
        ({"anyOf": [ref("Even"), TEXT]}, True),
        ({"additionalProperties": ref("Odd")}, True),
        ({"type": "object", "properties": {"a": ref("Line"), "b": ref("Line")}}, False),
        ({"allOf": [ref("Line"), {"properties": {"deep": ref("Tree")}}]}, True),
    ],
    ids=str,
)
@pytest.mark.parametrize("dialect", DIALECTS)
def test_who_is_recursive(node: Json, recursive: bool, dialect: Any) -> None:  # noqa: FBT001
    """F8: a schema is recursive if some component below it holds itself; twice the same is not."""
    schemas = {
        "Tree": {
            "type": "object",
            "properties": {"children": {"type": "array", "items": ref("Tree")}},
        },
        "Even": {"type": "object", "properties": {"odd": ref("Odd")}},
        "Odd": {
            "type": "object",
            "properties": {"even": {"anyOf": [ref("Even"), {"type": "null"}]}},
        },
        "Line": {"type": "object", "properties": {"leaf": TEXT}},
    }
    found = definitions(schemas)
    assert ModelRenderer(found, dialect=dialect).is_recursive(found.compose(node)) is recursive


def test_a_component_that_only_names_itself_below_a_negation_can_be_shown() -> None:
    """F8: what stands only in descriptions is no nesting."""
    schemas = {"N": {"type": "object", "properties": {"n": {"not": ref("N")}}}}
    found = rendering(schemas, ref("N"), recursive=0)
    assert "cut" not in {edit.kind for edit in found.edits}
    assert composed(schemas, ref("N"))["$defs"]["N"]["properties"]["n"] == {
        "not": {"$ref": "#/$defs/N"}
    }


def test_sizes_grow_with_the_budget_not_with_the_tree() -> None:
    """F9: rendering costs the same however large the rest of the document is."""
    counts = []
    for size in (50, 400):
        schemas = {f"S{i}": {"type": "object", "properties": {f"s{j}": ref(f"S{j % size}") for j in range(i, i + 6)}}
                   for i in range(size)}  # fmt: skip
        found = definitions(schemas)
        renderer, node = ModelRenderer(found, budget=2048), found.compose(ref("S0"))
        renderer.render(node)
        counts.append(calls(lambda r=renderer, n=node: r.render(n)))
    assert counts[1] < 1.5 * counts[0]


@pytest.mark.parametrize(
    "text",
    [
        "Populated by the system. Read-only.",
        "Output only. The state.",
        "This is internal housekeeping.",
    ],
)
def test_what_a_system_sets_is_cut_first(text: str) -> None:
    """Optional members that are set by the server are cut before others, wherever they stand."""
    part = {"type": "object", "properties": {f"p{n}": {"type": "string"} for n in range(30)}}
    members = {"a": {**part, "description": text}, "b": {**part, "description": "What to do."}}
    nested = {"type": "object", "properties": {"spec": {"type": "object", "properties": members}}}
    body = {"content": {"application/json": {"schema": nested}}}
    operation = {"requestBody": body, "responses": {"200": {"description": ""}}}
    document = {
        "openapi": "3.1.0",
        "info": {"title": "t", "version": "1"},
        "paths": {"/x": {"post": operation}},
    }
    function = load(document, options=Options(schema_budget=1_600)).functions[0]
    shown = function.parameters["properties"]["body"]["properties"]["spec"]["properties"]
    assert [name for name in "ab" if shown[name].get("properties")] == ["b"]
    assert any(edit.pointer.endswith("/a") for edit in function.edits if edit.kind == "cut")
