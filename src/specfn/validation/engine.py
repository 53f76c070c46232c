"""The engine: jsonschema-rs, told to stay off the network and off the machine's limits (rules V1, V5)."""

from collections.abc import Sequence
from typing import Any

from specfn._json import JsonObject
from specfn._pointer import join
from specfn.errors import DocumentError
from specfn.validation.formats import OWN
from specfn.validation.patterns import regex_options
from specfn.validation.prepare import HOME, Prepared


def compile_whole(prepared: Prepared) -> Any:
    """Compile a whole schema; the engine's ``is_valid`` is the verdict.

    Raises:
        DocumentError: it is not a schema.
    """
    from jsonschema_rs import Draft202012Validator, ValidationError  # noqa: PLC0415 - 24 ms, first use

    try:
        return Draft202012Validator(prepared.schema, **_options())
    except ValidationError as error:
        pointer = _pointer(prepared, error.instance_path)
        reason = f"not a JSON Schema: {_first_line(error)}"
    except (ValueError, TypeError, OverflowError) as error:
        pointer, reason = "", f"not a JSON Schema: {_first_line(error)}"
    raise DocumentError(reason, pointer=pointer)


class Workshop:
    """Compiles parts of a prepared schema, each once, when they are first needed for a report."""

    def __init__(self, prepared: Prepared) -> None:
        """Make the definitions known under their name."""
        from jsonschema_rs import Draft202012, Registry  # noqa: PLC0415 - loaded already

        self._registry = Registry([(HOME, prepared.schema)], draft=Draft202012)
        self._verdicts: dict[int, Any] = {}

    def compile(self, schema: JsonObject) -> Any:
        """Compile a schema that may refer to the definitions."""
        from jsonschema_rs import Draft202012Validator  # noqa: PLC0415 - likewise

        return Draft202012Validator(schema, registry=self._registry, **_options())

    def accepts(self, node: Any, value: Any) -> bool:
        """Whether a node of the prepared schema accepts a value."""
        if not isinstance(node, dict):
            return node is not False
        engine = self._verdicts.get(id(node))
        if engine is None:
            engine = self._verdicts[id(node)] = self.compile(node)
        return bool(engine.is_valid(value))


def _options() -> dict[str, Any]:
    return {
        "offline": True,
        "validate_formats": True,
        "formats": dict(OWN),
        "pattern_options": regex_options(),
    }


def _pointer(prepared: Prepared, place: Sequence[str | int]) -> str:
    """A place in the prepared schema as one in the given schema."""
    if len(place) < 2:
        return ""
    return prepared.keys[int(place[1])] + join(place[2:])


def _first_line(error: Exception) -> str:
    try:
        text = str(error)
    except ValueError:  # an integer too long to be written
        return type(error).__name__
    return text.partition("\n")[0][:300]
