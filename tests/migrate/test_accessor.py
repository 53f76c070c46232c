import hashlib
import re
from collections.abc import Sequence
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from specfn.migrate.accessor import RESERVED, AccessorInput, Naming, assign
from specfn.migrate.template import parse

IDENTIFIER = re.compile(r"[A-Za-z_][A-Za-z0-9_]*\Z")


def hashed(text: str) -> str:
    return "x" + hashlib.sha256(text.encode()).hexdigest()[:6]


SINGLE: list[tuple[str, str]] = [
    # R10: namespace, method, parameters
    ("POST /shopping/sellers/sales", "shopping.sellers.sales.post"),
    ("GET /", "get"),
    ("GET /{id}", "getById"),
    ("DELETE /pets/{petId}", "pets.eraseByPetId"),
    ("PUT /a/{x}/b/{y}", "a.b.putByXAndY"),
    ("GET /a/{userID}", "a.getByUserID"),
    ("GET /a/{user_id}", "a.getByUser_id"),
    ("GET /a/{_id}", "a.getBy_id"),
    ("GET /a/{id}/b/{id}", "a.b.getById"),
    ("GET /a/{x}/{X}", "a.getByXAndX"),
    ("GET /{id}/a", "a.getById"),
    ("QUERY /a", "a.query"),
    ("COPY /a", "a.copy"),
    ("M-SEARCH /a", "a.m_search"),
    ("export /a", "a._export"),
    ("export /a/{b}", "a.exportByB"),
    # R11: pure segments
    ("GET /a-b/c.d/e~f", "a_b.c_d.e_f.get"),
    ("GET /x:verb", "x_verb.get"),
    ("GET /class/new", "_class._new.get"),
    ("GET /Class/newest", "Class.newest.get"),
    ("GET /1st", "_1st.get"),
    ("GET /v1.0/2", "v1_0._2.get"),
    ("GET /$batch", "_batch.get"),
    ("GET /a/*", "a._.get"),
    ("GET /trail/", "trail.get"),
    ("GET /a//b", "a.b.get"),
    ("GET /:id/a", "a.getById"),
    ("GET /{id", "_id.get"),
    ("GET /a%20b", "a_20b.get"),
    # R11: letters outside ASCII
    ("GET /caf\u00e9", "cafe.get"),
    ("GET /cafe\u0301", "cafe.get"),
    ("GET /stra\u00dfe", "strae.get"),
    ("GET /\uff41\uff42", "ab.get"),
    ("GET /\u65e5\u672c", hashed("\u65e5\u672c") + ".get"),
    ("GET /\u65e5\u672c-list", hashed("\u65e5\u672c") + "_list.get"),
    ("GET /\u65e5\u672clist", "list.get"),
    (
        "GET /\u0939\u093f\u0928\u094d\u0926\u0940",
        hashed("\u0939\u093f\u0928\u094d\u0926\u0940") + ".get",
    ),
    ("GET /\U0001f600", hashed("\U0001f600") + ".get"),
    ("GET /\u2764\ufe0f", hashed("\u2764\ufe0f") + ".get"),
    ("GET /a\U0001f600b", "a_b.get"),
    ("GET /a\u2014b", "a_b.get"),
    ("GET /a/{na\u00efve}", "a.getByNaive"),
    ("GET /a/{\u540d}", "a.getBy" + hashed("\u540d").upper()[0] + hashed("\u540d")[1:]),
    # R11: mixed segments
    ("GET /{name}.json", "json.getByName"),
    ("GET /{a}.{b}/x:verb", "x_verb.getByAAndB"),
    ("POST /{id}:cancel", "cancel.postById"),
    ("GET /compare/{base}...{head}", "compare.getByBaseAndHead"),
    ("GET /{a}x_y{b}z-w", "xy_zw.getByAAndB"),
    ("GET /{a}.2", "_2.getByA"),
    ("GET /{a}.delete", "_delete.getByA"),
    ("GET /{a}.\u65e5", hashed("\u65e5") + ".getByA"),
    ("GET /@{user}", "getByUser"),
    ("GET /a/{user-id}/{x.y}/{1st}", "a.getByUser_idAndX_yAnd1st"),
    # fragments, and the fixed part of a query, join the namespace
    ("POST /{A}/#Action=AddPermission", "Action_AddPermission.postByA"),
    ("GET /{Bucket}#analytics&id", "analytics_id.getByBucket"),
    ("GET /x#new", "x._new.get"),
    ("GET /x#a/b{c}", "x.a_b_c_.get"),
    ("GET /x?a", "x.a.get"),
    ("GET /x?a=", "x.a.get"),
    ("GET /{c}?restype=container&comp=list", "restype_container_comp_list.getByC"),
    ("GET /x?q={q}", "x.get"),
    ("GET /x?mode=a&q={q}#f", "x.mode_a.f.get"),
]

COLLISIONS: list[tuple[dict[str, str], str]] = [
    ({"GET /trail": "trail.get", "GET /trail/": "trail._get"}, "a trailing slash is a change"),
    ({"GET /a/b": "a.b.get", "GET /a_b": "a_b._get"}, "the same when joined"),
    ({"GET /v1/get": "v1.get.get", "GET /v1": "v1._get"}, "an accessor that is a namespace"),
    ({"GET /v1/GET/x": "v1.GET.x.get", "GET /v1": "v1._get"}, "a namespace in another case"),
    ({"GET /get/x": "get.x.get", "GET /": "_get"}, "the root is a namespace"),
    (
        {"GET /v1": "v1.__get", "GET /v1/get": "v1.get.get", "GET /v1/_get": "v1._get.get"},
        "both the name and the next are namespaces",
    ),
    ({"GET /a-b": "a_b._get", "GET /a_b": "a_b.get"}, "what needed no change keeps its name"),
    ({"GET /a-b": "a_b.get", "GET /a.b": "a_b._get"}, "both changed: the smaller path keeps it"),
    ({"GET /A": "A.get", "GET /a": "a._get"}, "only letter case differs"),
    ({"GET /x/{A}": "x.getByA", "GET /x/{a}": "x._getByA"}, "parameters differ in letter case"),
    ({"GET /x/{id}": "x.getById", "GET /{id}/x": "x._getById"}, "parameters in other places"),
    ({"GET /x/{id}": "x.getById", "GET /x/{id}/{id}": "x._getById"}, "a repetition is a change"),
    ({"GET /a/x": "a.x.get", "GET /a#x": "a.x._get"}, "a fragment is a change"),
    ({"GET /x?a": "x.a.get", "GET /x?b": "x.b.get"}, "queries tell apart by what is fixed"),
    ({"GET /x?a={a}": "x.get", "GET /x?b={b}": "x._get"}, "and not by their parameters"),
    ({"DELETE /x": "x.erase", "erase /x": "x._erase"}, "the smaller method keeps it"),
    ({"GET /{a}.b": "b._getByA", "GET /b/{a}": "b.getByA"}, "a mixed segment is a change"),
    (
        {"GET /a b": "a_b.get", "GET /a!b": "a_b._get", "GET /a~b": "a_b.__get"},
        "in order, one underscore more for each",
    ),
    (
        {"GET /x": "x.get", "GET /x-": "x_.get", "GET /x/": "x.__get"},
        "a renamed one never takes a name that is free as it is",
    ),
    (
        {"GET /x/_get": "x._get.get", "GET /x": "x.get", "GET /x/": "x.__get"},
        "nor a namespace",
    ),
    ({"GET /caf\u00e9": "cafe._get", "GET /cafe": "cafe.get"}, "transliterated is changed"),
]

OVERRIDES: list[tuple[dict[str, Any], dict[str, str], set[str]]] = [
    ({"GET /a": ["x", "y"]}, {"GET /a": "x.y"}, set()),
    ({"GET /a": ["pets"]}, {"GET /a": "pets"}, set()),
    ({"GET /a": ("x", "delete")}, {"GET /a": "x.delete"}, set()),
    ({"GET /a": ["a", "get"]}, {"GET /a": "a.get"}, set()),
    # not legal
    ({"GET /a": []}, {"GET /a": "a.get"}, {"GET /a"}),
    ({"GET /a": "xy"}, {"GET /a": "a.get"}, {"GET /a"}),
    ({"GET /a": ["x", 1]}, {"GET /a": "a.get"}, {"GET /a"}),
    ({"GET /a": ["x-y"]}, {"GET /a": "a.get"}, {"GET /a"}),
    ({"GET /a": ["1x"]}, {"GET /a": "a.get"}, {"GET /a"}),
    ({"GET /a": ["x\n"]}, {"GET /a": "a.get"}, {"GET /a"}),
    ({"GET /a": ["x", ""]}, {"GET /a": "a.get"}, {"GET /a"}),
    ({"GET /a": ["\u00e9"]}, {"GET /a": "a.get"}, {"GET /a"}),
    ({"GET /a": {"x": 1}}, {"GET /a": "a.get"}, {"GET /a"}),
    ({"GET /a": False}, {"GET /a": "a.get"}, {"GET /a"}),
    # two that are the same: the first by path keeps it
    ({"GET /b": ["x"], "GET /a": ["x"]}, {"GET /b": "b.get", "GET /a": "x"}, {"GET /b"}),
    ({"GET /a": ["x", "y"], "GET /b": ["X_y"]}, {"GET /a": "x.y", "GET /b": "b.get"}, {"GET /b"}),
    # one that is the namespace of another
    ({"GET /a": ["x"], "GET /b": ["x", "y"]}, {"GET /a": "a.get", "GET /b": "x.y"}, {"GET /a"}),
    # against the names of paths
    ({"GET /a": ["b", "get"], "GET /b": None}, {"GET /a": "a.get", "GET /b": "b.get"}, {"GET /a"}),
    ({"GET /a": ["B_GET"], "GET /b": None}, {"GET /a": "a.get", "GET /b": "b.get"}, {"GET /a"}),
    ({"GET /a": ["b"], "GET /b": None}, {"GET /a": "a.get", "GET /b": "b.get"}, {"GET /a"}),
    (
        {"GET /a": ["b", "get", "x"], "GET /b": None},
        {"GET /a": "a.get", "GET /b": "b.get"},
        {"GET /a"},
    ),
    # a name that its own operation gives up is free
    (
        {"GET /a": ["b", "get"], "GET /b": ["b", "list"]},
        {"GET /a": "b.get", "GET /b": "b.list"},
        set(),
    ),
    # and taken again when that override does not count
    (
        {"GET /a": ["b", "get"], "GET /b": ["c", "get"], "GET /c": ["-"]},
        {"GET /a": "a.get", "GET /b": "b.get", "GET /c": "c.get"},
        {"GET /a", "GET /b", "GET /c"},
    ),
    # renamed ones keep clear of overrides
    (
        {"GET /x": None, "GET /x/": None, "GET /y": ["x", "_get"]},
        {"GET /x": "x.get", "GET /x/": "x.__get", "GET /y": "x._get"},
        set(),
    ),
]


def operation(identity: str, override: Any = None) -> AccessorInput:
    method, _, path = identity.partition(" ")
    return AccessorInput(method=method, path=path, template=parse(path), override=override)


def accessors(operations: Sequence[AccessorInput]) -> list[tuple[str, ...]]:
    return [naming.accessor for naming in assign(operations)]


def dotted(identities: Sequence[str]) -> list[str]:
    return [".".join(accessor) for accessor in accessors([operation(item) for item in identities])]


@pytest.mark.parametrize(("identity", "expected"), SINGLE)
def test_single(identity: str, expected: str) -> None:
    """R10, R11: an operation alone is named by its path and method."""
    assert dotted([identity]) == [expected]


def test_declared_colon_parameters() -> None:
    """R10: the seed's second example, its colon parameters declared in the path."""
    path = "/shoppings/sellers/sales/:saleId/reviews/:reviewId/comments/:id"
    template = parse(path, ("saleId", "reviewId", "id"))
    assert accessors([AccessorInput(method="get", path=path, template=template)]) == [
        (
            *("shoppings", "sellers", "sales", "reviews", "comments"),
            "getBySaleIdAndReviewIdAndId",
        )
    ]


@pytest.mark.parametrize("word", sorted(RESERVED))
def test_reserved(word: str) -> None:
    """R11: a reserved word gets an underscore, and only as it is written."""
    assert dotted([f"GET /{word}", f"GET /x{word}"]) == [f"_{word}.get", f"x{word}.get"]


@pytest.mark.parametrize(
    ("expected", "why"), COLLISIONS, ids=[why.replace(" ", "-") for _, why in COLLISIONS]
)
def test_collisions(expected: dict[str, str], why: str) -> None:
    """R12: of those that collide one keeps its name and the others yield, in either order."""
    forth = list(expected)
    back = forth[::-1]
    assert dict(zip(forth, dotted(forth), strict=True)) == expected, why
    assert dict(zip(back, dotted(back), strict=True)) == expected, why


@pytest.mark.parametrize(("overrides", "expected", "ignored"), OVERRIDES)
def test_overrides(overrides: dict[str, Any], expected: dict[str, str], ignored: set[str]) -> None:
    """R13: an override counts if it is legal and unique; if not, a sentence says so."""
    for items in (list(overrides.items()), list(overrides.items())[::-1]):
        namings = assign([operation(identity, override) for identity, override in items])
        named = {identity: naming for (identity, _), naming in zip(items, namings, strict=True)}
        assert {key: ".".join(naming.accessor) for key, naming in named.items()} == expected
        assert {key for key, naming in named.items() if naming.ignored} == ignored
        assert all(
            "x-samchon-accessor" in (naming.ignored or "x-samchon-accessor") for naming in namings
        )


def test_none() -> None:
    """A document without operations has no accessors."""
    assert assign([]) == []


segments = st.sampled_from(
    [
        "a",
        "A",
        "b",
        "a_b",
        "a-b",
        "get",
        "_get",
        "getByA",
        "{a}",
        "{A}",
        "{b}",
        "{a}.b",
        "",
        "1",
        "new",
        "\u00e9",
        "\u65e5",
    ]
)
paths = st.lists(segments, min_size=1, max_size=4).map(lambda parts: "/" + "/".join(parts))
keys = st.builds(
    str.__add__,
    paths.filter(lambda path: not path.startswith("//")),
    st.sampled_from(["", "", "", "#a", "#get", "?a", "?a={x}", "/"]),
).filter(lambda path: not path.startswith("//"))
identities = st.builds("{} {}".format, st.sampled_from(["GET", "POST", "DELETE", "erase"]), keys)
elements = st.sampled_from(["a", "b", "get", "_get", "x", "A", "1", "a-b"])
documents = st.lists(
    st.tuples(identities, st.none() | st.lists(elements, min_size=1, max_size=3)),
    max_size=14,
    unique_by=lambda item: item[0],
)


def name(document: Sequence[tuple[str, Any]]) -> dict[str, Naming]:
    namings = assign([operation(*item) for item in document])
    return {identity: naming for (identity, _), naming in zip(document, namings, strict=True)}


@given(documents)
def test_legal_unique_and_free_of_prefixes(document: list[tuple[str, Any]]) -> None:
    """R11, R12: elements are identifiers, joined names are unique and no accessor is a namespace."""
    found = [
        tuple(element.lower() for element in naming.accessor) for naming in name(document).values()
    ]
    assert all(accessor and all(map(IDENTIFIER.match, accessor)) for accessor in found)
    assert len({"_".join(accessor) for accessor in found}) == len(document)
    namespaces = {accessor[:end] for accessor in found for end in range(len(accessor))}
    assert namespaces.isdisjoint(found)


@given(documents.flatmap(lambda document: st.tuples(st.just(document), st.permutations(document))))
def test_order_does_not_matter(
    orders: tuple[list[tuple[str, Any]], list[tuple[str, Any]]],
) -> None:
    """R12: the same operations in another order have the same names and the same notes."""
    one, other = orders
    assert name(one) == name(other)


@given(documents)
def test_a_strange_operation_renames_nothing(document: list[tuple[str, Any]]) -> None:
    """An operation whose name meets no other leaves all names as they are."""
    before = name(document)
    after = name([*document, ("GET /elsewhere/{it}", None)])
    assert after.pop("GET /elsewhere/{it}").accessor == ("elsewhere", "getByIt")
    assert after == before


@given(documents)
def test_only_the_last_element_yields(document: list[tuple[str, Any]]) -> None:
    """R12: a collision changes nothing but underscores before the last element."""
    for identity, naming in name([(identity, None) for identity, _ in document]).items():
        (alone,) = accessors([operation(identity)])
        assert naming.accessor[:-1] == alone[:-1]
        assert re.fullmatch("_*" + re.escape(alone[-1]), naming.accessor[-1])


def test_many_collisions_stay_small() -> None:
    """A document made of collisions gets short, unique names in time linear in its size."""
    operations = [operation(f"GET /a/{'/' * count}") for count in range(1, 200)]
    operations += [
        operation(f"GET /b{mark}{other}") for mark in "!$&'()*+,-" for other in "!$&'()*+,"
    ]
    found = accessors(operations)
    assert len({"_".join(accessor).lower() for accessor in found}) == len(operations)
    assert all(len(accessor[-1]) < 80 for accessor in found)


def test_large_documents_are_named_at_once() -> None:
    """20,000 operations, half of them colliding, are compared by hash: all pairs would take minutes."""
    operations = [
        operation(f"GET /a{index % 10_000}{'/' * (index // 10_000)}") for index in range(20_000)
    ]
    found = accessors(operations)
    assert len({"_".join(accessor) for accessor in found}) == 20_000


def test_long_paths_cost_their_length() -> None:
    """A path of 100,000 segments is named like any other."""
    (accessor,) = accessors([operation("GET " + "/a" * 100_000)])
    assert len(accessor) == 100_001
