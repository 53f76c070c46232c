"""Laws that do not hold yet, by test and case: the changelog's "Known limits" in detail.

Each is expected to fail; one that begins to hold fails the run until its row is taken out.
"""

#: What is missing, by test; the cases that it concerns, by their names (all where there is no list).
KNOWN_LIMITS: dict[str, tuple[str, tuple[str, ...]]] = {
    "test_a_required_name_that_a_closed_part_lacks_is_a_contradiction": (
        "only declared names are looked for in what a closed part refuses",
        (),
    ),
    "test_parts_of_parts_count": ("direction is looked for in the outermost parts only", ()),
    "test_required_follows_into_branches_by_reference": (
        "a branch behind a reference keeps what it requires",
        (),
    ),
}


def reason(name: str) -> str | None:
    """Why a case is expected to fail; ``None`` if it must hold."""
    test, _, case = name.partition("[")
    known = KNOWN_LIMITS.get(test)
    if known is None:
        return None
    why, cases = known
    return why if not cases or any(case.startswith(begin) for begin in cases) else None
