import hashlib
import re
from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from specfn.errors import UsageError
from specfn.function.naming import names

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


def test_nothing() -> None:
    """An application without operations has no names."""
    assert names([], []) == []


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
