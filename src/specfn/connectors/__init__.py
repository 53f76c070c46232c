"""What each vendor accepts and how it writes things down: one file per vendor.

``codec(name)`` is a vendor's wire format, ``profile(name)`` what it accepts of tools; both are imported when they are
first used.
"""

TYPE_CHECKING = False

if TYPE_CHECKING:
    from specfn.connectors.registry import codec, profile
else:

    def __getattr__(name: str) -> object:
        if name not in __all__:
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}", name=name)
        from specfn.connectors import registry  # noqa: PLC0415  # not before a name is used

        return getattr(registry, name)


__all__ = ["codec", "profile"]
