"""The redirects of a change: those that its moves come to, and then those that its operations ask for."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import groupby
from typing import NamedTuple

from builder.changes.composed_page import InvalidText
from builder.changes.followed_moves import FollowedMoves
from builder.changes.steps import RedirectStep, Step
from builder.changes.steps_outcome import AppliedSteps, RefusedStep
from builder.changes.working_copy import WorkingCopy
from builder.config.settings_text import redirects_in, with_redirects
from builder.errors import TwinpressError
from builder.moves.redirect_plan import RedirectPlan, key_in
from builder.moves.redirect_rules import RedirectChange, plan_of_key, rewritten
from builder.site import CONFIG_FILE, Site
from builder.store import Scan

SiteNow = Callable[[], tuple[Site, Scan]]
"""Gives the site as it is in the working copy, loaded with its drafts, and its scan."""


class _Asked(NamedTuple):
    """A redirect that an operation asks for; `field` is the part of the operation that does."""

    number: int
    field: str
    step: RedirectStep


class RedirectSteps:
    """Writes redirects into the settings of a working copy.

    In `_left` are those that deletions leave, by number, each with the path from which the page had moved,
    if it had.
    """

    def __init__(self, copy: WorkingCopy, now: SiteNow, done: AppliedSteps) -> None:
        self._copy, self._now, self._done = copy, now, done
        self._left: dict[int, tuple[RedirectStep, str]] = {}

    def leave(self, index: int, step: RedirectStep, origin: str) -> None:
        """Note the redirect of a deletion; `origin` is the path from which the page had moved, if it had."""
        self._left[index] = step, origin

    def lead_on(self, followed: FollowedMoves, before: Site, mover: int) -> None:
        """Have the redirects that all moves come to: who knew an address from `before` is led on."""
        text = self._text()
        there = {old: str(new) for old, new in redirects_in(text).items()}
        wanted, said = followed.redirects(before, lambda: self._now()[0], there)
        self._done.said += said
        if wanted != there:
            self._put(mover, with_redirects(text, wanted))

    def apply(self, steps: Sequence[tuple[int, Step]]) -> None:
        """Add and remove what operations ask for, neighbours of one kind at once. Raises RefusedStep."""
        for _, run in groupby(self._asked(steps), key=lambda each: each.step.new is None):
            self._apply(list(run))

    def _asked(self, steps: Sequence[tuple[int, Step]]) -> Iterator[_Asked]:
        for index, step in steps:
            if isinstance(step, RedirectStep):
                yield _Asked(index, "", step)
            elif index in self._left:
                yield from self._of_deletion(index, *self._left[index])

    def _of_deletion(self, index: int, step: RedirectStep, origin: str) -> Iterator[_Asked]:
        """The redirect of a deletion, unless another page is where the deleted one had been."""
        if not origin or self._copy.source(origin) is None:
            yield _Asked(index, "redirect", step)
        else:
            self._done.said.append(f"no redirect from `{step.old}`: there is another page now")

    def _apply(self, run: Sequence[_Asked]) -> None:
        """Apply neighbours that all add, or all remove."""
        if run[0].step.new is None:
            run = list(self._without_ended(run))
        if not run:
            return
        site, _ = self._now()
        try:
            plan = _plan(site, run)
        except TwinpressError as error:
            raise _refused(site, run, error) from error
        self._done.said += plan.said
        self._put(run[-1].number, rewritten(self._text(), site.config, plan))

    def _without_ended(self, run: Sequence[_Asked]) -> Iterator[_Asked]:
        """The removals but for those of redirects that a page ended by moving to their address."""
        texts = _decoded(self._copy.before(CONFIG_FILE)), self._text()
        known, there = (dict.fromkeys(redirects_in(text), "") for text in texts)
        return (each for each in run if not key_in(known, each.step.old) or key_in(there, each.step.old))

    def _text(self) -> str:
        return _decoded(self._copy.bytes_of(CONFIG_FILE))

    def _put(self, index: int, text: str) -> None:
        """Have `site.yml` with this text, unless it has it."""
        if text != self._text():
            self._copy.put(CONFIG_FILE, text.encode(errors="surrogateescape"), index)


def _decoded(data: bytes | None) -> str:
    return (data or b"").decode(errors="surrogateescape")


def _plan(site: Site, run: Sequence[_Asked]) -> RedirectPlan:
    add = tuple((each.step.old, each.step.new) for each in run if each.step.new is not None)
    remove = tuple(each.step.old for each in run if each.step.new is None)
    try:
        return plan_of_key(site, RedirectChange(add, remove))
    except ValueError as error:
        raise InvalidText(str(error)) from error


def _refused(site: Site, run: Sequence[_Asked], error: TwinpressError) -> RefusedStep:
    """The refusal at the operation that it names, else at the last of the fewest that it is about."""
    named = next((each for each in run if each.step.old == error.path), None)
    fine, refused = 0, len(run)
    while named is None and refused - fine > 1:
        middle = (fine + refused) // 2
        try:
            _plan(site, run[:middle])
            fine = middle
        except TwinpressError as earlier:
            refused, error = middle, earlier
    found = named or run[refused - 1]
    return RefusedStep(found.number, found.field, error)
