import pickle
from contextlib import nullcontext
from typing import Any

import pytest

from specfn import Application, Options, load
from specfn.errors import UsageError
from specfn.options import Selection

Json = dict[str, Any]


def operation(name: str, *tags: str, **more: Any) -> Json:
    return {"operationId": name, "summary": f"Do {name}.", "tags": list(tags), **more}


DOCUMENT: Json = {
    "openapi": "3.1.0",
    "info": {"title": "t", "version": "1"},
    "paths": {
        "/pets": {
            "get": operation("listPets", "pets"),
            "post": operation("addPet", "pets", "write"),
        },
        "/pets/{id}": {
            "get": operation("getPet", "pets"),
            "delete": operation("dropPet", "pets", deprecated=True),
        },
        "/pets/{id}/toys/{toy}": {"get": operation("getToy", "toys")},
        "/petshops": {"get": operation("listShops")},
        "/admin/users": {"post": operation("addUser", "admin")},
    },
}

ALL = ["listPets", "addPet", "getPet", "dropPet", "getToy", "listShops", "addUser"]


def loaded(**options: Any) -> Application:
    return load(DOCUMENT, options=Options(**options))


@pytest.mark.parametrize(
    ("select", "kept"),
    [
        ({}, ALL),
        ({"methods": ["get"]}, ["listPets", "getPet", "getToy", "listShops"]),
        ({"methods": ["POST", "Delete"]}, ["addPet", "dropPet", "addUser"]),
        ({"paths": ["/pets"]}, ["listPets", "addPet"]),
        ({"paths": ["/pets/*"]}, ["getPet", "dropPet"]),
        ({"paths": ["/pets/**"]}, ["listPets", "addPet", "getPet", "dropPet", "getToy"]),
        ({"paths": ["/pets**"]}, ["listPets", "addPet", "getPet", "dropPet", "getToy", "listShops"]),
        ({"paths": ["/**/users", "/petshops"]}, ["listShops", "addUser"]),
        ({"tags": ["toys", "admin"]}, ["getToy", "addUser"]),
        ({"tags": ["*"], "methods": ["get"]}, ["listPets", "getPet", "getToy"]),
        ({"names": ["list*"]}, ["listPets", "listShops"]),
        ({"names": ["pets.*", "POST /admin/*"]}, ["listPets", "addPet", "getPet", "dropPet", "getToy", "addUser"]),
        ({"names": ["tag:toys", "/admin/**"]}, ["getToy", "addUser"]),
        ({"deprecated": True}, ["dropPet"]),
        ({"deprecated": False, "safety": ["read", "destructive"]}, ["listPets", "getPet", "getToy", "listShops"]),
        ({"safety": ["write"]}, ["addPet", "addUser"]),
        ({"where": lambda function: "id" in function.path}, ["getPet", "dropPet", "getToy"]),
        ({"tags": ["pets"], "without": {"tags": ["write"]}}, ["listPets", "getPet", "dropPet"]),
        ({"without": {"methods": ["get"], "paths": ["/pets/**"]}}, ["addPet", "dropPet", "listShops", "addUser"]),
        (lambda function: function.operation_id == "addUser", ["addUser"]),
    ],
)  # fmt: skip
def test_what_is_kept(select: Any, kept: list[str]) -> None:
    """F6: every part that is given must hold, and any of its words; the order is the document's."""
    made = loaded(select=select)
    assert [function.operation_id for function in made] == kept
    report = made.report()
    assert report["operations"] == len(ALL) == report["functions"] + report["left_out"]


@pytest.mark.parametrize(
    ("glob", "path", "matches"),
    [
        ("/a/**", "/a", True),
        ("/a/**", "/a/b/c", True),
        ("/a/**", "/ab", False),
        ("/a/*", "/a", False),
        ("/a/*/c", "/a/b/c", True),
        ("/a/*/c", "/a/b/b/c", False),
        ("/a/**/c", "/a/c", True),
        ("/a/**/c", "/a/b/b/c", True),
        ("**", "/a/b", True),
        ("/a?c", "/abc", True),
        ("/a?c", "/a/c", False),
        ("/a/{id}", "/a/{id}", True),
        ("/a.b", "/axb", False),
        ("/*.json", "/x.json", True),
    ],
)
def test_globs_of_paths(glob: str, path: str, *, matches: bool) -> None:
    """F6: ``*`` stays within a segment, ``**`` does not; everything else is meant as it is written."""
    document = {**DOCUMENT, "paths": {path: {"get": {}}}}
    with nullcontext() if matches else pytest.raises(UsageError, match="matches nothing"):
        assert len(load(document, options=Options(select={"paths": [glob]}))) == 1


@pytest.mark.parametrize(
    ("select", "told"),
    [
        ({"tags": ["pet"]}, "tags 'pet' matches nothing; did you mean 'pets'"),
        ({"paths": ["/pet"]}, "paths '/pet' matches nothing; did you mean '/pets'"),
        ({"methods": ["put"]}, "methods 'put' matches nothing"),
        ({"names": ["zzz"]}, "names 'zzz' matches nothing; there is 'pets_get', 'pets.get', 'listPets'"),
        ({"without": {"tags": ["toy"]}}, "tags 'toy' matches nothing; did you mean 'toys'"),
        ({"where": lambda _: 1 / 0}, "the predicate of `select` raised an exception for pets_get: ZeroDivisionError: division by zero"),
        (lambda _: 1 / 0, "the predicate of `select` raised an exception for pets_get: ZeroDivisionError"),
    ],
)  # fmt: skip
def test_selections_that_cannot_be_meant(select: Any, told: str) -> None:
    """F6: what matches nothing, or fails, is the caller's fault, and says what there is."""
    with pytest.raises(UsageError, match=told):
        loaded(select=select)


def test_a_selection_is_checked() -> None:
    """F6: a part that does not exist is refused with the options."""
    with pytest.raises(UsageError, match=r"has no field .tag."):
        Options(select={"tag": ["x"]})  # type: ignore[arg-type]
    with pytest.raises(UsageError, match="safety"):
        Options(select={"safety": ["safe"]})  # type: ignore[arg-type]


def test_a_selection_travels() -> None:
    """F6: options with a selection compare, and a function does not carry it along."""
    options = Options(select=Selection(tags=("pets",)))
    assert Options.of(options.settings()) == options
    function = loaded(select={"where": lambda _: True}).functions[0]
    assert pickle.loads(pickle.dumps(function)).name == function.name


# -- names and descriptions ---------------------------------------------------------------------------


def test_names_and_descriptions_are_overridden() -> None:
    """F1, F3: by any of its names a function gets another, and another description, word for word."""
    made = loaded(
        names={"listPets": "find_pets", "pets.getById": "one_pet", "DELETE /pets/{id}": "drop"},
        descriptions={"addPet": "Add a pet.\n\n@custom", "pets_getById": ""},
    )
    assert [function.name for function in made][:4] == ["find_pets", "pets_post", "one_pet", "drop"]
    assert made["POST /pets"].description == "Add a pet.\n\n@custom"
    assert made["one_pet"].description == ""
    assert made["find_pets"] is made["listPets"] is made["pets.get"]
    assert made.find("pets_get") is made["pets.get"]
    other = loaded()
    changed = [a.fingerprint != b.fingerprint for a, b in zip(made, other, strict=True)]
    assert changed == [True, True, True, True, False, False, False]


def test_a_given_name_is_selected_by() -> None:
    """F6: a selection looks at functions as they are called in the end."""
    made = loaded(names={"listPets": "first"}, select={"names": ["first", "addPet"]})
    assert [function.name for function in made] == ["first", "pets_post"]


def test_names_may_be_swapped() -> None:
    """F1: two functions may have each other's name."""
    made = loaded(names={"listPets": "pets_post", "addPet": "pets_get"})
    assert [function.name for function in made][:2] == ["pets_post", "pets_get"]


def test_a_long_description_is_cut_as_any() -> None:
    """F3: the limit is the caller's own, and the edit is recorded."""
    made = loaded(descriptions={"addPet": "One sentence. " * 9}, description_limit=40)["addPet"]
    assert made.description == "One sentence. One sentence."
    assert [edit.kind for edit in made.edits] == ["description"]


@pytest.mark.parametrize(
    ("options", "told"),
    [
        ({"names": {"listPet": "x"}}, "Options.names: there is no function 'listPet'; did you mean 'listPets'"),
        ({"descriptions": {"zzz": "x"}}, "Options.descriptions: there is no function 'zzz'.*there is 'pets_get', 'pets.get'"),
        ({"names": {"listPets": "x", "pets.get": "y"}}, "two keys for pets_get: 'listPets' and 'pets.get'"),
        ({"names": {"listPets": "pets_POST"}}, "'pets_POST' for GET /pets is already the name of POST /pets"),
        ({"names": {"listPets": "x", "addPet": "X"}}, "'X' for POST /pets is already the name of GET /pets"),
        ({"names": {"listPets": "find-pets"}}, "'find-pets' is not a legal name; use letters, digits and _"),
        ({"names": {"listPets": "1st"}}, "no digit first"),
        ({"names": {"listPets": "x" * 65}}, "at most 64"),
        ({"names": {"listPets": ""}}, "'' is not a legal name"),
    ],
)  # fmt: skip
def test_overrides_that_cannot_be_meant(options: Json, told: str) -> None:
    """F1: what is no function, named twice, not legal or taken is the caller's fault, and says what there is."""
    with pytest.raises(UsageError, match=told):
        loaded(**options)


def test_an_operation_id_of_two_functions_names_none() -> None:
    """F1: what may mean two functions is not guessed."""
    twice: Json = {
        **DOCUMENT,
        "paths": {"/a": {"get": operation("x")}, "/b": {"get": operation("x")}},
    }
    with pytest.raises(
        UsageError, match=r"'x' is ambiguous; it may mean a_get and b_get\. Use one of these names"
    ):
        load(twice, options=Options(names={"x": "y"}))


def test_overrides_reach_the_models_side() -> None:
    """S2: a separated function is called and described as the whole is."""
    made = loaded(names={"addPet": "add"}, descriptions={"addPet": "D"}, separate="files")["add"]
    assert made.separated
    assert (made.separated.function.name, made.separated.function.description) == ("add", "D")
