"""Coercion of the arguments of one function, in either calling style (rules V7, F4)."""

from typing import Any

from specfn.function.arguments.positions import Positions
from specfn.function.function_schemas import Schemas
from specfn.migrate.route import Route
from specfn.migrate.safety import is_creation
from specfn.validation.outcome import Failure, Success
from specfn.validation.repair.candidates import CoercionPolicy
from specfn.validation.repair.coerce import coerce
from specfn.validation.validate import Diagnosis


def repaired(
    arguments: Any, route: Route, schemas: Schemas, diagnosis: Diagnosis | None, *, opens: bool
) -> Success | Failure | None:
    """Coerce arguments that are not valid.

    Args:
        arguments: the arguments, in the function's calling style.
        route: the operation.
        schemas: its schemas.
        diagnosis: the diagnosis of arguments by key, if it is known.
        opens: keep a value parsed from a string even if it is invalid.

    Returns:
        The outcome; ``None`` if nothing could be repaired.

    Raises:
        DocumentError: the schema is not one that can be enforced.
    """
    if schemas.settings.keyword:
        permitted = policy(route, schemas)
        outcome = coerce(arguments, schemas.validator, permitted, diagnosis, opens=opens)
    else:
        outcome = _by_position(arguments, route, schemas, opens=opens)
    return outcome if outcome.repairs else None


def policy(route: Route, schemas: Schemas) -> CoercionPolicy:
    """Return the repairs that are permitted for an operation.

    Null may mean "clear" in a body (RFC 7396, section 1). It is left out only of a POST that creates.
    """
    keeps = frozenset[str]() if is_creation(route) else frozenset({"body"})
    return CoercionPolicy(arrays=schemas.settings.coerce_arrays, keeps_null=keeps)


def _by_position(given: Any, route: Route, schemas: Schemas, *, opens: bool) -> Success | Failure:
    positions = Positions(schemas.keys)
    arguments, opened = positions.opened(given)
    misshapen = positions.misshapen(arguments)
    if misshapen:
        return Failure(data=given, errors=misshapen)
    named = positions.by_key(arguments, schemas.nullable)
    outcome = coerce(named, schemas.validator, policy(route, schemas), opens=opens)
    same = outcome.data is named
    data = arguments if same else positions.by_position(outcome.data, len(arguments))
    repairs = (*opened, *positions.moved(outcome.repairs))
    if isinstance(outcome, Success):
        return Success(data=data, repairs=repairs)
    if opened and not opens:
        return Failure(data=given, errors=positions.misshapen(given))
    return Failure(data=data, errors=positions.moved(outcome.errors), repairs=repairs)
