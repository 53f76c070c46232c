"""A conversation in which a model calls functions, for any model.

>>> from specfn import calling
>>> outcome = calling.run(app, send, connector=connector, messages="List the pets", connection=to_shop)

The names of this module are imported when they are first used.
"""

TYPE_CHECKING = False

if TYPE_CHECKING:
    from specfn.calling.approval import Approve, Defer, Deny
    from specfn.calling.catalog import Catalog, NamePolicy
    from specfn.calling.choice import Auto, NoCall, Required, parse_choice, register_choice
    from specfn.calling.config import InvocationConfig
    from specfn.calling.drive import arun, run
    from specfn.calling.outcome import Outcome
    from specfn.calling.prompt_files import PromptSettings
    from specfn.calling.resolve import Resolution
    from specfn.calling.session import Session
else:
    _HOMES = {
        "Approve": "approval",
        "Auto": "choice",
        "Catalog": "catalog",
        "Defer": "approval",
        "Deny": "approval",
        "InvocationConfig": "config",
        "NamePolicy": "catalog",
        "NoCall": "choice",
        "Outcome": "outcome",
        "PromptSettings": "prompt_files",
        "Required": "choice",
        "Resolution": "resolve",
        "Session": "session",
        "arun": "drive",
        "parse_choice": "choice",
        "register_choice": "choice",
        "run": "drive",
    }

    def __getattr__(name: str) -> object:
        home = _HOMES.get(name)
        if home is None:
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}", name=name)
        from importlib import import_module  # noqa: PLC0415  # not before a name is used

        value = getattr(import_module(f"{__name__}.{home}"), name)
        globals()[name] = value
        return value

    def __dir__() -> list[str]:
        return sorted({*globals(), *__all__})


__all__ = [
    "Approve",
    "Auto",
    "Catalog",
    "Defer",
    "Deny",
    "InvocationConfig",
    "NamePolicy",
    "NoCall",
    "Outcome",
    "PromptSettings",
    "Required",
    "Resolution",
    "Session",
    "arun",
    "parse_choice",
    "register_choice",
    "run",
]
