"""Settings of a prompt file: ``execution_settings`` in JSON or YAML (rule C1).

::

    execution_settings:
      default:
        model_id: any
        function_choice_behavior:
          type: auto
          functions: [lights.get]
          options: {allow_concurrent_invocation: true}
      my-service: {}

The settings of a service are merged member by member from the root, ``default``, the service's own entry and the
code. Later ones replace earlier ones. An explicit null removes a member.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

from specfn._internal.json import JSONDecodeError, JsonObject, loads
from specfn.calling.choice import Choice, parse_choice
from specfn.errors import DocumentError, UsageError
from specfn.validation.outcome import Success

#: The key of the choice, as the prompts of Semantic Kernel write it.
CHOICE: Final = "function_choice_behavior"

_SETTINGS: Final = "execution_settings"
_DEFAULT: Final = "default"


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """The settings of one request.

    Attributes:
        choice: the function choice; ``None`` if not set.
        model: the vendor's name of the model; ``None`` if not set.
        extra: all other members, for the request's body.
    """

    choice: Choice | None = None
    model: str | None = None
    extra: JsonObject = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class PromptSettings:
    """The settings of a prompt, by service.

    Attributes:
        root: the settings of all services.
        services: the settings of each service, by its id; ``default`` for services without an entry.
    """

    root: JsonObject = field(default_factory=dict)
    services: Mapping[str, JsonObject] = field(default_factory=dict)

    @classmethod
    def read(cls, source: "str | Path | Mapping[str, Any]") -> "PromptSettings":
        """Read and validate the settings of a prompt.

        Args:
            source: the text of a JSON or YAML document, or of a prompt that begins with YAML between lines of
                ``---``; or the parsed document.

        Raises:
            UsageError: it is not a mapping, or contains an invalid choice.
        """
        if isinstance(source, Path):
            raise UsageError(
                "`source` must be the text of a prompt, not a path: use PromptSettings.read(path.read_text())"
            )
        document = source if isinstance(source, Mapping) else _parse(source)
        settings = document.get(_SETTINGS, {})
        root = {CHOICE: document[CHOICE]} if CHOICE in document else {}
        if not isinstance(settings, Mapping):
            raise UsageError(
                f"{_SETTINGS} must be a mapping of services, not {type(settings).__name__}"
            )
        prompt = cls(root=root, services=_services(settings))
        for name in (_DEFAULT, *prompt.services):
            prompt.of(name)
        return prompt

    def of(
        self,
        service: str | None = None,
        *,
        model: str | None = None,
        code: Mapping[str, Any] | None = None,
    ) -> Settings:
        """Return the settings of one service.

        Args:
            service: the id of the service.
            model: the id of the model; its entry is used if the service has no entry.
            code: the settings of the code, which replace all others.

        Raises:
            UsageError: the merged choice is invalid.
        """
        named = (self.services.get(key) for key in (service, model) if key is not None)
        entry = next((candidate for candidate in named if candidate is not None), {})
        merged = merge_settings(self.root, self.services.get(_DEFAULT, {}), entry, code or {})
        behavior = merged.pop(CHOICE, None)
        name = merged.pop("model_id", None)
        return Settings(
            choice=None if behavior is None else parse_choice(behavior),
            model=name if isinstance(name, str) else None,
            extra=merged,
        )


def merge_settings(*layers: Mapping[str, Any]) -> JsonObject:
    """Merge settings member by member; later ones replace earlier ones, and an explicit null removes a member.

    Choices are merged by member, too, unless their types differ.
    """
    merged: JsonObject = {}
    for layer in layers:
        for key, value in layer.items():
            merged[key] = _merge_choice(merged.get(key), value) if key == CHOICE else value
    return {key: value for key, value in merged.items() if value is not None}


def _merge_choice(below: Any, above: Any) -> Any:
    """Merge a choice over another one."""
    plain = above.as_set() if isinstance(above, Choice) else above
    if not isinstance(below, Mapping) or not isinstance(plain, Mapping):
        return plain
    if plain.get("type", below.get("type")) != below.get("type"):
        return plain
    return {key: value for key, value in {**below, **plain}.items() if value is not None}


def _services(settings: Mapping[str, Any]) -> dict[str, JsonObject]:
    services = {}
    for name, entry in settings.items():
        if not isinstance(entry, Mapping):
            raise UsageError(f"{_SETTINGS}.{name} must be a mapping, not {type(entry).__name__}")
        services[str(name)] = {str(key): value for key, value in entry.items()}
    return services


def _parse(text: str) -> Mapping[str, Any]:
    try:
        document = loads(text)
    except JSONDecodeError:
        document = (
            _parse_leniently(text)
            if text.lstrip().startswith("{")
            else _parse_yaml(_front_matter(text))
        )
    if not isinstance(document, Mapping):
        raise UsageError(
            f"the settings of a prompt must be a mapping, not {type(document).__name__}"
        )
    return document


#: A line of dots, which marks an omission in a printed example.
_ELLIPSIS: Final = re.compile(r"^[ \t]*(?:\.{3}|…),?[ \t]*$", re.MULTILINE)


def _parse_leniently(text: str) -> Any:
    """Parse JSON with comments, trailing commas and lines of dots, else YAML in flow style."""
    from specfn.validation.parse import parse  # noqa: PLC0415  # few prompts need it

    outcome = parse(_ELLIPSIS.sub("", text))
    if isinstance(outcome, Success) and not outcome.incomplete:
        return outcome.data
    return _parse_yaml(text)


def _front_matter(text: str) -> str:
    """Return the YAML between lines of ``---`` before a prompt's text, as Prompty writes it."""
    if not text.startswith("---"):
        return text
    return text[3:].partition("\n---")[0]


def _parse_yaml(text: str) -> Any:
    from specfn.document.read.yaml import parse  # noqa: PLC0415 - libyaml only for YAML

    try:
        return parse(text).value
    except DocumentError as error:
        raise UsageError(f"the prompt's settings are neither JSON nor YAML: {error}") from None
