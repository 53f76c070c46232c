"""The functions of one text with the definitions that their types need."""

from collections import Counter, deque
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any, Final, NamedTuple, TypeAlias

from specfn.document.references.resolve import reaching
from specfn.function.function_schemas import FunctionInterface
from specfn.function.signatures.doc_comments import comment_of, function_comment
from specfn.function.signatures.read_schema import SchemaReader
from specfn.function.signatures.type_nodes import (
    NODES,
    Member,
    Named,
    Node,
    Object,
    Type,
    Types,
    Union,
    parts_of,
)
from specfn.function.standard_parameters import shown_arguments
from specfn.schema.compose.definitions_lookup import DefinitionLookup

#: The number of functions from which on the comment of an argument is written once for all of them.
_MANY: Final = 3


class Signature(NamedTuple):
    """A function as a model calls it in code."""

    accessor: tuple[str, ...]
    arguments: tuple[Member, ...]
    result: Type
    comment: str
    keyword: bool


class Declaration(NamedTuple):
    """A definition that is written once."""

    type: Type
    comment: str


_Definitions: TypeAlias = dict[Named, Declaration]


@dataclass
class Collection:
    """The functions of one text.

    Attributes:
        functions: the functions.
        definitions: the definitions in the order of the first reference.
        shared: a comment for each argument that has the same comment in several functions.
    """

    functions: list[Signature] = field(default_factory=list)
    definitions: _Definitions = field(default_factory=dict)
    shared: list[str] = field(default_factory=list)

    def uses(self) -> dict[Object, int]:
        """Count how often each object with properties is written if definitions are written once."""
        counts: dict[Object, int] = {}
        seen: set[Node] = set()
        roots: list[Node] = [declaration.type for declaration in self.definitions.values()]
        waiting: list[Node] = [part for root in roots for part in parts_of(root)]
        for function in self.functions:
            waiting += [*function.arguments, function.result]
        while waiting:
            node = waiting.pop()
            if isinstance(node, Object) and node.members:
                counts[node] = counts.get(node, 0) + 1
            if node not in seen:
                seen.add(node)
                waiting += parts_of(node)
        return counts


def collect(
    functions: Iterable[FunctionInterface],
    most: int | None = None,
    most_of_result: int | None = None,
) -> Collection:
    """Return the functions with all definitions of their types.

    A definition that differs between requests and responses is two definitions.

    Args:
        functions: the functions.
        most: the maximum number of properties of the definitions that each function needs for its request and for its
            response. Definitions that are closer to the arguments or the result come first; those beyond the limit are
            ``any``.
        most_of_result: another maximum for the response.
    """
    types = Types()
    inputs, outputs = _Direction(types, most), _Direction(types, most_of_result or most)
    signatures = [_signature(types, function, inputs, outputs) for function in functions]
    differing = _differing_definitions(inputs.definitions, outputs.definitions)
    rewrite = _Rewriter(types, differing).rewrite if differing else _same
    collection = Collection()
    for name, (node, comment) in inputs.definitions.items():
        collection.definitions[name] = Declaration(node, comment)
    for name, (node, comment) in outputs.definitions.items():
        renamed = rewrite(name)
        assert isinstance(renamed, Named)
        if renamed not in collection.definitions:
            collection.definitions[renamed] = Declaration(rewrite(node), comment)
    signatures = [signature._replace(result=rewrite(signature.result)) for signature in signatures]
    shared = _frequent_comments(signatures)
    collection.shared = [f"{key}: {comment}" for key, comment in shared.items()]
    collection.functions = [_without_comments(types, signature, shared) for signature in signatures]
    _cut_cycles(types, collection.definitions)
    return collection


def _frequent_comments(functions: list[Signature]) -> dict[str, str]:
    """Return the most frequent comment of each argument that many functions have."""
    counts = Counter(
        (argument.key, argument.comment)
        for function in functions
        for argument in function.arguments
        if argument.comment
    )
    comments: dict[str, str] = {}
    for (key, comment), count in counts.most_common():
        if count >= _MANY:
            comments.setdefault(key, comment)
    return comments


def _without_comments(types: Types, function: Signature, shared: dict[str, str]) -> Signature:
    """Return a function whose arguments have no comment that is written once for all functions."""
    arguments = tuple(
        types.of(Member, argument.key, argument.type, argument.required, "")
        if shared.get(argument.key) == argument.comment
        else argument
        for argument in function.arguments
    )
    return function._replace(arguments=arguments)


def _signature(
    types: Types, function: FunctionInterface, inputs: "_Direction", outputs: "_Direction"
) -> Signature:
    """Return the signature of one function; its definitions are added to those of the two directions."""
    sources = function.schemas.composed
    shown = shown_arguments(sources.arguments, function.schemas.standard)
    root = inputs.read(shown, sources.inputs)
    assert isinstance(root, Object)
    members = {member.key: member for member in root.members}
    result: Type = types.scalar("any")
    if sources.result is not None and sources.outputs is not None:
        result = outputs.read(sources.result, sources.outputs)
    if _is_file(sources.result):
        result = types.union([types.scalar("bytes"), result])
    return Signature(
        function.accessor,
        tuple(members[key] for key, _ in function.schemas.keys if key in members),
        result,
        function_comment(function.full_description, deprecated=function.deprecated),
        function.schemas.settings.keyword,
    )


def _is_file(result: Any) -> bool:
    """Return whether a result is the content of a file. It is read as bytes, or as a text by its media type."""
    return isinstance(result, dict) and result.get("format") == "binary"


class _Direction:
    """The definitions of requests or responses. Equal names mean equal definitions (rule F10)."""

    def __init__(self, types: Types, most: int | None) -> None:
        self.definitions: _Definitions = {}
        self._types = types
        self._most = self._room = most
        #: The definitions beyond the limit of every function until now.
        self._cut: set[Named] = set()
        self._readers: dict[int, tuple[DefinitionLookup, SchemaReader]] = {}

    def read(self, schema: Any, named: DefinitionLookup) -> Type:
        """Return the type of a schema, and add every definition that it needs."""
        self._room = self._most
        if id(named) not in self._readers:
            self._readers[id(named)] = (named, SchemaReader(self._types, named))
        reader = self._readers[id(named)][1]
        node = reader.read(schema)
        waiting = deque(references(node))
        while waiting:
            name = waiting.popleft()
            if name not in self.definitions or (name in self._cut and self._room):
                self.definitions[name] = self._declaration(reader, name, named[name.name])
                waiting += references(self.definitions[name].type)
        return node

    def _declaration(self, reader: SchemaReader, name: Named, schema: Any) -> Declaration:
        """Return a definition; ``any`` if the limit is reached."""
        if self._room is None:
            return Declaration(reader.read(schema), comment_of(schema))
        (self._cut.discard if self._room else self._cut.add)(name)
        node = reader.read(schema) if self._room else self._types.scalar("any")
        self._room = max(self._room - _size(node), 0)
        return Declaration(node, comment_of(schema))


def references(node: Node) -> Iterator[Named]:
    """Yield the definitions that a type refers to, in order."""
    waiting: list[Node] = [node]
    seen: set[Node] = set()
    while waiting:
        part = waiting.pop()
        if isinstance(part, Named):
            yield part
        elif part not in seen:
            seen.add(part)
            waiting.extend(reversed(parts_of(part)))


def _size(node: Type) -> int:
    """Return the number of types that are written for a type."""
    waiting: list[Node] = [node]
    count = 0
    while waiting:
        count += 1
        waiting += parts_of(waiting.pop())
    return count


def _differing_definitions(inputs: _Definitions, outputs: _Definitions) -> set[Named]:
    """Return the definitions that differ between requests and responses, themselves or in a definition that they refer to."""
    both = [name for name in outputs if name in inputs]
    users: dict[Named, list[Named]] = {}
    for name in both:
        for used in references(outputs[name].type):
            users.setdefault(used, []).append(name)
    return reaching([name for name in both if outputs[name] != inputs[name]], users)


def _same(node: Type) -> Type:
    return node


class _Rewriter:
    """A replacement of references to definitions that differ in responses."""

    def __init__(self, types: Types, differing: set[Named]) -> None:
        self._types = types
        self._differing = differing
        self._known: dict[Any, Any] = {}

    def rewrite(self, node: Type) -> Type:
        """Return a type with the references to the definitions of responses."""
        rewritten: Type = self._node(node)
        return rewritten

    def _node(self, node: Any) -> Any:
        if isinstance(node, Named):
            return self._types.of(Named, node.name, True) if node in self._differing else node
        if isinstance(node, tuple):
            return tuple(map(self._node, node))
        if not isinstance(node, NODES) or not parts_of(node):
            return node
        if node not in self._known:
            fields = [self._node(getattr(node, name)) for name in node.__slots__]
            self._known[node] = self._types.of(type(node), *fields)
        return self._known[node]


def _cut_cycles(types: Types, definitions: _Definitions) -> None:
    """Replace references by ``any`` where definitions that are not objects refer to each other without end."""
    state: dict[Named, bool] = {}
    for start in definitions:
        path: list[tuple[Named, Iterator[Named]]] = []
        _enter(start, definitions, state, path)
        while path:
            name, rest = path[-1]
            used = next(rest, None)
            if used is None:
                state[name] = True
                path.pop()
            elif used not in state:
                _enter(used, definitions, state, path)
            elif not state[used]:
                one = definitions[name]
                definitions[name] = one._replace(type=_without(types, one.type, used))


def _enter(
    name: Named,
    definitions: _Definitions,
    state: dict[Named, bool],
    path: list[tuple[Named, Iterator[Named]]],
) -> None:
    if name not in state:
        state[name] = False
        path.append((name, iter([*_in_place(definitions[name].type)])))


def _in_place(node: Type) -> Iterable[Named]:
    """Return the definitions that apply to the same value as a type."""
    parts = node.parts if isinstance(node, Union) else (node,)
    return [part for part in parts if isinstance(part, Named)]


def _without(types: Types, node: Type, used: Named) -> Type:
    """Return a type without a reference that leads back to it; such a reference adds nothing."""
    parts = node.parts if isinstance(node, Union) else (node,)
    rest = [part for part in parts if part is not used]
    return types.union(rest) if rest else types.scalar("any")


#: A function, or a further tree, by element of the accessors.
Tree: TypeAlias = "dict[str, Tree | Signature]"


#: The maximum number of namespaces around a function. Each is a level of indentation.
MAX_LEVELS: Final = 100


def _elements(function: Signature) -> tuple[str, ...]:
    """Return the accessor of a function. Beyond the limit, the last element joins the rest: accessors are unique when joined."""
    accessor = function.accessor
    if len(accessor) <= MAX_LEVELS + 1:
        return accessor
    return (*accessor[:MAX_LEVELS], "_".join(accessor[MAX_LEVELS:]))


def tree_of(functions: Iterable[Signature]) -> Tree:
    """Return the tree of accessors; no accessor is the beginning of another (rule R12)."""
    root: Tree = {}
    for function in functions:
        node = root
        *namespaces, last = _elements(function)
        for element in namespaces:
            below = node.setdefault(element, {})
            assert isinstance(below, dict)
            node = below
        node[last] = function
    return root


def elements_of(functions: Iterable[Signature]) -> set[str]:
    """Return every element of the accessors."""
    return {element for function in functions for element in _elements(function)}
