"""Families of hostile documents: each makes, from a size, a document that costs much if an algorithm is not linear.

Nothing here is imported from the library, and nothing is computed by it: a family is text that anyone can send.
"""

import json
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Final

Json = dict[str, Any]

TEXT: Final = {"type": "string"}
NUMBER: Final = {"type": "integer"}


@dataclass(frozen=True)
class Family:
    """Documents of one kind.

    Attributes:
        name: what grows.
        text: from a size to the text of a document.
        size: the smallest size that the long run measures.
        short: the size of the short run.
    """

    name: str
    text: Callable[[int], str]
    size: int = 200
    short: int = 16


FAMILIES: dict[str, Family] = {}


def family(
    name: str, size: int = 200, short: int = 16
) -> Callable[[Callable[[int], Any]], Callable[[int], Any]]:
    """Enter a function from a size to a document, or to its text."""

    def enter(build: Callable[[int], Any]) -> Callable[[int], Any]:
        def text(count: int) -> str:
            document = build(count)
            return document if isinstance(document, str) else json.dumps(document)

        assert name not in FAMILIES
        FAMILIES[name] = Family(name, text, size, short)
        return build

    return enter


# -- parts of documents ----------------------------------------------------------------------------


def ref(name: object) -> Json:
    return {"$ref": f"#/components/schemas/{name}"}


def body(schema: Any, media: str = "application/json") -> Json:
    return {"requestBody": {"required": True, "content": {media: {"schema": schema}}}}


def responds(schema: Any) -> Json:
    return {"200": {"description": "ok", "content": {"application/json": {"schema": schema}}}}


def whole(paths: Json, schemas: Json | None = None, version: str = "3.1.0", **more: Any) -> Json:
    return {
        "openapi": version,
        "info": {"title": "t", "version": "1"},
        "servers": [{"url": "https://api.example"}],
        "paths": paths,
        "components": {"schemas": schemas or {}, **more.pop("components", {})},
        **more,
    }


def api(schema: Any, schemas: Json | None = None, **more: Any) -> Json:
    """A document of one operation, whose body and response are a schema."""
    operation = {"operationId": "send", **body(schema), "responses": responds(schema)}
    return whole({"/x": {"post": operation}}, schemas, **more)


def line(count: int, link: Callable[[Json, int], Any], last: Any = None) -> Json:
    """A document with components of which each is made of a reference to the next."""
    schemas = {f"N{index}": link(ref(f"N{index + 1}"), index) for index in range(count)}
    schemas[f"N{count}"] = last or {"type": "object", "properties": {"leaf": TEXT}}
    return api(ref("N0"), schemas)


def record(properties: Json, **more: Any) -> Json:
    return {"type": "object", "properties": properties, **more}


def pair(node: Any) -> Json:
    return record({"left": node, "right": node})


def parameters(*listed: Json) -> Json:
    return whole(
        {"/x": {"get": {"parameters": [*listed], "responses": {"200": {"description": "ok"}}}}}
    )


def query(name: str, schema: Any = TEXT, **more: Any) -> Json:
    return {"name": name, "in": "query", "schema": schema, **more}


# -- chains ----------------------------------------------------------------------------------------

family("chain of references", 800)(lambda n: line(n, lambda node, _: node))
family("chain of properties", 400)(lambda n: line(n, lambda node, _: record({"next": node})))
family("chain of required properties", 400)(
    lambda n: line(n, lambda node, _: record({"next": node}, required=["next"]))
)
family("chain of items", 400)(lambda n: line(n, lambda node, _: {"type": "array", "items": node}))
family("chain of maps", 400)(
    lambda n: line(n, lambda node, _: {"type": "object", "additionalProperties": node})
)
family("chain of allOf", 150)(
    lambda n: line(n, lambda node, i: {"allOf": [node, record({f"p{i}": TEXT})]})
)
family("chain of anyOf", 200, 36)(lambda n: line(n, lambda node, _: {"anyOf": [node, TEXT]}))
family("chain of oneOf with null", 200, 36)(
    lambda n: line(n, lambda node, _: {"oneOf": [node, {"type": "null"}]})
)
family("chain of not", 200, 36)(
    lambda n: line(n, lambda node, _: record({"n": TEXT}, **{"not": node}))
)
family("chain of if", 200)(
    lambda n: line(n, lambda node, i: {**record({f"p{i}": TEXT}), "if": node, "then": node})
)
family("chain of descriptions at references", 300)(
    lambda n: line(n, lambda node, i: record({"next": {**node, "description": f"level {i}"}}))
)
family("chain of inheritance under a discriminator", 120, 5)(
    lambda n: api(
        ref("D0"),
        {
            "D0": record({"kind": TEXT}, discriminator={"propertyName": "kind"}, required=["kind"]),
            **{
                f"D{i}": {"allOf": [ref(f"D{i - 1}"), record({f"p{i}": TEXT})]} for i in range(1, n)
            },
        },
    )
)
family("chain of inheritance, the last one used", 120)(
    lambda n: api(
        ref(f"D{n - 1}"),
        {
            "D0": record({"kind": TEXT}, discriminator={"propertyName": "kind"}),
            **{
                f"D{i}": {"allOf": [ref(f"D{i - 1}"), record({f"p{i}": TEXT})]} for i in range(1, n)
            },
        },
    )
)
family("chain of discriminators", 80, 5)(
    lambda n: api(
        ref("D0"),
        {
            "D0": record({"k0": TEXT}, discriminator={"propertyName": "k0"}),
            **{
                f"D{i}": {
                    "allOf": [ref(f"D{i - 1}"), record({f"k{i}": TEXT})],
                    "discriminator": {"propertyName": f"k{i}"},
                }
                for i in range(1, n)
            },
        },
    )
)
family("chain of path items", 200, 10)(
    lambda n: whole(
        {
            "/p0": {"get": {"responses": responds(TEXT)}},
            **{f"/p{i}": {"$ref": f"#/paths/~1p{i - 1}"} for i in range(1, n)},
        }
    )
)
family("chain of parameters", 90)(
    lambda n: whole(
        {
            "/x": {
                "get": {
                    "parameters": [{"$ref": f"#/components/parameters/P{n - 1}"}],
                    "responses": {"200": {"description": "ok"}},
                }
            }
        },
        components={
            "parameters": {
                "P0": query("q"),
                **{f"P{i}": {"$ref": f"#/components/parameters/P{i - 1}"} for i in range(1, n)},
            }
        },
    )
)
family("chain of pointers through references", 90)(
    lambda n: api(
        ref("N0/properties/next"),
        {
            **{f"N{i}": record({"next": ref(f"N{i + 1}/properties/next")}) for i in range(n)},
            f"N{n}": record({"next": TEXT}),
        },
    )
)

# -- graphs ----------------------------------------------------------------------------------------

family("doubling properties", 40, 16)(lambda n: line(n, lambda node, _: pair(node)))
family("doubling branches", 40, 32)(
    lambda n: line(
        n, lambda node, i: {"anyOf": [pair(node), {**pair(node), "required": [f"r{i}"]}]}
    )
)
family("doubling allOf", 40)(
    lambda n: line(n, lambda node, i: {"allOf": [node, node, record({f"p{i}": TEXT})]})
)
family("doubling tuples", 40, 32)(
    lambda n: line(n, lambda node, _: {"type": "array", "prefixItems": [node, node], "items": node})
)
family("ring", 300)(
    lambda n: api(
        ref("R0"),
        {f"R{i}": record({"next": ref(f"R{(i + 1) % n}"), "first": ref("R0")}) for i in range(n)},
    )
)


def _clique(count: int) -> Json:
    names = range(max(2, round(count**0.5)))
    return api(ref("C0"), {f"C{i}": record({f"p{j}": ref(f"C{j}") for j in names}) for i in names})


family("components that all refer to all", 400)(_clique)
family("clique in arrays of unions", 100, 8)(
    lambda n: api(
        ref("U0"),
        {
            f"U{i}": {
                "type": "array",
                "items": {"anyOf": [ref(f"U{(i * 7 + 1) % n}"), ref(f"U{(i + 1) % n}"), TEXT]},
            }
            for i in range(n)
        },
    )
)
family("operations over a ring", 60, 2)(
    lambda n: whole(
        {
            f"/x{i}": {"post": {**body(ref(f"R{i % 20}")), "responses": responds(ref("R0"))}}
            for i in range(n)
        },
        {f"R{i}": record({"next": ref(f"R{(i + 1) % 20}"), f"p{i}": TEXT}) for i in range(20)},
    )
)
family("dangling references", 200)(
    lambda n: whole(
        {
            f"/x{i}": {"post": {**body(ref(f"None{i}")), "responses": responds(TEXT)}}
            for i in range(n)
        }
    )
)
family("references to other documents", 200)(
    lambda n: whole(
        {
            f"/x{i}": {"post": {**body({"$ref": f"other{i}.json#/a"}), "responses": responds(TEXT)}}
            for i in range(n)
        }
    )
)
family("anchors", 200)(
    lambda n: api(
        record({f"p{i}": {"$ref": f"#a{i}"} for i in range(n)}),
        {f"A{i}": {"$anchor": f"a{i}", **TEXT} for i in range(n)},
    )
)
family("identifiers", 200)(
    lambda n: api(
        record({f"p{i}": {"$ref": f"https://x.example/{i}"} for i in range(n)}),
        {f"A{i}": {"$id": f"https://x.example/{i}", **TEXT} for i in range(n)},
    )
)
family("local definitions", 200)(
    lambda n: api(
        {
            "$defs": {
                f"d{i}": record(
                    {
                        "next": {
                            "$ref": f"#/paths/~1x/post/requestBody/content/application~1json/schema/$defs/d{(i + 1) % n}"
                        }
                    }
                )
                for i in range(n)
            },
            **record({"p": TEXT}),
        }
    )
)
family("dynamic references", 100, 36)(
    lambda n: line(
        n,
        lambda node, _: record(
            {"next": node, "any": {"$dynamicRef": "#node"}}, **{"$dynamicAnchor": "node"}
        ),
    )
)

# -- unions ----------------------------------------------------------------------------------------

family("union of objects", 100)(
    lambda n: api({"anyOf": [record({f"a{i}": TEXT, f"b{i}": NUMBER}) for i in range(n)]})
)
family("union of references", 100)(
    lambda n: api(
        {"oneOf": [ref(f"O{i}") for i in range(n)]},
        {f"O{i}": record({f"a{i}": TEXT}) for i in range(n)},
    )
)
family("union of objects that are alike", 100)(
    lambda n: api(
        {"oneOf": [record({"a": TEXT, "b": {"maxLength": i + 1, **TEXT}}) for i in range(n)]}
    )
)
family("union of constants", 300)(
    lambda n: api({"oneOf": [{"const": f"c{i}", "title": f"t{i}"} for i in range(n)]})
)
family("union with tags", 100)(
    lambda n: api(
        {
            "oneOf": [ref(f"O{i}") for i in range(n)],
            "discriminator": {
                "propertyName": "kind",
                "mapping": {f"m{i}": f"#/components/schemas/O{i}" for i in range(n)},
            },
        },
        {
            f"O{i}": record({"kind": {"const": f"m{i}"}, f"a{i}": TEXT}, required=["kind"])
            for i in range(n)
        },
    )
)
family("base with many subtypes", 100)(
    lambda n: api(
        ref("Base"),
        {
            "Base": record(
                {"kind": TEXT}, discriminator={"propertyName": "kind"}, required=["kind"]
            ),
            **{f"S{i}": {"allOf": [ref("Base"), record({f"p{i}": TEXT})]} for i in range(n)},
        },
    )
)
family("subtypes in a response, one used", 100, 8)(
    lambda n: api(
        ref("S1"),
        {
            "Base": record({"kind": TEXT}, discriminator={"propertyName": "kind"}),
            **{f"S{i}": {"allOf": [ref("Base"), record({f"p{i}": ref("Base")})]} for i in range(n)},
        },
    )
)


def _nested(levels: int, width: int, seed: str = "") -> Json:
    if levels == 0:
        return record({f"p{seed}": TEXT})
    return {"anyOf": [_nested(levels - 1, width, f"{seed}_{i}") for i in range(width)]}


family("nested unions, two levels", 64, 36)(lambda n: api(_nested(2, max(2, round(n**0.5)))))
family("nested unions, three levels", 64, 64)(
    lambda n: api(_nested(3, max(2, round(n ** (1 / 3)))))
)
family("nested unions, binary", 64)(lambda n: api(_nested(max(1, n.bit_length() - 1), 2)))


def _inside(levels: int, width: int) -> Json:
    if levels == 0:
        return TEXT
    return {"anyOf": [record({f"k{i}": _inside(levels - 1, width)}) for i in range(width)]}


family("unions in properties of unions", 64, 36)(
    lambda n: api(_inside(3, max(2, round(n ** (1 / 3)))))
)
family("many nested unions", 20, 3)(
    lambda n: api(record({f"u{i}": _inside(2, 3) for i in range(n)}))
)
family("unions of arrays of unions", 30, 8)(
    lambda n: api(
        {
            "anyOf": [
                {
                    "type": "array",
                    "items": {"anyOf": [record({f"a{i}{j}": TEXT}) for j in range(4)]},
                }
                for i in range(n)
            ]
        }
    )
)
family("allOf of unions", 6, 3)(
    lambda n: api(
        {"allOf": [{"anyOf": [record({f"a{i}": TEXT}), record({f"b{i}": TEXT})]} for i in range(n)]}
    )
)
family("allOf of objects", 150)(
    lambda n: api({"allOf": [record({f"p{i}": TEXT}) for i in range(n)]})
)
family("allOf of conditions", 80)(
    lambda n: api(
        {
            **record({"k": TEXT}),
            "allOf": [
                {"if": record({"k": {"const": f"c{i}"}}), "then": {"required": [f"p{i}"]}}
                for i in range(n)
            ],
        }
    )
)
family("unevaluated properties", 80)(
    lambda n: api(
        {"allOf": [record({f"p{i}": TEXT}) for i in range(n)], "unevaluatedProperties": False}
    )
)
family("dependent schemas", 80)(
    lambda n: api(
        {
            **record({f"p{i}": TEXT for i in range(n)}),
            "dependentSchemas": {f"p{i}": record({f"q{i}": TEXT}) for i in range(n)},
            "dependentRequired": {f"p{i}": [f"p{(i + 1) % n}"] for i in range(n)},
        }
    )
)
family("types and nulls", 200)(
    lambda n: api(
        record(
            {
                f"p{i}": {"type": ["string", "null", "integer"], "enum": [None, "a", i]}
                for i in range(n)
            }
        )
    )
)

# -- wide schemas ----------------------------------------------------------------------------------

family("properties", 500)(lambda n: api(record({f"p{i}": TEXT for i in range(n)})))
family("required without properties", 500)(
    lambda n: api({"type": "object", "required": [f"p{i}" for i in range(n)]})
)
family("properties that differ in letter case", 8, 5)(
    lambda n: api(record({_cased(i, 40): TEXT for i in range(n * 8)}, required=[_cased(1, 40)]))
)
family("properties with near names", 200)(
    lambda n: api(record({f"property{i:05}name": TEXT for i in range(n)}))
)
family("properties with directions", 300)(
    lambda n: api(
        record(
            {f"p{i}": {**TEXT, ("readOnly", "writeOnly")[i % 2]: True} for i in range(n)},
            required=[f"p{i}" for i in range(n)],
        )
    )
)
family("enum", 1000)(lambda n: api({"enum": [f"value {i}" for i in range(n)]}))
family("enum of numbers", 1000)(lambda n: api({"enum": [i / 7 for i in range(n)]}))
family("enum of objects", 200)(lambda n: api({"enum": [{"a": i, "b": [i]} for i in range(n)]}))
family("tuple", 200)(
    lambda n: api({"type": "array", "prefixItems": [{**TEXT, "maxLength": i} for i in range(n)]})
)
family("deep objects", 2, 1)(
    lambda n: api(
        record(
            {
                f"d{i}": _deep(60, {"type": "object", "properties": {"a": TEXT}})
                for i in range(n * 2)
            }
        )
    )
)
family("descriptions at every level", 2, 1)(
    lambda n: api(record({f"d{i}": _described(60) for i in range(n * 2)}))
)
family("nested extensions", 200)(
    lambda n: api({**TEXT, "x-a": [{"b": [{"c": i}]} for i in range(n)]})
)
family("default and examples", 200)(
    lambda n: api(
        {
            "type": "array",
            "items": NUMBER,
            "default": [*range(n)],
            "examples": [[*range(n)]],
            "description": "d",
        }
    )
)
family("constant", 300)(lambda n: api({"const": {f"k{i}": [i] for i in range(n)}}))
family("long description", 20)(lambda n: api({**TEXT, "description": "word and word, " * 100 * n}))
family("description of marks", 20)(
    lambda n: api({**TEXT, "description": "<|im_start|><<SYS>>" * 50 * n})
)
family("description of invisible characters", 20)(
    lambda n: api({**TEXT, "description": "\U000e0041\u200b\u202e\ufeff" * 50 * n})
)
family("description of Markdown", 20)(
    lambda n: api({**TEXT, "description": "[a](b) `c` *d* _e_ ![f][ <g> \n# h\n- i\n" * 20 * n})
)
family("description of opening brackets", 20)(
    lambda n: api({**TEXT, "description": "[(<{`*_" * 100 * n})
)
family("long names", 20)(lambda n: api(record({"name" * 20 * n: TEXT, "other" * 20 * n: TEXT})))


def _cased(index: int, length: int) -> str:
    return "".join("aA"[index >> bit & 1] if bit < 20 else "b" for bit in range(length))


def _deep(levels: int, last: Any) -> Any:
    for level in range(levels):
        last = record({f"l{level}": last, f"o{level}": TEXT})
    return last


def _described(levels: int) -> Any:
    node: Any = TEXT
    for level in range(levels):
        node = {**record({"n": node}), "description": f"The level {level} of a tree."}
    return node


# -- patterns and numbers --------------------------------------------------------------------------

family("patterns with large classes", 5, 2)(
    lambda n: api(record({f"p{i}": {**TEXT, "pattern": "[\\p{L}]{1,1000}"} for i in range(n)}))
)
family("patterns with large counts", 5, 2)(
    lambda n: api(
        record({f"p{i}": {**TEXT, "pattern": f"^(a|b|c{i}){{1,500}}$"} for i in range(n)})
    )
)
family("patterns of words", 50)(
    lambda n: api({**TEXT, "pattern": "|".join(f"word{i}" for i in range(n))})
)
family("patterns with nested quantifiers", 20)(
    lambda n: api(record({f"p{i}": {**TEXT, "pattern": f"^(a+)+{i}$"} for i in range(n)}))
)
family("patterns of groups", 100)(lambda n: api({**TEXT, "pattern": "(" * n + "a" + ")*" * n}))
family("patterns that nothing reads", 50)(
    lambda n: api(record({f"p{i}": {**TEXT, "pattern": "((((" + "x" * i} for i in range(n)}))
)
family("patterns of properties", 50)(
    lambda n: api(
        {
            "type": "object",
            "patternProperties": {f"^a{i}[a-z]*$": TEXT for i in range(n)},
            "additionalProperties": False,
        }
    )
)


def _with_number(document: Json, number: str) -> str:
    """The text of a document with a number in the place of each ``@``."""
    return json.dumps(document).replace('"@"', number)


family("numbers of many digits", 200, 30)(
    lambda n: _with_number(api({"type": "integer", "maximum": "@"}), "9" * 50 * n)
)
family("numbers without bounds", 200)(
    lambda n: _with_number(
        whole(
            {
                f"/x{i}": {"post": {**body({"maximum": "@"}), "responses": responds(TEXT)}}
                for i in range(n)
            }
        ),
        "1e999",
    )
)
family("users of one number without bounds", 100)(
    lambda n: _with_number(
        whole(
            {
                f"/x{i}": {"post": {**body(ref("N0")), "responses": responds(TEXT)}}
                for i in range(n)
            },
            {
                **{f"N{i}": record({"n": ref(f"N{i + 1}")}) for i in range(n)},
                f"N{n}": {"maximum": "@"},
            },
        ),
        "9" * 5000,
    )
)
family("bounds with large exponents", 100)(
    lambda n: api(
        record(
            {
                f"p{i}": {
                    "type": "number",
                    "maximum": 1e308,
                    "minimum": -1e308,
                    "multipleOf": 1e-300,
                }
                for i in range(n)
            }
        )
    )
)

# -- operations ------------------------------------------------------------------------------------

family("operations", 60)(
    lambda n: whole(
        {
            f"/things{i}/{{id}}": {
                "get": {
                    "summary": f"Get {i}",
                    "parameters": [{"name": "id", "in": "path", "required": True, "schema": TEXT}],
                    "responses": responds(TEXT),
                }
            }
            for i in range(n)
        }
    )
)
family("operations with one operationId", 60)(
    lambda n: whole(
        {f"/a{i}": {"get": {"operationId": "same", "responses": responds(TEXT)}} for i in range(n)}
    )
)
family("operations with long paths", 20, 8)(
    lambda n: whole(
        {f"/{'segment/' * 30}{i}": {"get": {"responses": responds(TEXT)}} for i in range(n)}
    )
)
family("paths that differ in one sign", 60)(
    lambda n: whole(
        {f"/{'-' * (i + 1)}a": {"get": {"responses": responds(TEXT)}} for i in range(n)}
    )
)
family("paths that differ in letter case", 8, 5)(
    lambda n: whole(
        {f"/{_cased(i, 30)}": {"get": {"responses": responds(TEXT)}} for i in range(n * 4)}
    )
)
family("path of many placeholders", 100)(
    lambda n: whole(
        {
            "/" + "/".join(f"{{p{i}}}" for i in range(n)): {
                "get": {
                    "parameters": [
                        {"name": f"p{i}", "in": "path", "required": True, "schema": TEXT}
                        for i in range(n)
                    ],
                    "responses": responds(TEXT),
                }
            }
        }
    )
)
family("segment of many placeholders", 20)(
    lambda n: whole(
        {
            "/" + "-".join(f"{{p{i}}}" for i in range(n)): {
                "get": {
                    "parameters": [
                        {"name": f"p{i}", "in": "path", "required": True, "schema": TEXT}
                        for i in range(n)
                    ],
                    "responses": responds(TEXT),
                }
            }
        }
    )
)
family("path of many segments", 200)(
    lambda n: whole({"/a" * n: {"get": {"responses": responds(TEXT)}}})
)
family("actions in path keys", 60, 8)(
    lambda n: whole(
        {
            f"/#Action=Describe{i}": {
                "get": {
                    "parameters": [query("Action", {"enum": [f"Describe{i}"]})],
                    "responses": responds(TEXT),
                }
            }
            for i in range(n)
        }
    )
)
family("tags", 100)(
    lambda n: whole(
        {"/x": {"get": {"tags": [f"t{i}" for i in range(n)], "responses": responds(TEXT)}}},
        tags=[{"name": f"t{i}"} for i in range(n)],
    )
)
family("query parameters", 200)(lambda n: parameters(*(query(f"p{i}") for i in range(n))))
family("query parameters that differ in letter case", 25, 6)(
    lambda n: parameters(*(query(_cased(i, 40)) for i in range(n * 8)))
)
family("query parameters of one name", 100)(
    lambda n: parameters(*(query("same", {**TEXT, "maxLength": i}) for i in range(n)))
)
family("header parameters", 100)(
    lambda n: parameters(
        *({"name": f"X-Header-{i}", "in": "header", "schema": TEXT} for i in range(n))
    )
)
family("cookie parameters", 100)(
    lambda n: parameters(*({"name": f"c{i}", "in": "cookie", "schema": TEXT} for i in range(n)))
)
family("parameters of objects", 50)(
    lambda n: parameters(
        *(
            query(f"p{i}", record({f"a{j}": TEXT for j in range(5)}), style="deepObject")
            for i in range(n)
        )
    )
)
family("parameters for pages", 60, 8)(
    lambda n: whole(
        {
            f"/list{i}": {
                "get": {
                    "parameters": [query("page", NUMBER), query("cursor"), query("limit", NUMBER)],
                    "responses": responds(
                        record(
                            {
                                "items": {"type": "array", "items": TEXT},
                                "next": TEXT,
                                "cursor": TEXT,
                            }
                        )
                    ),
                }
            }
            for i in range(n)
        }
    )
)
family("servers and variables", 100)(
    lambda n: whole(
        {"/x": {"get": {"responses": responds(TEXT)}}},
        servers=[
            {
                "url": f"https://{{v{i}}}.example",
                "variables": {f"v{i}": {"default": "a", "enum": ["a", "b"]}},
            }
            for i in range(n)
        ],
    )
)
family("security schemes", 100)(
    lambda n: whole(
        {
            "/x": {
                "get": {"security": [{f"s{i}": []} for i in range(n)], "responses": responds(TEXT)}
            }
        },
        components={
            "securitySchemes": {
                f"s{i}": {"type": "apiKey", "in": "header", "name": f"K{i}"} for i in range(n)
            }
        },
    )
)
family("responses", 80)(
    lambda n: whole(
        {
            "/x": {
                "get": {
                    "responses": {
                        **responds(TEXT),
                        **{
                            str(300 + i): responds(record({f"p{i}": TEXT}))["200"]
                            for i in range(min(n, 290))
                        },
                    }
                }
            }
        }
    )
)
family("media types", 100)(
    lambda n: whole(
        {
            "/x": {
                "post": {
                    "requestBody": {
                        "content": {
                            f"application/vnd.x{i}+json": {"schema": record({f"p{i}": TEXT})}
                            for i in range(n)
                        }
                    },
                    "responses": responds(TEXT),
                }
            }
        }
    )
)
family("parts of a multipart body", 80)(
    lambda n: whole(
        {
            "/x": {
                "post": {
                    "requestBody": {
                        "content": {
                            "multipart/form-data": {
                                "schema": record(
                                    {f"p{i}": {**TEXT, "format": "binary"} for i in range(n)}
                                ),
                                "encoding": {
                                    f"p{i}": {"contentType": "image/png"} for i in range(n)
                                },
                            }
                        }
                    },
                    "responses": responds(TEXT),
                }
            }
        }
    )
)
family("fields of a form", 100)(
    lambda n: whole(
        {
            "/x": {
                "post": {
                    **body(
                        record({f"p{i}": {"type": "array", "items": TEXT} for i in range(n)}),
                        "application/x-www-form-urlencoded",
                    ),
                    "responses": responds(TEXT),
                }
            }
        }
    )
)
family("callbacks", 60)(
    lambda n: whole(
        {
            "/x": {
                "post": {
                    "callbacks": {
                        f"c{i}": {
                            "{$request.body#/u}": {
                                "post": {**body(TEXT), "responses": responds(TEXT)}
                            }
                        }
                        for i in range(n)
                    },
                    "responses": responds(TEXT),
                }
            }
        }
    )
)
family("webhooks", 60)(
    lambda n: whole(
        {"/x": {"get": {"responses": responds(TEXT)}}},
        webhooks={f"w{i}": {"post": {**body(TEXT), "responses": responds(TEXT)}} for i in range(n)},
    )
)
family("links", 60)(
    lambda n: whole(
        {
            "/x": {
                "get": {
                    "operationId": "x",
                    "responses": {
                        "200": {
                            "description": "ok",
                            "links": {f"l{i}": {"operationId": "x"} for i in range(n)},
                        }
                    },
                }
            }
        }
    )
)
family("references into operations", 40, 8)(
    lambda n: whole(
        {
            f"/x{i}": {
                "post": {
                    **body(
                        record(
                            {
                                "n": {
                                    "$ref": f"#/paths/~1x{max(i - 1, i // 8 * 8)}/post/requestBody/content/application~1json/schema"
                                }
                            }
                        )
                    ),
                    "responses": responds(TEXT),
                }
            }
            for i in range(n)
        }
    )
)

# -- other versions and texts ----------------------------------------------------------------------


def _swagger(count: int) -> Json:
    return {
        "swagger": "2.0",
        "info": {"title": "t", "version": "1"},
        "host": "api.example",
        "schemes": ["https"],
        "paths": {
            "/x": {
                "post": {
                    "parameters": [
                        {"name": "b", "in": "body", "schema": {"$ref": "#/definitions/D0"}}
                    ],
                    "responses": {
                        "200": {"description": "ok", "schema": {"$ref": "#/definitions/D0"}}
                    },
                }
            }
        },
        "definitions": {
            f"D{i}": {
                "type": "object",
                "properties": {"n": {"$ref": f"#/definitions/D{(i + 1) % count}"}},
            }
            for i in range(count)
        },
    }


family("Swagger definitions", 200)(_swagger)
family("Swagger forms", 100)(
    lambda n: {
        "swagger": "2.0",
        "info": {"title": "t", "version": "1"},
        "paths": {
            "/x": {
                "post": {
                    "consumes": ["multipart/form-data"],
                    "parameters": [
                        {"name": f"p{i}", "in": "formData", "type": "file"} for i in range(n)
                    ],
                    "responses": {"200": {"description": "ok"}},
                }
            }
        },
    }
)
family("nullable schemas of OpenAPI 3.0", 200)(
    lambda n: api(
        record({f"p{i}": {"nullable": True, "allOf": [ref("A")]} for i in range(n)}),
        {"A": record({"a": TEXT})},
        version="3.0.3",
    )
)
family("faults of the metaschema", 100)(
    lambda n: api(
        record({f"p{i}": {"type": "none", "minLength": "x", "items": 3} for i in range(n)})
    )
)
family("faults in nested objects", 100)(
    lambda n: whole(
        {
            f"/x{i}": {
                "get": {
                    "parameters": [{"name": 3, "in": "nowhere"}],
                    "responses": {"two": {"content": 3}},
                }
            }
            for i in range(n)
        }
    )
)
family("repeated keys", 200)(
    lambda n: json.dumps(
        whole({f"/x{'@' * i}": {"get": {"responses": responds(TEXT)}} for i in range(n)})
    ).replace("@", "")
)
family("aliases of YAML", 100)(
    lambda n: (
        "openapi: 3.1.0\ninfo: {title: t, version: '1'}\nx: &a {type: object, properties: {p: {type: string}}}\npaths:\n"
        + "".join(
            f"  /x{i}:\n    post:\n      requestBody: {{content: {{application/json: {{schema: *a}}}}}}\n      responses: {{'200': {{description: ok}}}}\n"
            for i in range(n)
        )
    )
)
family("aliases that double", 200)(
    # A walk over the value meets about n texts: the bytes of the document grow with the logarithm only.
    lambda n: (
        "openapi: 3.1.0\ninfo: {title: t, version: '1'}\n"
        "paths: {/x: {get: {responses: {'200': {description: ok}}}}}\nx0: &x0 [a]\n"
        + "".join(f"x{i}: &x{i} [*x{i - 1}, *x{i - 1}]\n" for i in range(1, n.bit_length()))
    )
)
family("flow style of YAML", 100)(
    lambda n: (
        "openapi: 3.1.0\ninfo: {title: t, version: '1'}\npaths: {"
        + ", ".join(
            f"/x{i}: {{get: {{responses: {{'200': {{description: ok}}}}}}}}" for i in range(n)
        )
        + "}\n"
    )
)
family("text that is not JSON", 100)(
    lambda n: json.dumps(api(record({f"p{i}": TEXT for i in range(n)})))[:-1] + ",}"
)
