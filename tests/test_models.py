from collections.abc import Callable
from typing import Any

import pydantic
import pytest
from hypothesis import given
from hypothesis import strategies as st

import specfn
from specfn import calling
from specfn._internal.settings_model import Model
from specfn.http.connection import Timeout

CANARY = "c4n4ry"

#: The records that a caller configures.
MODELS: dict[str, type[Model]] = {
    "Options": specfn.Options,
    "Connection": specfn.Connection,
    "Timeout": Timeout,
    "InvocationConfig": calling.InvocationConfig,
    "Auto": calling.Auto,
    "Required": calling.Required,
    "NoCall": calling.NoCall,
    "ChoiceOptions": calling.ChoiceOptions,
    "Filters": calling.Filters,
}

#: Records inside records: the arguments with a mistyped name, and the text of the error.
NESTED = [
    (
        specfn.Options,
        {"route_maps": []},
        'Options has no field \'route_maps\'; write select={"tags": [...], "without": {"paths": [...]}}',
    ),
    (
        specfn.Options,
        {"select": {"without": {"tag": ["a"]}}},
        "Options.select.without has no field 'tag'; did you mean 'tags'?",
    ),
    (
        specfn.Connection,
        {"timeout": {"conect": 1}},
        "Connection.timeout has no field 'conect'; did you mean 'connect'?",
    ),
    (
        calling.Auto,
        {"options": {"allow_paralel_calls": True}},
        "Auto.options has no field 'allow_paralel_calls'; did you mean 'allow_parallel_calls'?",
    ),
]


@pytest.mark.parametrize("name", MODELS)
@given(data=st.data())
def test_a_mistyped_field_is_a_usage_error(name: str, data: st.DataObject) -> None:
    """A field with one letter left out raises UsageError with the right name and no value, however it is passed."""
    model = MODELS[name]
    right = data.draw(st.sampled_from([each for each in model.model_fields if len(each) > 3]))
    at = data.draw(st.integers(0, len(right) - 1))
    mistyped = right[:at] + right[at + 1 :]
    if mistyped in model.model_fields:
        return
    for build in (
        lambda: model(**{mistyped: CANARY}),
        lambda: model.model_validate({mistyped: CANARY}),
    ):
        with pytest.raises(specfn.UsageError) as caught:
            build()
        text = str(caught.value)
        start = f"{name} has no field {mistyped!r}; "
        if mistyped == "server":  # another name of the base URL, which has a text of its own
            assert text == f'{start}write base_url="https://..."'
        else:
            assert text.startswith(f"{start}did you mean ")
            assert repr(right) in text
        assert CANARY not in text
        assert caught.value.__context__ is None


@pytest.mark.parametrize(("model", "wrong", "text"), NESTED)
def test_a_mistyped_field_inside_a_field(
    model: type[Model], wrong: dict[str, Any], text: str
) -> None:
    """The path to a mistyped field is in the error, with the closest name there."""
    with pytest.raises(specfn.UsageError) as caught:
        model(**wrong)
    assert str(caught.value) == text


def test_an_invalid_value_is_a_usage_error() -> None:
    """A value that a field does not take raises UsageError with the field's path; at most five are listed."""
    with pytest.raises(specfn.UsageError, match=r"^Options\.max_length: must be greater"):
        specfn.Options(max_length=1)
    wrong: dict[str, Any] = dict.fromkeys(
        ["headers", "cookies", "dialect", "names", "safety", "formats"], 0
    )
    with pytest.raises(specfn.UsageError, match=r"; and 1 more$"):
        specfn.Options(**wrong)
    with pytest.raises(specfn.UsageError, match="Options: Invalid JSON"):
        specfn.Options.model_validate_json("{")


@pytest.mark.parametrize(
    ("model", "wrong", "text"),
    [
        (
            specfn.Options,
            {"separate": "secret"},
            "separate.0: must be 'files' or 'secrets', or callable",
        ),
        (specfn.Options, {"references": 5}, "references: must be a valid string, or a valid tuple"),
        (specfn.Connection, {"before": 5}, "before: must be callable"),
    ],
)
def test_the_members_of_a_union_are_reported_together(
    model: type[Model], wrong: dict[str, Any], text: str
) -> None:
    """A field that takes several types has one text, without pydantic's names of the types."""
    with pytest.raises(specfn.UsageError) as caught:
        model(**wrong)
    assert str(caught.value) == f"{model.__name__}.{text}"


def test_in_a_model_of_the_caller_faults_are_collected() -> None:
    """In a pydantic model of the caller, a record's faults are part of the caller's ValidationError, with their places."""

    class Service(pydantic.BaseModel):
        options: specfn.Options
        retries: int

    with pytest.raises(pydantic.ValidationError) as caught:
        Service.model_validate({"options": {"kyword": True}, "retries": "many"})
    assert [fault["loc"] for fault in caught.value.errors()] == [
        ("options", "kyword"),
        ("retries",),
    ]
    assert (
        Service.model_validate({"options": {"keyword": False}, "retries": 1}).options.keyword
        is False
    )


@given(st.lists(st.sampled_from(["https://a.example", "https://b.example"]), max_size=3))
def test_any_sequence_is_accepted_and_stored_as_a_tuple(texts: list[str]) -> None:
    """A list and a tuple of texts make equal records, and the record does not change with the list."""
    for model, field in (
        (specfn.Connection, "origins"),
        (specfn.Options, "references"),
        (calling.InvocationConfig, "allow"),
        (calling.Auto, "functions"),
        (calling.Filters, "included_functions"),
    ):
        given_texts = [*texts]
        record = model.model_validate({field: given_texts})
        given_texts.append("https://c.example")
        assert getattr(record, field) == tuple(texts)
        assert record == model.model_validate({field: tuple(texts)})


@pytest.mark.parametrize(
    ("make", "text"),
    [
        (
            lambda: specfn.Options(nameing="path"),  # type: ignore[call-arg]
            "Options has no field 'nameing'; did you mean 'naming' or 'names' or 'paging'?",
        ),
    ],
)
def test_the_text_of_a_mistyped_option(make: Callable[[], object], text: str) -> None:
    """The whole text of the error: the record, the unknown name and the closest names."""
    with pytest.raises(specfn.errors.UsageError) as error:
        make()
    assert str(error.value) == text


CHANGES: list[tuple[Model, dict[str, Any]]] = [
    (specfn.Connection(base_url="https://a.example", timeout=5), {"validate_response": "rais"}),
    (specfn.Connection(base_url="https://a.example"), {"credential": {"key": "k"}}),
    (specfn.Connection(), {"base_url": "localhost:8123"}),
    (specfn.Connection(credentials={"key": "k"}), {"credentials": "tok"}),
    (specfn.Options(keyword=False), {"separate": "secret"}),
    (calling.InvocationConfig(), {"max_rounds": "many"}),
]


@pytest.mark.parametrize(("record", "change"), CHANGES, ids=str)
def test_a_changed_copy_is_validated(record: Model, change: dict[str, Any]) -> None:
    """``model_copy(update=...)`` refuses what the constructor refuses, with the same text."""
    with pytest.raises(specfn.UsageError) as caught:
        type(record)(**change)
    with pytest.raises(specfn.UsageError) as again:
        record.model_copy(update=change)
    assert str(again.value) == str(caught.value)


@given(
    timeout=st.integers(1, 99),
    credentials=st.dictionaries(st.sampled_from("ab"), st.text(min_size=1)),
    retries=st.integers(0, 3),
)
def test_a_changed_copy_equals_a_new_record(
    timeout: int, credentials: dict[str, str], retries: int
) -> None:
    """A copy with changes equals a record that is made with them, and the original is unchanged."""
    before = specfn.Connection(base_url="https://a.example", credentials={"c": "d"}, timeout=7)
    change = {"timeout": timeout, "credentials": credentials, "retries": retries}
    changed = before.model_copy(update=change)
    assert changed == specfn.Connection(base_url="https://a.example", **change)
    assert before == specfn.Connection(
        base_url="https://a.example", credentials={"c": "d"}, timeout=7
    )
