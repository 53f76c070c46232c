"""Functions: operations that a model can read and call (rules F1 to F6)."""

from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass, field, replace
from functools import cache
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from specfn._internal.json import JsonObject
from specfn._internal.tracebacks import without_locals_in
from specfn._internal.values import json_type
from specfn.document.diagnose.check import diagnose_operation
from specfn.errors import ArgumentError, DocumentError
from specfn.function.description import describe, summary_of, within
from specfn.function.fingerprint import fingerprint
from specfn.function.function_schemas import Schemas
from specfn.function.naming import handles
from specfn.migrate.parameters.fixed import with_fixed_values, without_fixed_parameters
from specfn.migrate.route import Api, Route
from specfn.records import ABSENT, ArgumentProblem, Edit, Note, PrivateValue
from specfn.settings import Language, Safety

if TYPE_CHECKING:
    from specfn.function.arguments import Positions, WrapperNames
    from specfn.migrate.paging.paging import LazyPaging
    from specfn.migrate.route import Paging
    from specfn.validation.outcome import Failure, Success

#: The kinds of bodies whose texts are encoded in a charset that the document names.
_KINDS_WITH_CHARSET: Final = frozenset({"multipart", "text", "xml"})


@without_locals_in
@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Function:
    """An operation that a model can call.

    Attributes:
        method, path, operation_id, summary, operation: the operation, as the document has it.
        description: the text that a model reads, with ``@param``, ``@security``, ``@tag`` and ``@deprecated`` lines.
        parameters, output: the schemas that a model reads; ``validate`` enforces ``validator``.
        edits, notes: differences from the document, and notes for a careful reader.
        name: unique in the application, legal as ``^[a-zA-Z_][a-zA-Z0-9_]*$``.
        accessor: namespace and last element, e.g. ``("pets", "getByPetId")``.
        tags: the operation's tags.
        deprecated: true if the document declares the operation deprecated.
        safety: ``read``, ``write`` or ``destructive``.
        idempotent: true if sending it twice has the effect of sending it once (RFC 9110, section 9.2.2).
        route: the operation as it is sent.
        api: the parts of the document that apply to all operations.
        schemas: the schemas, composed on first use.
        undescribed_keys: the keys from the root of human and standard parameters, which the description leaves out.
        own_description: the description that the caller passes; ``None`` for the description in the document.
        shortened: true if the name leaves out a part of the accessor.
        lazy_paging: the paging of the operation, detected on first use.
    """

    name: str
    accessor: tuple[str, ...]
    tags: tuple[str, ...]
    deprecated: bool
    safety: Safety
    idempotent: bool
    route: Route
    api: Api = field(repr=False)
    schemas: Schemas = field(repr=False)
    undescribed_keys: Collection[tuple[str, ...]] = ()
    own_description: str | None = None
    shortened: bool = False
    lazy_paging: "LazyPaging | None" = field(default=None, repr=False)

    def __repr__(self) -> str:
        return f"<Function {self.name}: {self.method_and_path}>"

    def _repr_html_(self) -> str:
        from specfn.notebook import html  # noqa: PLC0415  # for notebooks only

        fault = self.fault
        schema = {"Parameters": self.parameters} if fault is None else {"Fault": str(fault)}
        return html(f"{self!r} ({self.safety})", text=self.description, values=schema)

    # -- the operation ----------------------------------------------------------------------------

    @property
    def method(self) -> str:
        """Return the HTTP method in lower case."""
        return self.route.method

    @property
    def path(self) -> str:
        """Return the path key, as the document writes it."""
        return self.route.path

    @property
    def method_and_path(self) -> str:
        """Return ``METHOD /path``."""
        return self.route.method_and_path

    @property
    def operation_id(self) -> str | None:
        """Return the operationId of the document."""
        value = self.route.operation.get("operationId")
        return value if isinstance(value, str) else None

    @property
    def summary(self) -> str:
        """Return the summary of the document without invisible characters, or an empty text."""
        return summary_of(self.route)

    @property
    def operation(self) -> JsonObject:
        """Return the normalized Operation Object."""
        return self.route.operation

    @property
    def security(self) -> tuple[tuple[tuple[str, tuple[str, ...]], ...], ...]:
        """Return the security requirements: OR of ANDs of (scheme name, scopes)."""
        return self.route.security

    @property
    def notes(self) -> tuple[Note, ...]:
        """Return notes for a careful reader of the document. Reading them composes the schemas."""
        from specfn.function.notes import schema_notes  # noqa: PLC0415  # the validation boundary

        route = self.route
        faults = diagnose_operation(self.api.version, route.raw, route.pointer)
        return (*route.notes, *faults, *schema_notes(route, self.schemas))

    @property
    def paging(self) -> "Paging | None":
        """Return the paging; ``None`` if no paging is declared, or if the human fills in its parameter."""
        return None if self.lazy_paging is None else self.lazy_paging.paging(self.undescribed_keys)

    def paging_of(self, data: Any) -> "Paging | None":
        """Return the paging with the members that a received response has, documented or not.

        Examples:
            >>> app["listProducts"].paging_of({"items": [], "total": 0}).total
            ('total',)
        """
        lazy = self.lazy_paging
        return None if lazy is None else lazy.paging_of(data, self.undescribed_keys)

    # -- what a model reads -------------------------------------------------------------------------

    @property
    def description(self) -> str:
        """Return the description that a model reads. It is composed at each access."""
        return within(self.full_description, self.schemas.settings.description_limit)

    @property
    def reviewed_description(self) -> str:
        """Return the description with the lines of the standard parameters, which a fingerprint covers."""
        if not self.route.standard:
            return self.description
        keys = frozenset(self.undescribed_keys) - self.route.standard
        return replace(self, undescribed_keys=keys).description

    @property
    def full_description(self) -> str:
        """Return the description before ``Options.description_limit`` truncates it."""
        if self.own_description is not None:
            return self.own_description
        return describe(
            without_fixed_parameters(self.route),
            shortened=self.shortened,
            without=self.undescribed_keys,
        )

    @property
    def parameters(self) -> Any:
        """Return the schema of the arguments: one object schema, or with ``keyword=False`` a list of schemas.

        Raises:
            DocumentError: the function has a ``fault``.
        """
        self._require_sendable()
        return self.schemas.parameters

    @property
    def output(self) -> JsonObject | None:
        """Return the schema of the success response in the same dialect, or ``None``."""
        value: JsonObject | None = self.schemas.output
        return value

    def signature(self, language: Language) -> str:
        """Return a typed signature with its types, for a model that writes code; the farthest of many are ``Any``.

        Raises:
            UsageError: the language is unknown.
            DocumentError: the function has a ``fault``.

        Examples:
            >>> print(app["deleteProduct"].signature("typescript"), end="")
            // Functions of an API. A call is await api.NAMESPACE.FUNCTION(...).
            export declare const api: {
                products: {
                    /** Delete Product. Remove a product from the shop. */
                    eraseByProductId(args: {
                        productId: string; // The id of a product. (uuid)
                    }): Promise<any>;
                };
            };
        """
        from specfn.function.signatures.signatures import signature  # noqa: PLC0415  # not for converting

        self._require_sendable()
        return signature(self, language)

    @property
    def validator(self) -> JsonObject:
        """Return the schema that ``validate`` enforces: JSON Schema 2020-12 with the reachable ``$defs``.

        It describes the arguments by key. It raises the same error as ``parameters``.
        """
        self._require_sendable()
        return self.schemas.root

    @property
    def fault(self) -> DocumentError | None:
        """Return the fault of the document that prevents every request, or ``None``; see ``sendable``.

        The schemas and calls raise it, and lists of tools leave the function out. Names, descriptions, fingerprints and
        reports include it. Today the only such fault is a charset in which a body cannot be encoded.
        """
        body = self.route.body
        if body is None or body.kind not in _KINDS_WITH_CHARSET:
            return None
        from specfn.http.charsets import unsendable_charset  # noqa: PLC0415  # few bodies are texts

        return unsendable_charset(body)

    def _require_sendable(self) -> None:
        fault = self.fault
        if fault is not None:
            raise fault

    @property
    def edits(self) -> tuple[Edit, ...]:
        """Return every difference between the document and the schemas that a model reads, with its place."""
        limit = self.schemas.settings.description_limit
        if limit is None or len(self.full_description) <= limit:
            return self.schemas.edits
        reason = f"the description was cut to {limit} characters"
        edit = Edit(pointer="/description", kind="description", reason=reason)
        return (edit, *self.schemas.edits)

    @property
    def fingerprint(self) -> str:
        """Return a digest that changes with everything that a model reads and that determines requests."""
        return fingerprint(self)

    @property
    def separated(self) -> "Separated | None":
        """Return the parameters split between the model and the human; ``None`` if ``Options.separate`` is not set."""
        split_schemas = self.schemas.split_schemas
        if split_schemas is None:
            return None
        human = None if split_schemas.human is None else split_schemas.human.parameters
        return Separated(function=replace(self, schemas=split_schemas.model), human=human)

    @property
    def model_function(self) -> "Function":
        """Return the function whose arguments a model fills in: without the human part, if there is one."""
        separated = self.separated
        return self if separated is None else separated.function

    # -- arguments ----------------------------------------------------------------------------------

    @property
    def keyword(self) -> bool:
        """Return whether arguments are one object instead of a list."""
        return self.schemas.settings.keyword

    def validate(self, arguments: Any) -> "Success | Failure":
        """Validate the arguments that a model sends. Never raises an exception.

        Args:
            arguments: an object by key; with ``keyword=False`` a list by position. A caller's files (bytes,
                objects opened in binary mode, ``specfn.http.files.File``) are valid in the places of texts.

        Returns:
            ``Success(data)``, or ``Failure(data, errors)`` with every problem and ``feedback()`` for the model.

        Examples:
            >>> failure = app["listProducts"].validate({"query": {"limit": "5"}})
            >>> failure.errors[0].path, failure.errors[0].expected
            ('$input.query.limit', 'integer & Minimum<1> & Maximum<50> | undefined')
        """
        checker = self.schemas.checker
        if checker is None:
            return self._validate(arguments)
        outcome = checker.validate(arguments)
        return outcome or self._explain(arguments, outcome)

    def _validate(self, arguments: Any) -> "Success | Failure":
        """Validate on the first call, and arguments by position."""
        from specfn.validation.outcome import Failure, Success  # noqa: PLC0415  # not for converting

        if self.keyword:
            try:
                self._require_sendable()
                outcome = self.schemas.validator.validate(arguments)
            except DocumentError as error:
                return Failure(data=arguments, errors=_problems_of_fault(arguments, error))
            return outcome or self._explain(arguments, outcome)
        problems = self.problems(arguments)
        if problems:
            return _checks().explain(self.route, Failure(data=arguments, errors=tuple(problems)))
        return Success(data=arguments)

    def _explain(self, arguments: Any, outcome: "Failure") -> "Success | Failure":
        """Return the outcome of arguments that are not valid as JSON, but may contain a caller's files."""
        plain = self._plain(arguments, outcome.errors)
        checked = outcome if plain is None else self.schemas.validator.validate(plain)
        if checked:
            return replace(checked, data=arguments)
        return _checks().explain(self.route, checked)

    def parse(self, text: str | bytes) -> "Success | Failure":
        """Parse the text of arguments that a model wrote. Never raises an exception.

        Returns:
            ``Success(data, repairs, incomplete)``, not yet validated; or a ``Failure`` with the place
            where parsing stopped.

        Examples:
            >>> app["listProducts"].parse('Sure! {"query": {"limit": 5,}}').data
            {'query': {'limit': 5}}
        """
        from specfn.validation.parse import parse  # noqa: PLC0415  # not for converting

        return parse(text)

    def coerce(self, arguments: Any) -> "Success | Failure":
        """Repair unambiguous mistakes and validate. Never raises an exception.

        Returns:
            ``Success(data, repairs)``, or a ``Failure`` with the remaining problems. Without repairs, ``data`` is the
            same object as ``arguments``. A valid value is never changed.

        Examples:
            >>> app["listProducts"].coerce({"query": {"limit": "5"}}).data
            {'query': {'limit': 5}}
        """
        from specfn.function import arguments as checks  # noqa: PLC0415  # not for converting

        outcome = checks.coerce_arguments(self, arguments, keep_parsed=False)
        if outcome:
            return outcome
        return checks.unwrap(
            arguments,
            outcome,
            lambda inner: checks.check_arguments(self, inner, None),
            self._names(),
        )

    def check(self, text_or_arguments: Any) -> "Success | Failure":
        """Parse, coerce and validate the arguments that a model sends. Never raises an exception.

        Args:
            text_or_arguments: the text of the arguments (``str``, or UTF-8 as ``bytes``), or the arguments.

        Returns:
            ``Success(data, repairs, incomplete)``, or a ``Failure`` with the remaining problems and ``feedback()`` for
            the model. Execute incomplete arguments only if ``safety`` is ``read``.

        Examples:
            >>> app["listProducts"].check('{"query": {"limit": "5"}}').data
            {'query': {'limit': 5}}
        """
        return _checks().check(self, text_or_arguments, self._names)

    def _names(self) -> "WrapperNames":
        """Return the wrapper names of a function that is used without an application."""
        from specfn.function.arguments import WrapperNames  # noqa: PLC0415  # not for converting

        return WrapperNames(self.name, lambda text: self.name if text in handles(self) else None)

    def problems(self, arguments: Any) -> Sequence[ArgumentProblem]:
        """Return every problem of the arguments; empty if they are valid.

        Examples:
            >>> app["listProducts"].problems({"query": {"limit": 0}})[0].path
            '$input.query.limit'
        """
        try:
            self._require_sendable()
            if self.keyword:
                return self._problems(arguments)
            positions = self._positions
            problems = positions.list_problems(arguments)
            if problems:
                return problems
            named = positions.by_key(arguments, self.schemas.nullable)
            return positions.move(self._problems(named))
        except DocumentError as error:
            return _problems_of_fault(arguments, error)

    def accepts_only_integers(self, place: tuple[str | int, ...]) -> bool:
        """Return whether the document allows only integers at a place of the arguments by key, and no other number.

        Examples:
            >>> app["listProducts"].accepts_only_integers(("query", "limit"))
            True
        """
        return self.schemas.validator.accepts_only_integers(place)

    def _problems(self, named: Any) -> Sequence[ArgumentProblem]:
        """Return the problems of arguments by key, which may contain files."""
        problems = self.schemas.validator.problems(named)
        if problems and (plain := self._plain(named, problems)) is not None:
            return self.schemas.validator.problems(plain)
        return problems

    def _plain(self, named: Any, problems: Sequence[ArgumentProblem]) -> JsonObject | None:
        """Return arguments by key with texts in the places of files; ``None`` if they contain no files.

        A file is not JSON, so it is normally the value of a problem.
        """
        body = self.route.body
        kinds = [id(type(problem.value)) for problem in problems]
        is_json = _JSON_TYPES.issuperset(kinds) or all(
            _is_json(problem.value) for problem in problems
        )
        if is_json and (body is None or not body.has_encoded_files):
            return None
        if type(named) is not dict:
            return None
        from specfn.http.files import file_placeholders  # noqa: PLC0415  # not for converting

        return file_placeholders(body, named)

    def response_problems(self, data: Any) -> Sequence[ArgumentProblem]:
        """Return every place where a successful response differs from its schema. Paths begin with ``$output``.

        Examples:
            >>> app["listProducts"].response_problems({"items": []})[0].path
            '$output.total'
        """
        validator = self.schemas.response_validator
        if validator is None:
            return ()
        return tuple(
            problem.rewritten(lambda path: path.replace("$input", "$output", 1))
            for problem in validator.problems(data)
        )

    def private_values(self, arguments: Any) -> "Iterable[PrivateValue]":
        """Return the scalars of arguments that a response must not show, if the server repeats them.

        Examples:
            >>> arguments = {"body": {"passphrase": "red tulips"}}
            >>> [value.name for value in app["createCustomer"].private_values(arguments)]
            ['passphrase']
        """
        from specfn.function.private_values import private_values  # noqa: PLC0415  # for texts only

        return private_values(self.schemas, arguments)

    def models_part(self, arguments: Any) -> Any:
        """Return the arguments without the human part; ``None`` if nothing belongs to the human.

        Examples:
            >>> options = specfn.Options(separate="secrets")
            >>> function = specfn.load("openapi.json", options=options)["createCustomer"]
            >>> function.models_part({"body": {"name": "Kim", "passphrase": "red tulips"}})
            {'body': {'name': 'Kim'}}
        """
        split_schemas = self.schemas.split_schemas
        if split_schemas is None or split_schemas.human is None:
            return None
        return split_schemas.split(arguments, keyword=self.keyword)[0]

    def without_human_part(self, arguments: Any) -> Any:
        """Return a copy of the arguments with ``***`` for everything that may belong to the human.

        Examples:
            >>> options = specfn.Options(separate="secrets")
            >>> function = specfn.load("openapi.json", options=options)["createCustomer"]
            >>> function.without_human_part({"body": {"name": "Kim", "passphrase": "red tulips"}})
            {'body': {'name': 'Kim', 'passphrase': '***'}}
        """
        split_schemas = self.schemas.split_schemas
        if split_schemas is None or split_schemas.human is None:
            return arguments
        masked = split_schemas.mask(arguments, keyword=self.keyword)
        # a text, if all arguments belong to the human
        return masked if isinstance(masked, dict | list) else dict.fromkeys(arguments, masked)

    def arguments_by_key(self, arguments: Any) -> JsonObject:
        """Return the arguments as one object by key with fixed values added, for either calling style.

        Raises:
            ArgumentError: the arguments are not an object (or, positional, not a list of that length).

        Examples:
            >>> options = specfn.Options(keyword=False)
            >>> function = specfn.load("openapi.json", options=options)["getProduct"]
            >>> function.arguments_by_key(["d290f1ee-6c54-4b01-90e6-d701748f0851"])
            {'productId': 'd290f1ee-6c54-4b01-90e6-d701748f0851'}
        """
        if self.keyword:
            if isinstance(arguments, dict):
                return with_fixed_values(self.route, arguments)
            raise ArgumentError(self.name, (self._positions.non_object_problem(arguments),))
        positions = self._positions
        problems = positions.list_problems(arguments)
        if problems:
            raise ArgumentError(self.name, problems)
        return with_fixed_values(self.route, positions.by_key(arguments, self.schemas.nullable))

    @property
    def _positions(self) -> "Positions":
        from specfn.function.arguments import Positions  # noqa: PLC0415  # not for converting

        return Positions(self.schemas.keys)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Separated:
    """The parameters of a function, split between the model and the human (rule S2).

    Attributes:
        function: the function for the model. Its ``parameters``, ``validator`` and ``validate``
            concern only the model's part of the arguments.
        human: the human part, in the form of ``parameters``; ``None`` if nothing belongs to the human.
    """

    function: Function
    human: Any

    @property
    def llm(self) -> Any:
        """Return the parameters that the model fills in, in the form of ``parameters``.

        By position, both sides have every position; ``None`` marks a position without parameters of that side.
        """
        return self.function.parameters

    def validate(self, arguments: Any) -> "Success | Failure":
        """Validate the model's part before it is merged with the human part; see ``Function.validate``."""
        return self.function.validate(arguments)


class _Checks(NamedTuple):
    """The functions of ``specfn.function.arguments`` that each check needs."""

    check: "Callable[..., Success | Failure]"
    explain: "Callable[[Route, Failure], Failure]"


@cache
def _checks() -> _Checks:
    """Import the checks on first use. An import statement in each call would be a tenth of a check."""
    from specfn.function.arguments import check_arguments, explain_undeclared  # noqa: PLC0415  # not for converting

    return _Checks(check_arguments, explain_undeclared)


#: The identities of the types of JSON values, and that of an absent one: a look at a class itself may run its code.
_JSON_TYPES: Final = frozenset(
    map(id, (str, int, float, bool, type(None), list, dict, type(ABSENT)))
)


def _is_json(value: Any) -> bool:
    """Return whether the value of a problem is of a JSON type, or absent."""
    return value is ABSENT or json_type(value) is not None


def _problems_of_fault(arguments: Any, error: DocumentError) -> tuple[ArgumentProblem, ...]:
    """Return the problem of all arguments for a schema that cannot be enforced, so that no value is valid."""
    text = f"The function cannot be called: {error.reason}."
    return (ArgumentProblem(path="$input", expected="never", value=arguments, description=text),)
