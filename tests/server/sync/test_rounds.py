"""Random edits on both sides, then a push or a pull, again and again: nothing is lost, nothing else changes.

A model of a few lines says what has to come out; it knows nothing of the code.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import pytest
from hypothesis import HealthCheck, Phase, event, given, settings
from hypothesis import strategies as st

from builder.frontmatter import split
from server.authoring.structs import Page
from server.sync.sync_desk import Direction
from server.sync.sync_report import SyncReport
from tests.server.sync.world import World, categories, pages, world, write

PATHS = ("docs/a", "docs/g/a", "pages/p")
FOLDERS = ("docs/g",)
FIELDS = ("label", "position", "collapsed")

TEXTS = st.sampled_from(
    ["One.\n", "Two.\n", "", "\n\nThree", "a\r\nb\r\n", "# Four\n\n---\n\nx\n", "\u00e9\U0001f600"]
)
BODIES = TEXTS | st.text(st.characters(codec="utf-8"), max_size=12)


def is_plain(body: str) -> bool:
    """Return whether a body says nothing about frontmatter, with which a page is refused, or left alone."""
    return not split(body, "").diagnostics


def a_page(path: str) -> st.SearchStrategy[Page | None]:
    """A page, or None: that it is deleted."""
    fields = st.sampled_from(
        [{}, {"title": "T"}, {"title": "U", "sidebar_position": 2}, {"title": "T", "own": "x"}]
    )
    twins = st.none() | TEXTS
    made = st.builds(
        Page, st.just(path), st.sampled_from(["mdx", "md"]), fields, BODIES.filter(is_plain), twins
    )
    return st.none() | made


class Edit(NamedTuple):
    """One edit: of a page, or of a field of a category."""

    path: str
    page: Page | None = None
    field: str = ""
    value: object = None


def a_field(path: str) -> st.SearchStrategy[Edit]:
    values = {"label": ["A", "B", None], "position": [1, 2.5, None], "collapsed": [True, False, None]}
    return st.sampled_from([Edit(path, None, name, value) for name in FIELDS for value in values[name]])


EDITS = st.sampled_from(PATHS).flatmap(
    lambda path: st.builds(Edit, st.just(path), a_page(path))
) | st.sampled_from(FOLDERS).flatmap(a_field)


class Round(NamedTuple):
    """Edits on both sides, a page that gets another text on each of them, and what is run then."""

    here: list[Edit]
    there: list[Edit]
    clash: str | None
    direction: Direction
    prune: bool
    ours: tuple[str, ...]
    theirs: tuple[str, ...]


CHOICES = st.sampled_from([(), (), (), ("docs/a",), ("docs/g",), (".",)])
ROUNDS = st.builds(
    Round,
    st.lists(EDITS, min_size=1, max_size=4),
    st.lists(EDITS, min_size=1, max_size=4),
    st.none() | st.sampled_from(PATHS),
    st.sampled_from(["push", "pull"]),
    st.booleans(),
    CHOICES,
    CHOICES,
)

Thing = tuple[str, str]
"""A page, or a field of a folder: path, and the field's name or an empty one."""
State = dict[Thing, object]


def state(site: Path) -> State:
    """Everything of one side."""
    found: State = {(path, ""): page for path, page in pages(site).items()}
    for path, each in categories(site).items():
        found |= {(path, name): getattr(each, name) for name in FIELDS if getattr(each, name) is not None}
    return found


def covers(chosen: tuple[str, ...], path: str) -> bool:
    return any(one == "." or path == one or path.startswith(f"{one}/") for one in chosen)


class Model:
    """The state that both sides had in common last, and what a run makes of it."""

    def __init__(self) -> None:
        self.base: State = {}

    def expect(self, here: State, there: State, this: Round) -> tuple[State, State, set[str]]:
        """Both sides after a run, and where there are conflicts."""
        before = {"here": here, "there": there}
        after = {"here": dict(here), "there": dict(there)}
        conflicts = set()
        for thing in {*here, *there, *self.base}:
            told = self._one(thing, before, after, this)
            if told:
                conflicts.add(thing[0])
        return after["here"], after["there"], conflicts

    def _one(self, thing: Thing, before: dict[str, State], after: dict[str, State], this: Round) -> bool:
        here, there, base = before["here"].get(thing), before["there"].get(thing), self.base.get(thing)
        if (here != there and base not in (here, there)) or (here != there and base == here == there):
            if covers(this.ours, thing[0]):
                base = there
            elif covers(this.theirs, thing[0]):
                base = here
            else:
                return True
            _set(self.base, thing, base)
        if here == there:
            _set(self.base, thing, here)
            return False
        source, target, value = (
            ("here", "there", here) if this.direction == "push" else ("there", "here", there)
        )
        if base != before[target].get(thing):
            return False
        removed = value is None and (
            not thing[1] or not any(before[source].get((thing[0], name)) is not None for name in FIELDS)
        )
        if removed and not this.prune:
            return False
        _set(after[target], thing, value)
        _set(self.base, thing, value)
        return False


def _set(where: State, thing: Thing, value: object) -> None:
    if value is None:
        where.pop(thing, None)
    else:
        where[thing] = value


def apply(site: Path, edits: list[Edit]) -> None:
    for edit in edits:
        if edit.field:
            _write_field(site, edit)
        else:
            write(site, edit.page, edit.path)


def _write_field(site: Path, edit: Edit) -> None:
    file = site / edit.path / "_category_.yml"
    lines = [
        line
        for line in (file.read_text().splitlines() if file.exists() else ())
        if not line.startswith(edit.field)
    ]
    if edit.value is not None:
        lines.append(
            f"{edit.field}: {str(edit.value).lower() if isinstance(edit.value, bool) else edit.value}"
        )
    file.parent.mkdir(parents=True, exist_ok=True)
    if lines:
        file.write_text("\n".join(lines) + "\n")
    else:
        file.unlink(missing_ok=True)


def play(one: World, rounds: list[Round]) -> None:
    one.clear()
    model = Model()
    for this in rounds:
        apply(one.here, this.here)
        apply(one.there, this.there)
        for site, text in ((one.here, "Ours.\n"), (one.there, "Theirs.\n")) if this.clash else ():
            write(site, Page(this.clash or "", "md", {}, text, None))
        here, there = state(one.here), state(one.there)
        expected = model.expect(here, there, this)
        report = one.run(this.direction, prune=this.prune, ours=this.ours, theirs=this.theirs)
        assert report.refused == []
        assert (state(one.here), state(one.there), {each.path for each in report.conflicts}) == expected
        event(
            f"{this.direction}, conflicts: {min(len(report.conflicts), 2)}, done: {min(len(report.done), 3)}"
        )
        is_settled(one, this, report)


def is_settled(one: World, this: Round, before: SyncReport) -> None:
    """The same run once more has nothing to do, and the same to say."""
    again = one.run(this.direction, prune=this.prune)
    assert again.done == []
    assert {each.path for each in again.conflicts} == {each.path for each in before.conflicts}


@pytest.fixture(scope="module")
def one(tmp_path_factory: pytest.TempPathFactory) -> Iterator[World]:
    with world(tmp_path_factory.mktemp("rounds")) as made:
        yield made


QUICK = settings(
    max_examples=15,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
    deadline=None,
)
LONG = settings(QUICK, max_examples=50, phases=[Phase.explicit, Phase.generate, Phase.shrink])


@QUICK
@given(rounds=st.lists(ROUNDS, min_size=4, max_size=4))
def test_nothing_is_lost_and_conflicts_are_exactly_where_both_sides_changed(
    one: World, rounds: list[Round]
) -> None:
    play(one, rounds)


@pytest.mark.slow
@pytest.mark.parametrize("part", range(5))  # each within a test's time, whatever else the machine does
@LONG
@given(rounds=st.lists(ROUNDS, min_size=4, max_size=4))
def test_the_same_for_a_thousand_rounds(one: World, part: int, rounds: list[Round]) -> None:
    play(one, rounds)
