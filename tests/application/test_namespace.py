"""Functions called by their accessors, as in code."""

import asyncio
import keyword
import pickle
from typing import Any

import httpx
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.application.test_bind import answering, application

from specfn import Connection
from specfn.calling import CallError

PATHS: dict[str, Any] = {
    "/pets": {"get": {}, "post": {"requestBody": {"content": {"application/json": {}}}}},
    "/pets/{id}": {"get": {}},
    "/global/pets": {"get": {}},
    "/repr/class/x": {"get": {}},
}


def test_functions_are_called_by_their_accessors() -> None:
    """An accessor is an attribute path; the call has the same checks as under the name of the function."""
    shop = answering()
    bound = application(PATHS).bind(shop.connection())
    api = bound.namespace()
    assert api.pets.getById is bound["pets_getById"]
    api.pets.getById(id="7")
    assert shop.requests[0].url.path == "/pets/7"
    assert "❌" in api.pets.getById()
    assert "waits for the approval" in api.pets.post(body={})
    assert len(shop.requests) == 1


def test_keywords_have_a_trailing_underscore() -> None:
    """A keyword of Python gets ``_``; ``getattr`` also takes the element of the accessor."""
    bound = application(PATHS).bind(answering().connection())
    api = bound.namespace()
    assert api.global_.pets.get is bound["global.pets.get"]
    assert getattr(api, "global").pets.get is bound["global.pets.get"]
    assert dir(api) == ["global_", "pets", "repr"]
    assert [*api] == ["pets", "global_", "repr"]
    assert repr(api.pets) == "<Namespace get, post, getById>"


def test_an_unknown_attribute_lists_the_known_ones() -> None:
    """A wrong name is an AttributeError that lists the names at this place."""
    api = application(PATHS).bind(answering().connection()).namespace()
    with pytest.raises(AttributeError, match="no 'pet' here; there are pets, global_, repr"):
        api.pet  # noqa: B018  # the access raises
    with pytest.raises(AttributeError, match="read-only"):
        api.pets = 1


def test_only_selected_functions_are_in_the_namespace() -> None:
    """Functions that are not bound are not reached."""
    api = application(PATHS).bind(answering().connection(), select="pets_get").namespace()
    assert dir(api) == ["pets"]
    assert dir(api.pets) == ["get"]


def test_calls_return_data_or_raise() -> None:
    """With ``data=True``, a success is its data; any other outcome is an exception with the answer, and its text."""
    bound = application(PATHS).bind(answering().connection())
    api, texts = bound.namespace(data=True), bound.namespace()
    expected = bound["pets_getById"].outcome({"id": "7"})
    assert expected.result is not None
    assert api.pets.getById(id="7") == expected.result.data
    assert dir(api) == dir(texts)
    assert api.pets.getById.parameters == texts.pets.getById.parameters
    for call, kind in ((api.pets.getById, "invalid"), (api.pets.post, "needs_approval")):
        with pytest.raises(CallError) as caught:
            call()
        assert caught.value.answer.kind == kind
        assert str(caught.value) == caught.value.answer.text
        assert pickle.loads(pickle.dumps(caught.value)).answer == caught.value.answer
    with pytest.raises(CallError, match="❌"):
        asyncio.run(api.pets.getById.acall())


@given(status=st.integers(200, 599), body=st.dictionaries(st.text(max_size=3), st.integers()))
def test_only_a_success_is_data(status: int, body: dict[str, int]) -> None:
    """A status within 2xx returns the data; any other status raises with the result of the server."""
    respond = httpx.MockTransport(lambda _: httpx.Response(status, json=body))
    connection = Connection(base_url="http://shop.example", client=httpx.Client(transport=respond))
    api = application(PATHS).bind(connection).namespace(data=True)
    if status < 300:
        assert api.pets.get() == body
        return
    with pytest.raises(CallError) as caught:
        api.pets.get()
    assert caught.value.answer.result is not None
    assert caught.value.answer.result.status == status


_ELEMENT = st.from_regex(r"[A-Za-z_][A-Za-z0-9_]{0,6}", fullmatch=True) | st.sampled_from(
    [*keyword.kwlist, "class_", "class__", "__class__", "__dict__", "__init__", "mro"]
)


@given(st.sets(_ELEMENT, min_size=1))
def test_each_function_is_reached(elements: set[str]) -> None:
    """Each element has one legal name in Python, which reaches its function and keeps its spelling if it can."""
    app = application({f"/{name}": {"get": {}} for name in elements})
    bound = app.bind(Connection())
    api = bound.namespace()
    names = dir(api)
    assert all(name.isidentifier() and not keyword.iskeyword(name) for name in names)
    assert {getattr(api, name).get for name in names} == {*bound.values()}
    firsts = {function.accessor[0] for function in app}
    assert len(names) == len(firsts)
    own = {name for name in firsts if not keyword.iskeyword(name) and not hasattr(object, name)}
    assert own <= {*names}
