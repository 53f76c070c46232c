"""Fuzz an entry, guided by coverage: ``python -m tests.fuzz ENTRY [--minutes N] [--folder FOLDER]``.

It needs atheris (``pip install atheris``). An input for which a law does not hold is written to the folder, one for each
place in the code, and the run goes on. The corpus stays in the folder, so another run continues there.
"""

import argparse
import hashlib
import random
import sys
import traceback
from pathlib import Path

import atheris

with atheris.instrument_imports(include=["specfn"]):
    from tests.fuzz.entries import ENTRIES, TOKENS, mutate, run

    MAX_BYTES, MAX_MEGABYTES, MAX_SECONDS = 16_384, 2_048, 60

    def main() -> None:
        parser = argparse.ArgumentParser(description=__doc__)
        parser.add_argument("entry", choices=ENTRIES)
        parser.add_argument("--minutes", type=float, default=30)
        parser.add_argument("--folder", type=Path, default=Path("fuzzing"))
        given = parser.parse_args()
        entry, folder = ENTRIES[given.entry], given.folder / given.entry
        corpus, findings = folder / "corpus", folder / "findings"
        for each in (corpus, findings):
            each.mkdir(parents=True, exist_ok=True)
        for seed in entry.seeds():
            entry.check(seed)  # imports what is used
            (corpus / hashlib.sha1(seed).hexdigest()).write_bytes(seed)
        words = folder / "words.txt"
        escapes = ("".join(rf"\x{byte:02x}" for byte in token) for token in TOKENS)
        words.write_text("".join(f'"{token}"\n' for token in escapes))

        def check(data: bytes) -> None:
            try:
                run(entry, data)
            except Exception as error:  # noqa: BLE001  # a finding, whatever it is
                keep(error, data, findings)

        def change(data: bytes, most: int, seed: int) -> bytes:
            changed = mutate(
                entry,
                data,
                random.Random(seed),
                lambda text: atheris.Mutate(text, most - entry.head),
            )
            return changed if len(changed) <= most else atheris.Mutate(data, most)

        limits = (
            f"-max_len={MAX_BYTES}",
            f"-rss_limit_mb={MAX_MEGABYTES}",
            f"-timeout={MAX_SECONDS}",
        )
        time = f"-max_total_time={round(given.minutes * 60)}"
        kept = (f"-artifact_prefix={findings}/", f"-dict={words}", "-print_final_stats=1")
        atheris.Setup(
            [sys.argv[0], *limits, time, *kept, str(corpus)], check, custom_mutator=change
        )
        atheris.Fuzz()

    def keep(error: Exception, data: bytes, findings: Path) -> None:
        """Write an input and its traceback, if none of the same kind and place was written."""
        places = [
            f"{frame.filename.rpartition('/')[2]}:{frame.lineno}"
            for frame in traceback.extract_tb(error.__traceback__)
        ]
        key = hashlib.sha1(f"{type(error).__name__} {places[-3:]}".encode()).hexdigest()[:12]
        if not (findings / key).exists():
            (findings / key).write_bytes(data)
            text = "".join(traceback.format_exception(error))
            (findings / f"{key}.txt").write_text(text)
            sys.stderr.write(
                f"FINDING {key} {type(error).__name__}: {str(error)[:200]} at {places[-1]}\n"
            )

    main()
