"""Laws that do not hold yet, by test and case: the changelog's "Known limits" in detail.

Each is expected to fail; one that begins to hold fails the run until its row is taken out.
"""

#: What is missing, by test; the cases that it concerns, by their names (all where there is no list).
KNOWN_LIMITS: dict[str, tuple[str, tuple[str, ...]]] = {
    "test_a_count_of_zero_is_not_lost": ("contains is read apart from minContains", ()),
    "test_a_long_name_is_shortened": ("a component's name is shown whole", ()),
    "test_a_required_name_that_a_closed_part_lacks_is_a_contradiction": (
        "only declared names are looked for in what a closed part refuses",
        (),
    ),
    "test_a_schema_for_what_is_not_declared_is_said": (
        "a schema for unevaluated properties is not said in dialect 3.0",
        (),
    ),
    "test_an_open_rest_leaves_nothing_unevaluated": ("an explicit open rest is taken for none", ()),
    "test_an_open_rest_that_says_so_is_kept": ("an explicit open rest is taken for none", ()),
    "test_constraints_move_into_descriptions": (
        "a tuple's length, and what is below not, contains and propertyNames, stays keywords",
        (
            '{"type":"array","prefixItems":[{"type":"]',
            '{"type":"array","items":false}',
            '{"type":"string","not":{"maxLength":1}}',
            '{"type":"array","contains":{"minimum":1}}',
            '{"type":"object","propertyNames":{"maxLength":1}}',
        ),
    ),
    "test_edits_lead_to_what_is_shown": ("an edit may lead to a tuple's item not shown", ()),
    "test_every_rendering_is_within_its_budget": ("names of members are never cut", ()),
    "test_long_names_are_within_the_budget": ("names of members are never cut", ()),
    "test_names_in_a_description_are_cleaned": ("names left out are told as they are", ()),
    "test_no_text_arrives_with_hidden_characters": (
        "runs of joiners and of selectors are kept",
        (),
    ),
    "test_parts_of_parts_count": ("direction is looked for in the outermost parts only", ()),
    "test_required_follows_into_branches_by_reference": (
        "a branch behind a reference keeps what it requires",
        (),
    ),
    "test_schemas_of_nothing_are_valid_schemas": (
        "constants that the type refuses leave an empty enum",
        ("null in a type without it",),
    ),
    "test_values_that_are_equal_are_said_once": ("1 and 1.0 are taken for two values", ()),
    "test_what_is_handed_on_whole_has_no_annotations": (
        "what is handed on whole keeps its annotations",
        (),
    ),
    "test_what_is_only_described_is_an_edit": (
        "unevaluated properties beside a union leave no edit",
        ("unevaluatedProperties",),
    ),
    "test_what_must_not_be_widened_is_described_where_there_is_no_room": (
        "what is handed on whole is never too large",
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
