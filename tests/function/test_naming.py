import hashlib
import re
from collections import Counter
from collections.abc import Sequence
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from specfn.errors import UsageError
from specfn.function.naming import by_operation_id, names

LEGAL = re.compile(r"[a-zA-Z_][a-zA-Z0-9_]*\Z")

LONG = "s" * 30


def digest(identity: str, digits: int = 6) -> str:
    return hashlib.sha256(identity.encode()).hexdigest()[:digits]


def split(accessors: Sequence[str]) -> list[tuple[str, ...]]:
    return [tuple(accessor.split(".")) for accessor in accessors]


# Accessors, their names ("#" is the hash of the operation) and the most characters of a name.
CASES: list[tuple[dict[str, str], int]] = [
    # F1: joined by an underscore
    ({"shopping.sellers.sales.post": "shopping_sellers_sales_post"}, 64),
    ({"get": "get"}, 16),
    ({"_class._new.get": "_class__new_get"}, 16),
    # F2: what fits is never changed
    ({"a." + "b" * 62: "a_" + "b" * 62}, 64),
    ({f"{LONG}.g": f"{LONG}_g"}, 32),
    # too long: leading segments go, as few as possible
    ({f"a.{LONG}.g": f"{LONG}_g"}, 32),
    ({f"a.b.{LONG}x.c.get": "c_get"}, 32),
    ({"aaaaaaaa.bbbbbbbb.cccccccc.dddddddd.get": "cccccccc_dddddddd_get"}, 24),
    # two shortened names meet
    (
        {
            f"a.{LONG}.pets.getById": "pets_#_getById",
            f"b.{LONG}.pets.getById": "pets_#_getById",
        },
        32,
    ),
    ({f"a.{LONG}.x.get": "x_#_get", f"b.{LONG}.X.Get": "X_#_Get"}, 32),
    # a shortened name meets a natural one, which stays
    ({"pets.get": "pets_get", f"a.{LONG}.pets.get": "pets_#_get"}, 32),
    ({"Pets.get": "Pets_get", f"a.{LONG}.pets.get": "pets_#_get"}, 32),
    ({"a_b.get": "a_b_get", f"a.{LONG}.a.b.get": "a_b_#_get"}, 32),
    # a shortened name that meets none stays beside those that do
    (
        {
            f"{LONG}.x.get": "x_#_get",
            f"{LONG}x.x.get": "x_#_get",
            f"{LONG}.y.get": "y_get",
        },
        32,
    ),
    # nothing fits: the nearest segments and the verb, the hash, the last parameter
    (
        {
            "users.packages.versions.getByUsernameAndPackage_typeAndPackage_nameAndVersion_idAndAsset_id": (
                "users_packages_versions_getByUsernameAnd_#_AndAsset_id"
            )
        },
        64,
    ),
    ({"comments.getBySaleIdAndReviewIdAndAnswerId": "comments_getBySale_#_Id"}, 32),
    ({"comments.getBy" + "A" * 40: "comments_getBy_#_" + "A" * 10}, 32),
    ({"getBy" + "A" * 40: "getBy_#_" + "A" * 19}, 32),
    ({"a." + "g" * 40: "a_gggggg_#_" + "g" * 16}, 32),
    ({f"{LONG}.get_by_name_and_identifier_and_more": "sssssssssss_get_by_#_more"}, 32),
    ({"deployments.x.xyyyyyyyyyyyyyyyyyyyy": "x_xy_#_yyyy"}, 16),
    ({"_" * 40: "_" * 7 + "#" + "_" * 19}, 32),
]


@pytest.mark.parametrize(("expected", "max_length"), CASES)
def test_cases(expected: dict[str, str], max_length: int) -> None:
    """F1, F2: each accessor has the name that the rules give it."""
    identities = [f"GET /{index}" for index in range(len(expected))]
    assert names(split(list(expected)), identities, max_length) == [
        name.replace("#", digest(identity))
        for name, identity in zip(expected.values(), identities, strict=True)
    ]


def test_room() -> None:
    """A length that leaves no room for head, hash and tail is refused with the least that does."""
    with pytest.raises(UsageError, match="at least 16"):
        names([("get",)], ["GET /"], 15)


def test_longer_hash() -> None:
    """F2: where two names with six digits of the hash are the same, one takes more digits."""
    accessors = [("x" * 20, "get"), ("x" * 21, "get")]
    one, other = names(accessors, ["GET /same", "GET /same"], 16)
    assert one == f"xxxxx_{digest('GET /same')}_get"
    assert other == f"xxxx_{digest('GET /same', 7)}_get"


def test_taken_hash() -> None:
    """F2: a natural name that looks like a name with a hash is not taken from its operation."""
    natural = (f"xxxxx_{digest('GET /a')}", "get")
    found = names([natural, ("x" * 20, "get"), ("get",)], ["GET /b", "GET /a", "GET /"], 16)
    assert found == ["_".join(natural), f"xxxx_{digest('GET /a', 7)}_get", "get"]


def test_surrogates() -> None:
    """A path that is not Unicode text has a name like any other."""
    (found,) = names([("x" * 80, "get")], ["GET /\ud800"])
    assert LEGAL.match(found)


words = st.sampled_from(
    ["a", "b", "A", "get", "_", "__x", "shoppings", "sellers", "v1", "x" * 17, "y" * 33, "z" * 70]
)
lasts = st.sampled_from(
    [
        "get",
        "post",
        "_get",
        "g",
        "G",
        "getById",
        "eraseByOwnerAndRepoAndReaction_id",
        "getBy" + "A" * 70,
    ]
)
applications = st.lists(
    st.tuples(st.lists(words, max_size=5), lasts).map(lambda parts: (*parts[0], parts[1])),
    max_size=16,
    unique_by=lambda accessor: "_".join(accessor).lower(),
)
lengths = st.integers(min_value=16, max_value=64)


def identified(accessors: Sequence[tuple[str, ...]]) -> list[str]:
    return ["GET /" + "/".join(accessor) for accessor in accessors]


@given(applications, lengths)
def test_legal_short_and_unique(accessors: list[tuple[str, ...]], max_length: int) -> None:
    """F1: names are legal, within the length, and unique ignoring letter case."""
    found = names(accessors, identified(accessors), max_length)
    assert all(LEGAL.match(name) and len(name) <= max_length for name in found)
    assert len({name.lower() for name in found}) == len(accessors)


@given(applications, lengths)
def test_what_fits_stays(accessors: list[tuple[str, ...]], max_length: int) -> None:
    """F2: a name that fits is never changed, and one that does not keeps its end or holds a hash."""
    identities = identified(accessors)
    found = names(accessors, identities, max_length)
    for accessor, identity, name in zip(accessors, identities, found, strict=True):
        natural = "_".join(accessor)
        if len(natural) <= max_length:
            assert name == natural
        else:
            assert natural.endswith(f"_{name}") or f"_{digest(identity)}" in name


@given(
    applications.flatmap(lambda one: st.tuples(st.just(one), st.permutations(one))),
    lengths,
)
def test_order_does_not_matter(
    orders: tuple[list[tuple[str, ...]], list[tuple[str, ...]]], max_length: int
) -> None:
    """The same operations in another order have the same names."""
    one, other = (
        dict(zip(accessors, names(accessors, identified(accessors), max_length), strict=True))
        for accessors in orders
    )
    assert one == other


@given(applications, lengths)
def test_a_strange_operation_renames_nothing(
    accessors: list[tuple[str, ...]], max_length: int
) -> None:
    """An operation whose name meets no other leaves all names as they are."""
    before = names(accessors, identified(accessors), max_length)
    more = [("elsewhere", "put"), *accessors]
    assert names(more, identified(more), max_length) == ["elsewhere_put", *before]


# --- operationIds as names

operation_ids = st.one_of(
    st.none(),
    st.sampled_from(
        ["", "getPet", "GetPet", "get-pet", "get_pet", "get", "delete", "a_get", "A_get"]
    ),
    st.sampled_from(["1st", "pets.get", "größe", "获取", "x" * 80, "import", 7, ["get"]]),
    st.text(max_size=6),
)
operations = st.lists(
    st.tuples(words, lasts, operation_ids),
    max_size=12,
    unique_by=lambda one: "_".join(one[:2]).lower(),
)


def named(some: Sequence[tuple[str, str, Any]], max_length: int = 64) -> dict[tuple[str, str], str]:
    """Return the name of each operation by its accessor."""
    accessors = [(element, last) for element, last, _ in some]
    identities = identified(accessors)
    found = by_operation_id(accessors, [one[2] for one in some], identities)
    return dict(
        zip(accessors, names([parts for parts, _ in found], identities, max_length), strict=True)
    )


@given(operations, lengths)
def test_operation_ids_legal_and_unique(some: list[tuple[str, str, Any]], max_length: int) -> None:
    """F1: names by operationId are legal, within the length, and unique ignoring letter case."""
    found = named(some, max_length).values()
    assert all(LEGAL.match(name) and len(name) <= max_length for name in found)
    assert len({name.lower() for name in found}) == len(some)


@given(operations.flatmap(lambda one: st.tuples(st.just(one), st.permutations(one))), lengths)
def test_operation_ids_in_any_order(
    orders: tuple[list[tuple[str, str, Any]], list[tuple[str, str, Any]]], max_length: int
) -> None:
    """F1: the same operations in another order have the same names by operationId."""
    one, other = (named(some, max_length) for some in orders)
    assert one == other


@given(operations)
def test_an_operation_id_with_no_equal_is_the_name(some: list[tuple[str, str, Any]]) -> None:
    """F1: a legal operationId that equals no other's id and no accessor is the name; an equal one is not."""
    legal = [one for one in some if isinstance(one[2], str) and LEGAL.match(one[2])]
    found = named(legal)
    paths = {f"{element}_{last}".lower() for element, last, _ in legal}
    counts = Counter(identifier.lower() for _, _, identifier in legal)
    for element, last, identifier in legal:
        if counts[identifier.lower()] > 1:
            assert (
                found[element, last] == names([(element, last)], identified([(element, last)]))[0]
            )
        elif identifier.lower() not in paths and len(identifier) <= 64:
            assert found[element, last] == identifier


def test_an_accessor_that_is_used_takes_its_name_from_an_operation_id() -> None:
    """F1: an operationId that equals the name of an accessor in use gives way, and so on."""
    some = [("a", "get", None), ("b", "get", "a_get"), ("c", "get", "b_get"), ("d", "get", "x")]
    expected = {
        ("a", "get"): "a_get",
        ("b", "get"): "b_get",
        ("c", "get"): "c_get",
        ("d", "get"): "x",
    }
    assert named(some) == expected


def test_operation_ids_in_legal_characters() -> None:
    """F1: an operationId is written in the characters of R11; reserved words stay, and a long one is shortened."""
    given_ids = ["pets.list-all", "2fa", "café", "delete", "x" * 70]
    some = [(f"p{index}", "get", text) for index, text in enumerate(given_ids)]
    *short, long = named(some).values()
    assert short == ["pets_list_all", "_2fa", "cafe", "delete"]
    assert digest("GET /p4/get") in long


def test_why_an_operation_id_is_not_the_name() -> None:
    """F1: the reason says which operation has the same name."""
    found = by_operation_id(
        [("a", "get"), ("b", "get"), ("c", "get")],
        ["get", "Get", None],
        ["GET /a", "GET /b", "GET /c"],
    )
    assert [reason for _, reason in found] == [
        "operationId 'get' is not unique: GET /b has the same one; the function is named by its path",
        "operationId 'Get' is not unique: GET /a has the same one; the function is named by its path",
        "the operation has no operationId; the function is named by its path",
    ]
