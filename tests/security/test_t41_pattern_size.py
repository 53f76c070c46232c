"""T41: a small document must not cost much memory: the engine writes out each copy of a class of characters."""

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from jsonschema_rs import Draft202012Validator, RegexOptions
from tests.effort import ends, examples

import specfn
from specfn.schema.patterns.cost import (
    MAX_APPLICATION_BYTES,
    MAX_FUNCTION_BYTES,
    MAX_PATTERN_BYTES,
    bytes_of_function,
    measure,
)
from specfn.schema.patterns.ecma import read
from specfn.schema.patterns.engine import classify
from specfn.schema.patterns.to_rust import to_rust
from specfn.validation.compile.memory import BYTES_OF_NODE, CompiledMemory
from specfn.validation.validate import Validator

#: The memory of a process that loads a document and validates arguments, in bytes. 40 patterns needed 4 GB before.
MEMORY = 400 << 20

SCRIPT = """
import resource
resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
import specfn
for document in GIVEN:
    function = specfn.load(document).functions[0]
    for value in ("é" * 300, "1" * 300):
        outcome = function.check({"body": dict.fromkeys(map(str, range(40)), value)})
        assert outcome or outcome.feedback()
print("alive", len(GIVEN), end="")
"""


def document(patterns: list[str], operations: int = 1) -> Any:
    """A document whose functions have a body with a property for each pattern."""
    properties = {
        str(index): {"type": "string", "pattern": each} for index, each in enumerate(patterns)
    }
    schema = {"type": "object", "properties": properties}
    operation = {
        "requestBody": {"content": {"application/json": {"schema": schema}}},
        "responses": {"204": {"description": "done"}},
    }
    return {
        "openapi": "3.1.0",
        "info": {"title": "a", "version": "1"},
        "paths": {f"/{index}": {"post": operation} for index in range(operations)},
    }


def functions_with(patterns: list[str], operations: int = 1) -> Any:
    """The functions of a document whose bodies have a property for each pattern."""
    return specfn.load(document(patterns, operations)).functions


def bytes_of(patterns: Any) -> int:
    """The estimated bytes of patterns."""
    return sum(measure(read(pattern)).size for pattern in patterns)


def is_within(spelled: str, size: int) -> bool:
    """Whether the engine compiles a pattern within a number of bytes."""
    options = RegexOptions(size_limit=size, dfa_size_limit=size)
    try:
        Draft202012Validator({"pattern": spelled}, pattern_options=options)
    except ValueError:
        return False
    return True


def test_many_patterns_need_little_memory() -> None:
    """T41: however many large patterns a function has, in whatever form, it is loaded, validated and explained in 400 MB."""
    forms = [
        r"[\p{L}]{1,1000}TAIL",
        r"\p{L}{1,20}TAIL",
        r"(\p{L}{1,5}TAIL){1,4}",
        r"(?=\p{L}{20})TAIL",
        r"(?i)[\u0100-\uffff]{1,300}TAIL",
        r"[^TAIL]{1,900}",
        r"([\u0100\u0200\u0300\u0400\u0500\u0600\u0700\u0800\u0900]{9}TAIL){1,90}",
    ]
    given = [
        document([form.replace("TAIL", "x" * index) for index in range(1, 41)]) for form in forms
    ]
    assert ends(f"MEMORY = {MEMORY}", f"GIVEN = {given!r}", SCRIPT) == f"alive {len(given)}"


#: Single characters, classes and properties, with the number of their copies.
RANGES = st.lists(
    st.tuples(st.integers(0x21, 0x10FFFF), st.integers(0, 0x5000)), min_size=1, max_size=8
)
COUNTS = st.integers(1, 2_000)
PROPERTIES = st.sampled_from(
    "L Lu Ll Lo M N Nd P S Z Cc ASCII Any Cn Alphabetic Grapheme_Base".split()
)


def spelled_class(ranges: list[tuple[int, int]], *, negated: bool) -> str:
    """A class of ranges of code points, each with its first one and its length."""
    parts = "".join(
        f"\\u{{{first:x}}}-\\u{{{min(first + more, 0x10FFFF):x}}}"
        for first, more in ranges
        if not (first <= 0xDFFF and first + more >= 0xD800)
    )
    return f"[{'^' if negated else ''}{parts or 'a'}]"


ATOMS = st.one_of(
    st.builds(spelled_class, RANGES, negated=st.booleans()),
    st.builds(lambda name, letter: rf"\{letter}{{{name}}}", PROPERTIES, st.sampled_from("pP")),
    st.sampled_from([".", r"\S", "a", "é", "(?:ab|cd)", "(a)", "[^a]", "[a-z0-9]", r"\p{L}x?"]),
)


@settings(deadline=None, max_examples=examples(60))
@given(ATOMS, COUNTS, st.booleans(), st.booleans())
def test_the_estimate_is_that_of_the_engine(
    atom: str,
    count: int,
    is_range: bool,  # noqa: FBT001  # given by Hypothesis
    ignore_case: bool,  # noqa: FBT001  # given by Hypothesis
) -> None:
    """T41: a large pattern needs at most twice the estimated bytes in the engine, and what is run the engine reads."""
    pattern = f"{'(?i)' if ignore_case else ''}(?:{atom}){{{'0,' if is_range else ''}{count}}}"
    size = measure(read(pattern)).size
    assert is_within(to_rust(pattern), 2 * size + 20_000)
    if size <= MAX_PATTERN_BYTES:
        assert Validator({"pattern": pattern}).is_valid(5)


@pytest.mark.parametrize("copies", [3, 7, 20])
def test_a_function_has_one_budget(copies: int) -> None:
    """T41: of the patterns of one function, as many are run as have room together, the smallest first."""
    patterns = [rf"^\p{{L}}{{1,{copies}}}x{{{index}}}$" for index in range(1, 61)]
    [function] = functions_with(patterns)
    dropped = set(function.schemas.validator.unchecked)
    kept = [pattern for pattern in patterns if pattern not in dropped]
    assert kept
    assert bytes_of(kept) <= MAX_FUNCTION_BYTES
    if dropped:
        assert bytes_of(kept) + min(map(bytes_of, ([one] for one in dropped))) > MAX_FUNCTION_BYTES
        assert max(bytes_of([one]) for one in kept) <= min(bytes_of([one]) for one in dropped)


@pytest.mark.parametrize("operations", [1, 100, 400])
def test_an_application_has_one_budget(operations: int) -> None:
    """T41: the functions of an application share its budget, and each has room for one pattern of any size."""
    patterns = [rf"^\p{{L}}{{1,20}}x{{{index}}}$" for index in range(1, 9)]
    functions = functions_with(patterns, operations)
    room = bytes_of_function(operations)
    assert room * operations <= max(MAX_APPLICATION_BYTES, MAX_PATTERN_BYTES * operations)
    for function in (functions[0], functions[-1]):
        dropped = function.schemas.validator.unchecked
        assert 0 < bytes_of({*patterns} - {*dropped}) <= room


def test_patterns_count_in_the_memory_of_compiled_schemas(monkeypatch: pytest.MonkeyPatch) -> None:
    """T41: a compiled schema counts with what its patterns need, so large ones are released sooner."""
    memory = CompiledMemory()
    monkeypatch.setattr("specfn.validation.validate.MEMORY", memory)
    patterns = [rf"^\p{{L}}{{1,20}}x{{{index}}}$" for index in range(1, 9)]
    [function] = functions_with(patterns)
    kept = {*patterns} - {*function.schemas.validator.unchecked}
    assert kept
    assert memory.nodes >= bytes_of(kept) // BYTES_OF_NODE


def test_the_same_patterns_are_run_in_any_order() -> None:
    """T41: which patterns are run depends on the document, and not on the order of its properties or of the calls."""
    patterns = [rf"^\p{{L}}{{1,20}}x{{{index}}}$" for index in range(1, 9)]
    [function] = functions_with(patterns)
    [other] = functions_with(patterns[::-1])
    assert {*function.schemas.validator.unchecked} == {*other.schemas.validator.unchecked}


@pytest.mark.parametrize(
    ("pattern", "reason"),
    [
        ("((((", "not a regular expression"),
        (r"\p{Nothing}", "the engine cannot read it"),
        (r"[\p{L}]{1,1000}", "needs more than 1 MiB"),
    ],
)
@pytest.mark.parametrize(
    "schema",
    [
        lambda pattern: {"type": "string", "pattern": pattern},
        lambda pattern: {"type": "object", "patternProperties": {pattern: {"type": "string"}}},
        lambda pattern: {"not": {"pattern": pattern}},
        lambda pattern: {"type": "array", "items": {"type": "string", "pattern": pattern}},
    ],
    ids=["pattern", "names", "negated", "items"],
)
def test_what_is_not_run_is_noted(pattern: str, reason: str, schema: Any) -> None:
    """T41: a pattern that is not run has a note with the reason, and no edit claims that validation enforces it."""
    declared = document([])
    body = declared["paths"]["/0"]["post"]["requestBody"]["content"]["application/json"]
    body["schema"] = {"type": "object", "properties": {"a": schema(pattern)}}
    application = specfn.load(declared)
    [function] = application.functions
    assert function.schemas.validator.unchecked == (pattern,)
    [note] = [each.text for each in function.notes if "does not run" in each.text]
    assert reason in note
    tools = [
        application.tools(profile).tool(function.name) for profile in ("openai-strict", "gemini")
    ]
    edits = [*function.edits, *(edit for tool in tools for edit in tool.edits)]
    reasons = [edit.reason for edit in edits if edit.reason.startswith(("pattern", "not is"))]
    assert not any("validation enforces it" in reason for reason in reasons)


def test_what_is_run_has_no_note() -> None:
    """T41: an ordinary pattern has no note, and a pattern that is only described is kept."""
    [function] = functions_with([r"^\d{4}$", r"^\p{L}+$", r"^(?!x).{1,64}$"])
    assert function.schemas.validator.unchecked == ()
    assert not any("does not run" in note.text for note in function.notes)
    kept = [edit.reason for edit in function.edits if edit.kind == "constraint"]
    assert kept
    assert all("validation enforces it" in reason for reason in kept)


def test_a_pattern_is_classified_without_the_engine() -> None:
    """T41: a pattern is refused for its size before the engine compiles it."""
    verdict = classify(r"(\p{L}{1,999}){1,999}")
    assert verdict.kind == "refused"
    assert verdict.size > MAX_PATTERN_BYTES
