"""Plan a change of many files at once, and say what follows from it.

    operations -> working copy -> the site as it would be -> what refuses it -> its pages reviewed -> effects

Nothing is written. The plan's `replacement` is made by the store, whole or not at all.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from msgspec import Struct
from msgspec.structs import replace

from builder.changes.apply_steps import StepWork
from builder.changes.broken_links import OutOfTime, SiteState, broken_links
from builder.changes.changed_categories import changed_categories
from builder.changes.composed_page import given_body
from builder.changes.file_names import FileNameTaken
from builder.changes.steps import Step
from builder.changes.steps_outcome import AppliedSteps, RefusedStep, SentText
from builder.changes.taken_addresses import (
    hidden_by_patterns,
    refuse_lost_redirects,
    refuse_taken_addresses,
)
from builder.changes.working_copy import WorkingCopy
from builder.diagnostics import Diagnostic
from builder.errors import PageLimitReached, PathConflict, TwinpressError
from builder.frontmatter import split
from builder.moves.redirect_plan import own_redirects
from builder.moves.rewritten_text import LeftLink
from builder.paths import TWIN_SUFFIX, Format
from builder.review import Inbound, Review
from builder.review.bounded_outlines import BoundedOutlines, FoundOutline
from builder.review.reader_places import ReaderPlace, ReaderPlaces
from builder.review.review import ReviewBase
from builder.review.work_budget import WorkBudget
from builder.site import Memory, Read, Site, address_of, read, read_sources, site_of
from builder.site.load import Sources
from builder.store import CategoryRecord, PageFile, Replacement, Scan, Source
from builder.store.source_reader import SourceReader

REVIEW_SECONDS = 4.0
"""Of a processor, for the pages that are touched; the rest is not looked at."""
LINKS_SECONDS = 7.0
"""Of a processor, for links elsewhere: a thousand pages can be read in that."""
OUTLINE_SECONDS = 3.0
"""Of a processor, after which no outline is begun any more."""
MOST_BYTES = 64 * 1024 * 1024
"""Of all files of a change, before or after it."""


class PlannedPage(Struct, frozen=True):
    """A page that is touched, as it is then, or was where it is `deleted`.

    `sent` is about its body, as it was sent or is given. `diagnostics` are None where there was no time
    to review it. `place` is where readers find it; `outline` is None where nobody has asked for it.
    """

    path: str
    format: Format
    file: str
    url: str
    created: bool
    moved_from: str
    revision: str
    sent: SentText
    diagnostics: tuple[Diagnostic, ...] | None
    deleted: bool = False
    place: ReaderPlace | None = None
    outline: FoundOutline | None = None


class ChangesPlan(Struct, frozen=True):
    """The files of a change, the pages that it touches, and its effects.

    `broken` are links elsewhere that lead nowhere then, None where there was no time to look. `links` are
    numbers of rewritten links by file. `redirects` are those that are others, None for one that is gone.
    """

    replacement: Replacement
    pages: tuple[PlannedPage, ...]
    broken: tuple[Inbound, ...] | None
    links: Mapping[str, int]
    left: tuple[LeftLink, ...]
    said: tuple[str, ...]
    redirects: Mapping[str, str | None]
    categories: tuple[CategoryRecord, ...]
    replaced: int = 0
    fields: tuple[str, ...] = ()


def plan_changes(
    review: Review, site: Site, steps: tuple[Step, ...], most: int, *, outlines: bool = False
) -> ChangesPlan:
    """Plan a change of `site`, as `review` has just loaded it; it may have `most` pages then.

    With `outlines` its pages have those too. Raises RefusedStep for an operation that cannot be done.
    """
    return _Planner(review, site).plan(steps, most, outlines=outlines)


class _Planner:
    def __init__(self, review: Review, site: Site) -> None:
        self._base: ReviewBase = review.base
        self._review, self._site = review, site
        sources = self._base.sources
        scan = sources.scan if sources else self._base.store.scan(dict(self._base.memory.categories))
        self._read = dict(zip(scan.pages, sources.read, strict=True)) if sources else {}
        self._copy = WorkingCopy(self._base.store, scan, self._base.parts)
        self._loaded: tuple[dict[str, bytes | None], Sources] | None = None

    def plan(self, steps: tuple[Step, ...], most: int, *, outlines: bool) -> ChangesPlan:
        """Return the plan."""
        work = StepWork(self._copy, self._now)
        work.apply(steps)
        replacement = self._replacement()
        now = site_of(self._sources(), drafts=False)
        self._refuse(now, most)
        refuse_lost_redirects(self._site, now, self._copy.authors)
        before = SiteState(self._site, self._review)
        after = SiteState(now, self._review.over(self._copy.parts()))
        refuse_taken_addresses(before, after, self._copy.authors)
        self._refuse_conflicts(before, after)
        pages = tuple(self._pages(work.done, after))
        broken = self._broken(before, after, work.done)
        return ChangesPlan(
            replacement,
            self._outlined(pages, work.done, after) if outlines else pages,
            broken,
            {
                file: number
                for file, number in sorted(work.done.links.items())
                if replacement.wanted.get(file)
            },
            tuple(sorted(set(work.done.left))),
            tuple(dict.fromkeys((*work.done.said, *hidden_by_patterns(before, after)))),
            _other_redirects(self._site, now),
            changed_categories(self._site, now, work.done),
            work.done.replaced,
            work.done.fields,
        )

    def _sources(self) -> Sources:
        """The sources of the site as it is in the working copy."""
        if self._loaded is None or self._loaded[0] != self._copy.changed:
            base = self._base
            memory = _CopiedMemory(base.memory.root, changed=self._copy.changed, read_before=self._read)
            sources = read_sources(self._copy, plan=base.plan, memory=memory)
            self._loaded = dict(self._copy.changed), sources
        return self._loaded[1]

    def _now(self) -> tuple[Site, Scan]:
        sources = self._sources()
        return site_of(sources, drafts=True), sources.scan

    def _replacement(self) -> Replacement:
        """All files as one change. Raises RefusedStep for names that cannot stand beside each other."""
        try:
            self._copy.check_names()
        except FileNameTaken as taken:
            raise RefusedStep(taken.author, "", taken) from taken
        found = self._copy.replacement()
        for files in (found.expected, found.wanted):
            size = sum(len(data) for data in files.values() if data is not None)
            if size > MOST_BYTES:
                message = f"it changes files of {size:,} bytes, and one change may have {MOST_BYTES:,}"
                raise RefusedStep(0, "", TooMuchToChange(message, hint="change less at once"))
        return found

    def _refuse(self, now: Site, most: int) -> None:
        count, known = (len(site.pages) + len(site.drafts) for site in (now, self._site))
        if count > max(most, known):
            message = f"the site would have {count:,} pages, and may have {most:,}"
            raise RefusedStep(-1, "", PageLimitReached(message))

    def _refuse_conflicts(self, before: SiteState, after: SiteState) -> None:
        """Raise RefusedStep where two pages would have one address."""
        known = {(one.file, one.message) for one in _conflicts(before)}
        for one in _conflicts(after):
            if (one.file, one.message) not in known:
                index = self._copy.authors.get(one.file, -1)
                raise RefusedStep(index, "", PathConflict(one.message, path=one.file, hint=one.hint))

    def _pages(self, done: AppliedSteps, after: SiteState) -> Iterator[PlannedPage]:
        budget = WorkBudget(REVIEW_SECONDS)
        places = ReaderPlaces(after.site, after.around)
        order = sorted(done.touched, key=lambda path: (path not in done.texts, path))
        found = [self._page(path, done, after, budget) for path in order]
        shown = sorted((one for one in found if one), key=lambda page: page.path)
        return (one if one.deleted else replace(one, place=places.of(one.path)) for one in shown)

    def _outlined(
        self, pages: tuple[PlannedPage, ...], done: AppliedSteps, after: SiteState
    ) -> tuple[PlannedPage, ...]:
        """The pages with their outlines, those first that were written or edited."""
        outlines = BoundedOutlines(after.review, after.site, WorkBudget(OUTLINE_SECONDS))
        order = sorted(
            (one.path for one in pages if not one.deleted), key=lambda path: (path not in done.texts, path)
        )
        found = {path: outlines.of(path) for path in order}
        return tuple(replace(one, outline=found.get(one.path)) for one in pages)

    def _page(
        self, path: str, done: AppliedSteps, after: SiteState, budget: WorkBudget
    ) -> PlannedPage | None:
        origin = done.origins.get(path, path)
        source, old = self._copy.source(path), self._copy.source_before(origin)
        if origin == path and any(one == path != name for name, one in done.origins.items()):
            old = None  # what was here is elsewhere now
        if source is None:
            if old is None:
                return None  # it came and went within the change
            url = address_of(old, self._site.config)
            return PlannedPage(
                path, old.format, old.file, url, False, "", "", SentText(1, 1), (), deleted=True
            )
        twin = self._copy.page(path).twin or f"{path}{TWIN_SUFFIX}"
        found = None if budget.is_spent else after.review.shown(source, twin, after.site)
        return PlannedPage(
            path,
            source.format,
            source.file,
            address_of(source, after.site.config),
            old is None,
            origin if old is not None and origin != path else "",
            source.revision,
            done.texts.get(path) or _as_given(source),
            found,
        )

    def _broken(self, before: SiteState, after: SiteState, done: AppliedSteps) -> tuple[Inbound, ...] | None:
        budget = WorkBudget(LINKS_SECONDS)
        try:
            touched = frozenset(done.touched)
            return broken_links(before, after, touched, done.origins, budget, astray=done.astray)
        except OutOfTime:
            return None


def _as_given(source: Source) -> SentText:
    """The lines of a page's body as clients are given it."""
    document, body = split(source.text, source.file), given_body(source)
    shift = body[: len(body) - len(document.body)].count("\n")
    return SentText(1 + shift, document.first_line)


class TooMuchToChange(TwinpressError):
    """The files of one change are too many, or too large."""


def _conflicts(state: SiteState) -> Iterator[Diagnostic]:
    found = (*state.site.diagnostics, *state.around.diagnostics)
    return (one for one in found if one.code == "path-conflict")


def _other_redirects(before: Site, now: Site) -> Mapping[str, str | None]:
    old, new = own_redirects(before.config), own_redirects(now.config)
    changed = {each: leads for each, leads in new.items() if old.get(each) != leads}
    return {**changed, **dict.fromkeys(each for each in old if each not in new)}


class _CopiedMemory(Memory):
    """A memory of the pages of a site as they were just read, but for those that are `changed`."""

    changed: Mapping[str, bytes | None] = {}
    read_before: Mapping[PageFile, Read] = {}

    def recall(self, file: PageFile) -> Read | None:
        """Return the page when it is known as it is now."""
        return None if self._is_changed(file) else self.read_before.get(file)

    def read(self, store: SourceReader, file: PageFile) -> Read:
        """Return the page as it is now."""
        return self.recall(file) or read(store, file)

    def keep(self, paths: frozenset[str]) -> None:
        """Forget nothing: the memory is another's."""

    def _is_changed(self, file: PageFile) -> bool:
        return file.file in self.changed or (file.twin_file or "") in self.changed
