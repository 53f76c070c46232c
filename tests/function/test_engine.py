from typing import Any

import pytest

from specfn import merge
from specfn.api import load
from specfn.function.merge import split
from specfn.options import Options
from specfn.validation import validate

Json = dict[str, Any]


def document() -> Json:
    """An operation with a tenant to fix, secrets behind patterns and in unions, and an answer."""
    secret = {"type": "string", "format": "password"}
    named = {"type": "object", "patternProperties": {"^x": secret, "^[a-w]": {"type": "string"}}}
    either = {"anyOf": [{**named, "required": ["xa"]}, {"type": "object", "required": ["b"]}]}
    body = {"type": "object", "properties": {"either": either, "named": named, "secret": secret}}
    content = {"application/json": {"schema": body}}
    return {
        "openapi": "3.1.0",
        "info": {"title": "t", "version": "1"},
        "paths": {
            "/{tenant}": {
                "post": {
                    "parameters": [
                        {
                            "name": "tenant",
                            "in": "path",
                            "required": True,
                            "schema": {"type": "string", "pattern": "^[a-z]+$"},
                        },
                    ],
                    "requestBody": {"required": True, "content": content},
                    "responses": {"200": {"description": "ok", "content": content}},
                }
            }
        },
    }


@pytest.mark.parametrize("keyword", [True, False], ids=["by key", "by position"])
@pytest.mark.parametrize("choice", ["python", "rust"])
def test_one_engine_decides_everything(
    monkeypatch: pytest.MonkeyPatch,
    choice: Any,
    keyword: bool,  # noqa: FBT001
) -> None:
    """V5: fixed values, separation, arguments and answers are all decided by the engine that was chosen."""
    asked = []
    engine_of = validate.engine_of

    def noting(name: Any) -> Any:
        asked.append(name)
        return engine_of(name)

    monkeypatch.setattr(validate, "engine_of", noting)
    options = Options(
        engine=choice, fixed={"tenant": "acme"}, separate="secrets", keyword=keyword, equals=True
    )
    function = load(document(), options=options).functions[0]
    body = {"either": {"xa": "1"}, "named": {"xa": "1", "b": "2"}, "secret": "3"}
    arguments: Any = {"body": body} if keyword else [body]
    assert function.validate(arguments)
    llm, human = split(function, arguments)
    assert merge(function, llm=llm, human=human) == arguments
    assert function.separated is not None
    assert function.separated.validate(llm)
    assert function.surprises(body) == ()
    assert {*asked} == {choice}
