"""Signatures in TypeScript: types, and one constant with the functions of each namespace."""

from collections.abc import Iterator, Sequence
from typing import Final

from specfn.function.signatures.collect import Collection, Signature, Tree, tree_of
from specfn.function.signatures.doc_comments import block_comment, line_comment
from specfn.function.signatures.signature_names import TypeNames, is_identifier, pascal_case
from specfn.function.signatures.type_nodes import (
    Array,
    Literals,
    Member,
    Named,
    Object,
    Scalar,
    Type,
    Union,
    is_bare,
    is_kind,
)
from specfn.migrate.accessor import RESERVED
from specfn.schema.describe import literal

_HEADER: Final = "// Functions of an API. A call is await api.NAMESPACE.FUNCTION(...)."
_SCALARS: Final = {"bytes": "Uint8Array", "integer": "number"}
_TAKEN: Final = frozenset({"Array", "Promise", "Record", "Uint8Array"})

#: The longest object on one line.
_LINE: Final = 80
_INDENT: Final = "\t"

#: An object of so many properties is written where it is used, however often that is.
_FEW: Final = 1

#: Words that cannot be the name of an argument.
_RESERVED: Final = RESERVED | frozenset(
    "arguments await eval implements interface let static yield".split()
)


def typescript_text(collected: Collection) -> str:
    """Return the functions as a TypeScript module that the compiler accepts."""
    return _TypeScriptText(collected).write()


class _TypeScriptText:
    """A writer of one TypeScript module."""

    def __init__(self, collected: Collection) -> None:
        self._collected = collected
        uses = collected.uses()
        self._names = TypeNames(
            collected, _TAKEN, lambda node: uses.get(node, 0) > 1 and len(node.members) > _FEW
        )

    def write(self) -> str:
        """Return the module."""
        tree = tree_of(self._collected.functions)
        api = ["export declare const api: {", *self._namespace(tree, _INDENT), "};"]
        shared = [f"// {line_comment(text)}" for text in self._collected.shared]
        return "\n".join([_HEADER, *shared, *self._declarations(), *api]) + "\n"

    # -- types ----------------------------------------------------------------------------------------

    def _declarations(self) -> Iterator[str]:
        for name, declared in self._collected.definitions.items():
            if declared.comment:
                yield f"/** {block_comment(declared.comment)} */"
            node = declared.type
            has_members = isinstance(node, Object) and node.members
            text = self._object(node, "") if has_members else self._type(node, "")  # type: ignore[arg-type]
            yield f"type {self._names.definitions[name]} = {text};"
        for node, own in self._names.objects.items():
            yield f"type {own} = {self._object(node, '')};"

    def _type(self, node: Type, indent: str) -> str:
        """Return a type expression; further lines are indented."""
        if isinstance(node, Named):
            return self._names.definitions[node]
        if isinstance(node, Literals):
            return " | ".join(literal(value) for _, value in node.values)
        if isinstance(node, Array):
            return self._array(node, indent)
        if isinstance(node, Union):
            return " | ".join(self._type(part, indent) for part in node.parts)
        if isinstance(node, Object):
            return self._names.objects.get(node) or self._object(node, indent)
        return _SCALARS.get(node.kind, node.kind)

    def _array(self, node: Array, indent: str) -> str:
        rest = f"{self._part(node.rest, indent)}[]"
        if not node.first:
            return rest
        parts = [
            f"{self._part(part, indent)}{'' if n < node.needed else '?'}"
            for n, part in enumerate(node.first)
        ]
        return f"[{', '.join(parts if is_kind(node.rest, 'never') else [*parts, f'...{rest}'])}]"

    def _part(self, node: Type, indent: str) -> str:
        """Return a type expression that may be followed by brackets."""
        text = self._type(node, indent)
        return f"({text})" if isinstance(node, Union | Literals) else text

    def _object(self, node: Object, indent: str) -> str:
        """Return an object, on one line if it is short and has no comments."""
        deeper = indent + _INDENT
        fields = [self._field(member, deeper) for member in node.members]
        if not node.members:
            return self._map(node.rest, indent)
        if node.rest is not None and not is_bare(node.rest):
            other = " ".join(self._type(node.rest, "").split())
            fields.append(f"[key: string]: any; // {other}")
        elif not any(member.comment for member in node.members):
            line = f"{{ {' '.join(fields)[:-1]} }}"
            if len(line) <= _LINE and "\n" not in line:
                return line
        return "\n".join(["{", *(deeper + field for field in fields), indent + "}"])

    def _map(self, node: Type | None, indent: str) -> str:
        """Return an object with any keys. A type that may refer to itself cannot use ``Record``."""
        text = "any" if node is None else self._type(node, indent)
        is_plain = node is None or isinstance(node, Scalar | Literals)
        return f"Record<string, {text}>" if is_plain else f"{{ [key: string]: {text} }}"

    def _field(self, member: Member, indent: str) -> str:
        name = member.key if is_identifier(member.key) else literal(member.key)
        text = f"{name}{'' if member.required else '?'}: {self._type(member.type, indent)};"
        return f"{text} // {line_comment(member.comment)}" if member.comment else text

    # -- functions ------------------------------------------------------------------------------------

    def _namespace(self, tree: Tree, indent: str) -> Iterator[str]:
        for element, node in tree.items():
            name = element if is_identifier(element) else literal(element)
            if isinstance(node, dict):
                yield f"{indent}{name}: {{"
                yield from self._namespace(node, indent + _INDENT)
                yield f"{indent}}};"
            else:
                yield from self._comment(node, indent)
                result = self._type(node.result, indent)
                yield f"{indent}{name}({self._arguments(node, indent)}): Promise<{result}>;"

    def _comment(self, function: Signature, indent: str) -> Iterator[str]:
        """Yield the comment of a function. Arguments by position have no comments of their own."""
        lines = [function.comment] if function.comment else []
        if not function.keyword:
            lines += [
                f"{argument.key}: {argument.comment}"
                for argument in function.arguments
                if argument.comment
            ]
        if lines:
            yield f"{indent}/** {f'{chr(10)}{indent} * '.join(map(block_comment, lines))} */"

    def _arguments(self, function: Signature, indent: str) -> str:
        arguments = function.arguments
        if not function.keyword:
            return ", ".join(self._positions(arguments, indent))
        if not arguments:
            return ""
        optional = "" if any(argument.required for argument in arguments) else "?"
        return f"args{optional}: {self._object(Object(arguments, None), indent)}"

    def _positions(self, arguments: Sequence[Member], indent: str) -> Iterator[str]:
        """Yield arguments by position; ``null`` is an argument that is left out."""
        last = max((n for n, argument in enumerate(arguments) if argument.required), default=-1)
        for n, argument in enumerate(arguments):
            text = self._type(argument.type, indent)
            null = "" if argument.required else " | null"
            is_legal = is_identifier(argument.key) and argument.key not in _RESERVED
            name = argument.key if is_legal else f"_{n}_{pascal_case(argument.key)}"
            yield f"{name}{'?' if n > last else ''}: {text}{null}"
