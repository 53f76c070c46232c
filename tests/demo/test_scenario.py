import io
import re
import time

import pytest
from rich.console import Console

from specfn.demo import scenario


@pytest.fixture(scope="module")
def played() -> tuple[int, str]:
    """The exit code and the text of one showing, in which nothing sleeps."""
    pieces: list[str] = []
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(time, "sleep", lambda _: pytest.fail("the demo sleeps"))
        code = scenario.run(pieces.append)
    return code, "".join(pieces)


def test_the_demo_ends_well_and_soon(played: tuple[int, str]) -> None:
    """The demo never sleeps, and ends with 0."""
    assert played[0] == 0


def test_the_steps_are_numbered(played: tuple[int, str]) -> None:
    """Every step has a rule with its number, in order, and an explanation below."""
    lines = played[1].splitlines()
    steps = [index for index, line in enumerate(lines) if re.match(r"\d+  \S.* ─+$", line)]
    assert [lines[index].split()[0] for index in steps] == [str(n) for n in range(1, 10)]
    assert all(lines[index + 1].strip() for index in steps)


def test_the_first_call_is_refused_with_its_reasons(played: tuple[int, str]) -> None:
    """The feedback names the price that is no number and the stock that is missing."""
    feedback = (
        played[1].partition("After: specfn checks them")[2].partition("The model calls it")[0]
    )
    marked = [line for line in feedback.splitlines() if "❌" in line]
    assert any("price" in line and "number" in line for line in marked)
    assert any("stock" in line for line in marked)


def test_the_unchecked_call_is_refused_by_the_server(played: tuple[int, str]) -> None:
    """Before the check, the same arguments reach the server, which responds with 422."""
    sent = played[1].partition("Before: they are sent as they are")[2].partition("After:")[0]
    assert "response 422" in sent
    assert re.search(r"Field\W+required", sent)


def test_the_product_is_what_the_model_meant(played: tuple[int, str]) -> None:
    """The product at the end has the corrected arguments and the id of the response."""
    product = played[1].partition("The product is in the shop")[2]
    key = re.search(r"^id +([0-9a-f-]{36})", product, re.MULTILINE)
    assert key
    assert key[1][:8] in played[1].partition("response 201")[2].partition("The product is")[0]
    for value in (key[1], "Desk lamp", "49.9", "12"):
        assert re.search(rf"\b{re.escape(value)}\b", product)


def test_no_line_is_wider_than_a_small_terminal(played: tuple[int, str]) -> None:
    """Without a terminal the demo is plain text of at most 80 columns."""
    assert "\x1b" not in played[1]
    assert max(map(len, played[1].splitlines())) <= 80


def test_the_token_is_not_on_the_screen(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """No credential is shown."""
    monkeypatch.setattr("tests.strict_shop.server.token_urlsafe", lambda _: "canary-token")
    assert scenario.run(Console(width=80)) == 0
    assert "canary-token" not in capsys.readouterr().out


def test_colors_are_left_out_where_they_are_not_wanted(monkeypatch: pytest.MonkeyPatch) -> None:
    """NO_COLOR is heeded on a terminal, too."""
    monkeypatch.setenv("NO_COLOR", "1")
    file = io.StringIO()
    assert scenario.run(Console(file=file, force_terminal=True, width=80)) == 0
    assert not re.search(r"\x1b\[[0-9;]*3[0-7]m", file.getvalue())


def test_a_model_that_never_learns_ends_the_demo(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where no reply is valid, nothing is sent and the demo says so with its exit code."""
    monkeypatch.setattr(scenario, "_REPLIES", ('{"body": {}}',))
    pieces: list[str] = []
    assert scenario.run(pieces.append) == 1
    assert "makes the call" not in "".join(pieces)
