"""Record ``specfn demo`` as an SVG: ``python docs/demo_svg.py`` writes ``docs/demo.svg``.

The demo really runs. The picture shows its steps from the first call of the model to the response of the server.
"""

import re
from io import StringIO
from pathlib import Path

from rich.console import Console
from rich.text import Text

from specfn.demo.scenario import run

WIDTH = 100
FIRST, LAST = "The model calls it", "The product is in the shop"


def recorded() -> list[str]:
    """Return the lines of a real run, with colors."""
    stream = StringIO()
    console = Console(file=stream, force_terminal=True, color_system="truecolor", width=WIDTH)
    if run(console):
        raise SystemExit("the demo failed")
    lines = stream.getvalue().splitlines()
    first = next(at for at, line in enumerate(lines) if FIRST in line)
    last = next(at for at, line in enumerate(lines) if LAST in line)
    return lines[first : last - 1]


def svg(lines: list[str]) -> str:
    """Return the lines as an SVG that loads no font from another host."""
    console = Console(record=True, file=StringIO(), width=WIDTH)
    for line in (
        lines
    ):  # a cross of the usual fonts, because few browsers have the emoji in a monospaced font
        console.print(Text.from_ansi(line.replace("❌", "✗ ")), crop=False)
    text = console.export_svg(title="specfn demo", unique_id="demo")
    return re.sub(r"@font-face \{.*?\}\s*", "", text, flags=re.DOTALL)


if __name__ == "__main__":
    Path(__file__).with_name("demo.svg").write_text(svg(recorded()), encoding="utf-8")
