"""Rewrites of types, null and constants of a schema for OpenAPI 3.0 (rule N9)."""

from typing import Final

from specfn._internal.json import JsonObject, dumps
from specfn.document.downgrade.draft import Rewrite, SchemaDraft, SchemaWalk
from specfn.document.upgrade.keywords import NUMERIC_FORMATS

#: Keywords that apply other schemas to the same value; null may be invalid in any of them.
_APPLICATORS: Final = ("allOf", "anyOf", "oneOf", "not")

_ANNOTATIONS: Final = frozenset(
    "title description default deprecated readOnly writeOnly example externalDocs xml".split()
)

#: Keywords that constrain values of one type only.
_BY_TYPE: Final[dict[str, tuple[str, ...]]] = {
    "array": ("items", "minItems", "maxItems", "uniqueItems"),
    "boolean": (),
    "integer": ("minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf"),
    "number": ("minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf"),
    "object": (
        *("properties", "required", "additionalProperties"),
        *("minProperties", "maxProperties"),
    ),
    "string": ("minLength", "maxLength", "pattern"),
}

#: The format for each ``contentEncoding``.
_ENCODINGS: Final = {"base64": "byte", "base64url": "base64url"}


def null() -> JsonObject:
    """Return a schema of null alone, which every interpretation of ``nullable`` reads the same way."""
    return {"type": "string", "nullable": True, "enum": [None]}


# -- values ---------------------------------------------------------------------------------------


def _bounds(_: SchemaWalk, draft: SchemaDraft) -> None:
    """Write exclusive bounds as the flags of 3.0, where they are the tighter bounds."""
    out = draft.out
    for exclusive, bound, sign in (
        ("exclusiveMinimum", "minimum", 1),
        ("exclusiveMaximum", "maximum", -1),
    ):
        if exclusive in out:
            value = out.pop(exclusive)
            if bound not in out or sign * value >= sign * out[bound]:
                out[bound], out[exclusive] = value, True


def _const(_: SchemaWalk, draft: SchemaDraft) -> None:
    value = draft.out.pop("const")
    listed = draft.out.get("enum")
    if listed is None or dumps(value) in map(dumps, listed):
        draft.out["enum"] = [value]
    else:
        draft.also.append({"enum": [value], **({"nullable": True} if value is None else {})})


def _content(walk: SchemaWalk, draft: SchemaDraft) -> None:
    """Write ``contentEncoding`` and ``contentMediaType`` as the formats ``byte`` and ``binary``."""
    out = draft.out
    keywords = {
        key: out.pop(key)
        for key in ("contentEncoding", "contentMediaType", "contentSchema")
        if key in out
    }
    encoding = keywords.get("contentEncoding")
    if "format" not in out:
        if encoding in _ENCODINGS:
            out["format"] = _ENCODINGS[keywords.pop("contentEncoding")]
        elif encoding is None and keywords.get("contentMediaType") == "application/octet-stream":
            out["format"] = "binary"
            del keywords["contentMediaType"]
    for key, value in keywords.items():
        what = f" ({value[:80]!r})" if isinstance(value, str) else ""
        walk.lose(f"OpenAPI 3.0 has no `{key}`{what}", key)


def _examples(walk: SchemaWalk, draft: SchemaDraft) -> None:
    examples = draft.out.pop("examples")
    if examples:
        draft.out["example"] = examples[0]
    if len(examples) > 1:
        walk.lose(f"OpenAPI 3.0 shows one example: {len(examples) - 1} more left out", "examples")


# -- types ----------------------------------------------------------------------------------------


def _type(_: SchemaWalk, draft: SchemaDraft) -> None:
    """Write one type, ``nullable`` beside it, or a union with a branch for each type."""
    kind = draft.out.pop("type", None)
    if kind is None:
        _untyped(draft)
        return
    kinds: list[str] = kind if isinstance(kind, list) else [kind]
    enum = draft.out.get("enum")
    nullable = "null" in kinds and (enum is None or None in enum)
    rest = [k for k in kinds if k != "null" and not (k == "integer" and "number" in kinds)]
    if len(rest) > 1:
        draft.conjoin("anyOf", _branches(draft.out, rest, nullable=nullable))
        return
    typed: JsonObject = {"type": rest[0]} if rest else null()
    if not (rest or nullable):
        typed = {"not": {}}
    elif rest and nullable:
        typed["nullable"] = True
    # In some readers, ``nullable`` admits null in spite of these keywords. In a separate schema it does not.
    apart = nullable and (bool(draft.also) or any(key in draft.out for key in _APPLICATORS))
    if apart or (not rest and ("enum" in draft.out or not nullable)):
        draft.also.append(_with_items(typed))
    else:
        draft.out = _with_items({**typed, **draft.out})


def _untyped(draft: SchemaDraft) -> None:
    """Add ``nullable`` where null is listed without a type. Some readers require it, the others ignore it."""
    if None in draft.out.get("enum", ()) and not (
        draft.also or any(key in draft.out for key in _APPLICATORS)
    ):
        draft.out["nullable"] = True


def _branches(out: JsonObject, kinds: list[str], *, nullable: bool) -> list[JsonObject]:
    """Return a branch for each type, and move the keywords of that type into it."""
    branches: list[JsonObject] = []
    for kind in kinds:
        own = {key: out.pop(key) for key in _BY_TYPE[kind] if key in out}
        if "format" in out and kind == _type_of_format(out["format"], kinds):
            own["format"] = out.pop("format")
        branches.append(_with_items({"type": kind, **own}))
    if nullable:
        branches[0] = {"type": kinds[0], "nullable": True, **branches[0]}
    return branches


def _type_of_format(name: str, kinds: list[str]) -> str | None:
    numeric = name in NUMERIC_FORMATS
    wanted = ("integer", "number") if numeric else ("string",)
    return next((kind for kind in kinds if kind in wanted), None)


def _with_items(schema: JsonObject) -> JsonObject:
    """Add the ``items`` that 3.0 requires beside the type ``array``."""
    if schema.get("type") == "array":
        schema.setdefault("items", {})
    return schema


def without_null(branches: list[JsonObject]) -> list[JsonObject]:
    """Replace a branch that is null alone by ``nullable`` in the first branch with a plain type.

    Return the same list if no branch is null alone, or several are, or no branch has a plain type.
    """
    others = [branch for branch in branches if branch != null()]
    host = next((at for at, branch in enumerate(others) if _may_host(branch)), None)
    if host is None or len(branches) - len(others) != 1:
        return branches
    branch = {"type": "", "nullable": True, **others[host]}
    if None not in branch.get("enum", [None]):
        branch["enum"] = [*branch["enum"], None]
    others[host] = branch
    return others


def _null_branch(_: SchemaWalk, draft: SchemaDraft) -> None:
    """Replace a branch that is null alone. A single branch that remains beside annotations replaces the union."""
    for key in ("anyOf", "oneOf"):
        branches = draft.out.get(key, [])
        others = without_null(branches)
        if others is branches:
            continue
        alone = len(others) == 1 and not draft.also
        if alone and draft.out.keys() - {key} <= _ANNOTATIONS - others[0].keys():
            del draft.out[key]
            draft.out.update(others[0])
        else:
            draft.out[key] = others


def _may_host(branch: JsonObject) -> bool:
    return (
        "type" in branch and "nullable" not in branch and not any(k in branch for k in _APPLICATORS)
    )


#: The rewrites with the keywords that trigger them, in their order.
VALUES: Final[tuple[tuple[frozenset[str], Rewrite], ...]] = (
    (frozenset({"exclusiveMinimum", "exclusiveMaximum"}), _bounds),
    (frozenset({"const"}), _const),
    (frozenset({"contentEncoding", "contentMediaType", "contentSchema"}), _content),
    (frozenset({"examples"}), _examples),
    (frozenset({"type", "enum", "const"}), _type),
    (frozenset({"anyOf", "oneOf"}), _null_branch),
)
