"""Check of the examples and defaults of a document against its own schemas (rule V5)."""

from collections.abc import Iterator, Sequence
from typing import Any, Final

from specfn._internal.json import JsonObject, dumps
from specfn.document.examples import Example, examples
from specfn.document.normalize import normalize, version
from specfn.errors import DocumentError
from specfn.records import ABSENT, ArgumentProblem, Note
from specfn.schema.compose.definitions import Definitions
from specfn.schema.compose.polymorphism import Family
from specfn.validation.validate import Validator

#: The component that holds the schemas of all examples; more is added where a document has it.
_NAME: Final = "(examples)"

#: The maximum number of schemas in one validator. They share definitions, but each value is tested against all of them.
_TOGETHER: Final = 500

#: The maximum number of characters of a value in a note.
_SHOWN: Final = 80

#: The maximum number of problems of one example in a note.
_MAX_PROBLEMS: Final = 3


def example_faults(document: JsonObject) -> Iterator[Note]:
    """Find the examples and defaults of a raw document that are invalid, in the order of the document.

    Examples are for requests and responses alike: ``readOnly`` and ``writeOnly`` properties are allowed.
    """
    listed = list(examples(document))
    schemas = list(dict.fromkeys(example.schema for example in listed))
    keys = {pointer: str(index) for index, pointer in enumerate(schemas)}
    judge = _ExampleValidator(*_compose_examples(document, schemas))
    for example in listed:
        text = judge.fault(keys[example.schema], example)
        if text is not None:
            yield Note(pointer=example.pointer, text=text)


def _compose_examples(
    document: JsonObject, pointers: Sequence[str]
) -> tuple[JsonObject, Definitions]:
    """Return the composed schemas at some pointers of a raw document, and their definitions.

    The key of each schema is the index of its pointer.
    """
    raw, name = _with_component(document, pointers)
    schemas = normalize(raw).document["components"]["schemas"]
    definitions = Definitions(schemas, None, Family(schemas))
    members = schemas[name]["properties"]
    return {key: _look(definitions, node) for key, node in members.items()}, definitions


def _look(definitions: Definitions, node: Any) -> Any:
    """Return the composed schema of a normalized one, without a reference at its root."""
    composed = definitions.compose(node)
    if isinstance(composed, dict) and composed.keys() == {"$ref"}:
        name = definitions.name_of(composed["$ref"])
        return composed if name is None else definitions[name]
    return composed


def _with_component(document: JsonObject, pointers: Sequence[str]) -> tuple[JsonObject, str]:
    """Return the document with a component that refers to the places, and its name."""
    members = {str(index): {"$ref": f"#{pointer}"} for index, pointer in enumerate(pointers)}
    node = {"type": "object", "properties": members}
    if version(document) == "2.0":
        definitions, name = _add_component(document.get("definitions"), node)
        return {**document, "definitions": definitions}, name
    components = document.get("components")
    components = components if isinstance(components, dict) else {}
    schemas, name = _add_component(components.get("schemas"), node)
    return {**document, "components": {**components, "schemas": schemas}}, name


def _add_component(schemas: Any, node: JsonObject) -> tuple[JsonObject, str]:
    known = schemas if isinstance(schemas, dict) else {}
    name = _NAME
    while name in known:
        name += "'"
    return {**known, name: node}, name


class _ExampleValidator:
    """A validator of examples."""

    def __init__(self, composed: JsonObject, definitions: Definitions) -> None:
        self._compose_examples = composed
        self._definitions = definitions
        self._validators: dict[str, Validator | DocumentError] = {}
        keys = list(composed)
        for start in range(0, len(keys), _TOGETHER):
            self._compile(keys[start : start + _TOGETHER])

    def _compile(self, keys: list[str]) -> None:
        """Compile the schemas of some keys, in halves if one of them is not a schema."""
        properties = {key: self._compose_examples[key] for key in keys}
        schema = {
            "properties": properties,
            "$defs": self._definitions.reachable([*properties.values()]),
        }
        validator = Validator(schema)
        try:
            validator.compile()
        except DocumentError as error:
            if len(keys) > 1:
                half = len(keys) // 2
                self._compile(keys[:half])
                self._compile(keys[half:])
            else:
                self._validators[keys[0]] = error
        else:
            self._validators.update(dict.fromkeys(keys, validator))

    def fault(self, key: str, example: Example) -> str | None:
        """Return the fault of an example; ``None`` if it is valid."""
        validator = self._validators[key]
        keyword = "default" if example.pointer.endswith("/default") else "example"
        if isinstance(validator, DocumentError):
            return f"the {keyword} cannot be checked: {validator.reason}"
        value = {key: example.value}
        if validator.is_valid(value):
            return None
        problems = validator.problems(value)
        texts = [
            _describe_problem(problem, f'$input["{key}"]') for problem in problems[:_MAX_PROBLEMS]
        ]
        more = (
            f"; and {len(problems) - _MAX_PROBLEMS:,} more" if len(problems) > _MAX_PROBLEMS else ""
        )
        return f"its schema refuses the {keyword}: {'; '.join(texts)}{more}"


def _describe_problem(problem: ArgumentProblem, root: str) -> str:
    """Return the text of one problem of an example, with the place within it."""
    place = problem.path.removeprefix(root)
    at = f"at {place}: " if place else ""
    if problem.expected == "undefined":
        return f"{at}{problem.description or 'no value is allowed here.'}".rstrip(".")
    fault = "but it is missing" if problem.value is ABSENT else f"found {_short(problem.value)}"
    return f"{at}expected {problem.expected.removesuffix(' | undefined')}, {fault}"


def _short(value: Any) -> str:
    try:
        text = dumps(value).decode()
    except (TypeError, ValueError):  # an integer too long to be written
        return type(value).__name__
    return text if len(text) <= _SHOWN else f"{text[: _SHOWN - 1]}…"
