import json
from pathlib import Path
from typing import Any

import pytest
from tests.connectors.names import PROFILES

from specfn import Application
from specfn.cli.main import run
from specfn.connectors import profile

pytestmark = pytest.mark.corpus

STRIPE = "stripe.com.json"


def entries(name: str, listed: list[Any]) -> list[Any]:
    """Return the tools of a list, also of one that contains them in a single object."""
    group = profile(name).group
    return listed if group is None else listed[0][group]


@pytest.mark.parametrize("name", PROFILES)
def test_a_list_is_complete_or_not_written(
    folder: Path,
    loaded: dict[Path, Application],
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    name: str,
) -> None:
    """For Stripe, each profile writes all functions; or nothing, with exit code 1 and one line with the count."""
    target, spec = tmp_path / "tools.json", folder / STRIPE
    count, most = len(loaded[spec].functions), profile(name).tools
    code = run(["tools", str(spec), "--profile", name, "-o", str(target)])
    err = capsys.readouterr().err
    if most is None or count <= most:
        assert code == 0
        assert len(entries(name, json.loads(target.read_bytes()))) == count
    else:
        assert (code, target.exists(), err.count("\n")) == (1, False, 1)
        assert f"{count:,} functions are more than the {most:,} tools that {name} accepts" in err
        shorter = ["--search", "refund a charge", "--limit", "30", "--max-tokens", "20000"]
        assert run(["tools", str(spec), "--profile", name, "-o", str(target), *shorter]) == 0
        assert 0 < len(entries(name, json.loads(target.read_bytes()))) <= 30
