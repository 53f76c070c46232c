"""Signatures in Python: ``TypedDict`` classes, and protocols with the functions of each namespace."""

from collections.abc import Iterator, Sequence
from keyword import iskeyword
from typing import Final

from specfn.function.signatures.collect import Collection, Signature, Tree, elements_of, tree_of
from specfn.function.signatures.doc_comments import docstring, line_comment
from specfn.function.signatures.signature_names import (
    TypeNames,
    is_identifier,
    pascal_case,
    python_names,
)
from specfn.function.signatures.type_nodes import (
    Array,
    Literals,
    Member,
    Named,
    Object,
    Type,
    Union,
    is_bare,
    is_kind,
)

_HEADER: Final = "# Functions of an API. A call is api.NAMESPACE.FUNCTION(...)."
_SCALARS: Final = {
    "string": "str",
    "integer": "int",
    "number": "float",
    "boolean": "bool",
    "bytes": "bytes",
    "any": "Any",
    "never": "Never",
}
_BUILTINS: Final = frozenset({"str", "int", "float", "bool", "bytes", "list", "dict"})
_TYPING: Final = frozenset(
    "Any Literal Never NotRequired Protocol Required TypeAlias TypedDict Unpack".split()
)

#: Attributes of every namespace.
_ATTRIBUTES: Final = frozenset(
    {*dir(object), "__dict__", "__getattr__", "__iter__", "__module__", "__slots__"}
)

#: The maximum number of constants of a type in a text that is no module.
_MAX_VALUES: Final = 20


def python_text(collected: Collection) -> str:
    """Return the functions as a Python module that type checkers accept."""
    return _PythonText(collected).write()


def awaitable_python_text(collected: Collection) -> str:
    """Return each function as ``async def`` with its place in ``api``, and the types: a text to read, and no module."""
    return _PythonText(collected, is_module=False).write_functions()


class _PythonText:
    """A writer of one Python module."""

    def __init__(self, collected: Collection, *, is_module: bool = True) -> None:
        self._collected = collected
        self._is_module = is_module
        elements = elements_of(collected.functions) if is_module else frozenset[str]()
        words = _BUILTINS | _TYPING
        #: An element of an accessor would hide a name in its class, so that the name is imported as another.
        self._words = python_names(words, elements.__contains__)
        taken = {*elements, *words, *self._words.values(), "Api", "api"}
        self._names = TypeNames(collected, taken, lambda _: True)
        definitions = {} if is_module else collected.definitions
        #: The definitions beyond a limit, whose names are of no use to a reader.
        self._without_name = {n for n, one in definitions.items() if is_kind(one.type, "any")}
        self._used: set[str] = set()
        self._extra: list[str] = []

    def write(self) -> str:
        """Return the module."""
        shared = [f"#: {line_comment(text)}" for text in self._collected.shared]
        body = [*shared, *self._declarations(), *self._namespaces()]
        parts = [*self._imports(), *body, *self._extra, "api: Api"]
        return "\n".join([_HEADER, *parts]) + "\n"

    def write_functions(self) -> str:
        """Return the functions without their namespaces, and the types."""
        functions = [*self._places("api", tree_of(self._collected.functions))]
        shared = [f"#: {line_comment(text)}" for text in self._collected.shared]
        return "\n".join([*functions, *self._extra, *shared, *self._declarations()]) + "\n"

    def _places(self, place: str, tree: Tree) -> Iterator[str]:
        legal = python_names(tree, _is_taken)
        for element, node in tree.items():
            here = f"{place}.{legal[element]}"
            if isinstance(node, dict):
                yield from self._places(here, node)
            else:
                yield from self._function(f"async def {here}", node, is_method=False)

    def _word(self, name: str) -> str:
        """Return a name of Python's libraries, and import it if necessary."""
        self._used.add(name)
        return self._words[name]

    def _imports(self) -> Iterator[str]:
        yield "from __future__ import annotations"
        other = sorted(name for name in self._used & _BUILTINS if self._words[name] != name)
        if other:
            yield f"from builtins import {', '.join(map(self._import, other))}"
        yield f"from typing import {', '.join(map(self._import, sorted(self._used & _TYPING)))}"
        yield ""

    def _import(self, name: str) -> str:
        known = self._words[name]
        return name if known == name else f"{name} as {known}"

    # -- types ----------------------------------------------------------------------------------------

    def _declarations(self) -> Iterator[str]:
        for name, declared in self._collected.definitions.items():
            if name in self._without_name:
                continue
            own = self._names.definitions[name]
            if declared.comment:
                yield f"#: {line_comment(declared.comment)}"
            if isinstance(declared.type, Object) and declared.type.members:
                yield from self._class_of(own, declared.type)
            else:
                yield f"{own}: {self._word('TypeAlias')} = {self._type(declared.type)!r}"
        for node, own in self._names.objects.items():
            yield from self._class_of(own, node)

    def _class_of(self, name: str, node: Object) -> Iterator[str]:
        """Yield the class of an object; the functional form if a key cannot be an attribute."""
        is_total = sum(member.required for member in node.members) * 2 >= len(node.members)
        base = self._word("TypedDict")
        fields = [(member, self._field(member, is_total=is_total)) for member in node.members]
        rest = ""
        if node.rest is not None and not is_bare(node.rest):
            rest = f"  #: Other keys: {self._type(node.rest)}"
        if all(_is_attribute(member.key) for member in node.members):
            yield f"class {name}({base}{'' if is_total else ', total=False'}):{rest}"
            for member, text in fields:
                yield f"    {member.key}: {text}{_comment(member)}"
            return
        yield f"{name} = {base}({name!r}, {{{rest}"
        for member, text in fields:
            yield f"    {member.key!r}: {text!r},{_comment(member)}"
        yield "}" + ("" if is_total else ", total=False") + ")"

    def _field(self, member: Member, *, is_total: bool) -> str:
        text = self._type(member.type)
        if member.required == is_total:
            return text
        return f"{self._word('Required' if member.required else 'NotRequired')}[{text}]"

    def _type(self, node: Type) -> str:
        if isinstance(node, Named):
            return (
                self._word("Any") if node in self._without_name else self._names.definitions[node]
            )
        if isinstance(node, Literals):
            return self._literals(node)
        if isinstance(node, Array):
            return self._list(node)
        if isinstance(node, Union):
            return " | ".join(map(self._type, node.parts))
        if isinstance(node, Object):
            return self._dict(node)
        return "None" if node.kind == "null" else self._word(_SCALARS[node.kind])

    def _list(self, node: Array) -> str:
        """Return an array. Arrays of JSON are lists, so the types of the first items are united."""
        parts = [*node.first] if is_kind(node.rest, "never") else [*node.first, node.rest]
        items = " | ".join(dict.fromkeys(map(self._type, parts or [node.rest])))
        return f"{self._word('list')}[{items}]"

    def _dict(self, node: Object) -> str:
        """Return an object: the name of its class, or a dictionary if no properties are declared."""
        if node.members:
            return self._names.objects[node]
        rest = self._word("Any") if node.rest is None else self._type(node.rest)
        return f"{self._word('dict')}[{self._word('str')}, {rest}]"

    def _literals(self, node: Literals) -> str:
        """Return constants. ``Literal`` accepts no constants of type ``float``."""
        values = [repr(value) for kind, value in node.values if kind not in {float, type(None)}]
        if not self._is_module and len(values) > _MAX_VALUES:
            values = [*values[:_MAX_VALUES], f"... {len(values) - _MAX_VALUES} more"]
        parts = [f"{self._word('Literal')}[{', '.join(values)}]"] if values else []
        kinds = {kind for kind, _ in node.values}
        parts += [self._word("float")] if float in kinds else []
        return " | ".join([*parts, "None"] if type(None) in kinds else parts)

    # -- functions ------------------------------------------------------------------------------------

    def _namespaces(self) -> Iterator[str]:
        waiting: list[tuple[str, Tree]] = [("Api", tree_of(self._collected.functions))]
        while waiting:
            name, tree = waiting.pop(0)
            yield f"class {name}({self._word('Protocol')}):"
            if not tree:
                yield "    ..."
            legal = python_names(tree, _is_taken)
            for element, node in tree.items():
                if isinstance(node, dict):
                    below = self._names.names.add(pascal_case(name, element))
                    waiting.append((below, node))
                    yield f"    {legal[element]}: {below}"
                else:
                    yield from self._function(f"def {legal[element]}", node)

    def _function(self, name: str, function: Signature, *, is_method: bool = True) -> Iterator[str]:
        indent = "    " if is_method else ""
        arguments = [*self._arguments(function)]
        if is_method:
            # an argument may have the name ``self``
            arguments = ["self", *["/" for text in arguments if text.startswith("**")], *arguments]
        head = f"{indent}{name}({', '.join(arguments)}) -> {self._type(function.result)}:"
        lines = [function.comment] if function.comment else []
        lines += [
            f"{argument.key}: {argument.comment}"
            for argument in function.arguments
            if argument.comment
        ]
        if not lines:
            yield f"{head} ..."
            return
        yield head
        text = f"\n{indent}    ".join(map(docstring, lines))
        yield f'{indent}    """{text}"""'

    def _arguments(self, function: Signature) -> Iterator[str]:
        arguments = function.arguments
        if not function.keyword:
            yield from self._positions(arguments)
        elif not all(_is_argument(argument.key) for argument in arguments):
            yield f"**arguments: {self._word('Unpack')}[{self._write_arguments_class(function)}]"
        elif arguments:
            names = python_names(argument.key for argument in arguments)
            yield "*"
            for argument in arguments:
                optional = "" if argument.required else " = ..."
                yield f"{names[argument.key]}: {self._type(argument.type)}{optional}"

    def _write_arguments_class(self, function: Signature) -> str:
        """Write a class for arguments whose names are not identifiers, and return the name of the class."""
        name = self._names.names.add(pascal_case(function.accessor[-1], "Arguments"))
        self._extra += self._class_of(name, Object(function.arguments, None))
        return name

    def _positions(self, arguments: Sequence[Member]) -> Iterator[str]:
        """Yield the arguments of a function that is called by position. An optional one in front of a required one may be ``None``."""
        last = max((n for n, argument in enumerate(arguments) if argument.required), default=-1)
        names = [
            *python_names(_legal(n, argument.key) for n, argument in enumerate(arguments)).values()
        ]
        for n, argument in enumerate(arguments):
            text = self._type(argument.type)
            optional = "" if argument.required or "None" in text.split(" | ") else " | None"
            yield f"{names[n]}: {text}{optional}{' = None' if n > last else ''}"


def _comment(member: Member) -> str:
    return f"  #: {line_comment(member.comment)}" if member.comment else ""


def _is_attribute(key: str) -> bool:
    """Return whether a key can be an attribute of a class body, which changes names that begin with ``__``."""
    return is_identifier(key) and not iskeyword(key) and not key.startswith("__")


def _is_argument(key: str) -> bool:
    """Return whether a key can be an argument, with a trailing ``_`` if it is a keyword."""
    return is_identifier(key) and key != "self" and not key.startswith("__")


def _legal(place: int, key: str) -> str:
    """Return a name for an argument by position."""
    return key if _is_argument(key) else f"_{place}_{pascal_case(key)}"


def _is_taken(name: str) -> bool:
    return iskeyword(name) or name in _ATTRIBUTES
