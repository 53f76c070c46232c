"""``specfn tools DIRECTORY``."""

import shutil
from collections.abc import Callable
from pathlib import Path

import pytest
from tests.cli.conftest import Ended

NAMES = ["petstore20.json", "groups.yaml", "composition.yaml", "recursion.yaml"]


@pytest.fixture
def folder(root: Path, tmp_path: Path) -> Path:
    """Return a directory with documents on two levels."""
    folder = tmp_path / "documents"
    (folder / "below").mkdir(parents=True)
    for index, name in enumerate(NAMES):
        shutil.copy(root / "fixtures" / name, folder / ("below" if index % 2 else "") / name)
    (folder / "README.md").write_text("no document")
    return folder


@pytest.mark.parametrize("jobs", ["1", "2"])
@pytest.mark.parametrize(
    "options", [(), ("--positional", "--dialect", "3.1"), ("--format", "python")]
)
def test_each_document_has_the_result_of_its_own_command(
    specfn: Callable[..., Ended], folder: Path, jobs: str, options: tuple[str, ...]
) -> None:
    """Each document below a directory becomes the file that the command for this document writes."""
    target = folder.parent / "tools"
    done = specfn("tools", folder, "-o", target, "-j", jobs, *options)
    assert (done.code, done.out) == (0, "")
    assert done.err.endswith("specfn: 4 documents: 4 complete, 0 with errors\n")
    suffix = ".py" if "python" in options else ".json"
    written = {path.relative_to(target).as_posix(): path for path in target.rglob("*.*")}
    expected = {}
    for path in [each for each in folder.rglob("*.*") if each.suffix != ".md"]:
        place = path.relative_to(folder).as_posix()
        place = place if place.endswith(suffix) else place + suffix
        expected[place] = specfn("tools", path, *options).out
    assert {place: path.read_text("utf-8") for place, path in written.items()} == expected


@pytest.mark.parametrize("jobs", ["1", "2"])
def test_a_faulty_document_does_not_end_the_others(
    specfn: Callable[..., Ended], folder: Path, jobs: str
) -> None:
    """A file that is no document is one line with its path; the others are complete, and the exit code is 1."""
    (folder / "a.json").write_text("{")
    (folder / "below" / "z.yml").write_text("[1]")
    done = specfn("tools", folder, "-o", folder / "out", "-j", jobs)
    assert done.code == 1
    faults = [line for line in done.err.splitlines() if "a.json: " in line or "z.yml: " in line]
    assert len(faults) == 2
    assert done.err.endswith("specfn: 6 documents: 4 complete, 2 with errors\n")
    assert len([*(folder / "out").rglob("*.json")]) == 4
    again = specfn("tools", folder, "-o", folder / "out", "-j", jobs)
    assert (again.code, again.err) == (1, done.err)  # results are not read as documents


@pytest.mark.parametrize(
    ("given", "line"),
    [
        (["FOLDER"], "is a directory: pass -o DIRECTORY for the results"),
        (["FOLDER", "-o", "-"], "is a directory: pass -o DIRECTORY for the results"),
        (["FOLDER", "-o", "FOLDER"], "would replace"),
        (["FOLDER", "-o", "FOLDER/petstore20.json"], "is not a directory: pass a directory"),
        (["FOLDER/empty", "-o", "out"], "contains no JSON or YAML files"),
        (["FOLDER/petstore20.json", "-j", "2"], "--jobs needs a directory as SPEC"),
    ],
)
def test_mistakes_are_one_line(
    specfn: Callable[..., Ended], folder: Path, given: list[str], line: str
) -> None:
    """A wrong use is one line, with exit code 2, and writes nothing."""
    (folder / "empty").mkdir()
    before = sorted(folder.parent.rglob("*"))
    done = specfn("tools", *(each.replace("FOLDER", str(folder)) for each in given))
    assert (done.code, done.out, done.err.count("\n")) == (2, "", 1)
    assert line in done.err
    assert sorted(folder.parent.rglob("*")) == before


def test_two_documents_with_one_result(specfn: Callable[..., Ended], folder: Path) -> None:
    """Two documents whose results would have one name are an error before anything is written."""
    shutil.copy(folder / "petstore20.json", folder / "below" / "groups.yaml.json")
    done = specfn("tools", folder, "-o", folder.parent / "out")
    assert done.code == 2
    assert "rename one of them" in done.err
    assert not (folder.parent / "out").exists()
