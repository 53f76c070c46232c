"""Connectors: the profile and the wire format of each vendor, one module per vendor.

``codec(name)`` returns a vendor's wire format, and ``profile(name)`` the rules for its tools. Both are imported on
first use.
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
