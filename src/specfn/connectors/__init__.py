"""What each vendor accepts and how it writes things down: one file per vendor.

``codec(name)`` is a vendor's wire format, ``profile(name)`` what it accepts of tools; both are imported when they are
first used.
"""

TYPE_CHECKING = False

if TYPE_CHECKING:
    from specfn.connectors.codecs import codec
    from specfn.connectors.registry import profile
else:
    _HOMES = {"codec": "codecs", "profile": "registry"}

    def __getattr__(name: str) -> object:
        home = _HOMES.get(name)
        if home is None:
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}", name=name)
        from importlib import import_module  # noqa: PLC0415  # not before a name is used

        return getattr(import_module(f"{__name__}.{home}"), name)


__all__ = ["codec", "profile"]
