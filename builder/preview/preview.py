"""A site that is looked at while it is written: what is asked for is made then, the rest little by little.

    update     read what has changed; where that is the text of pages alone, nothing else is looked at
    work       make some of the pages that are not made yet
    get        one file: a page is made now, lists of the whole site by whoever asked for them
    draft      one page from a text that is not saved
    resume     go on with pages that took longer than others, of which `maker` says that they may be there

Whatever the order of these, each file is what a build from nothing would write, byte for byte.
"""

from __future__ import annotations

import time
from collections.abc import Collection, Iterable
from contextlib import suppress
from pathlib import Path

from builder.diagnostics import Diagnostic
from builder.plan.atom_feed import atom_feed
from builder.plan.llms_full import is_part
from builder.plan.options import Options
from builder.plan.prepare import changes_of
from builder.plan.site_files import FULL
from builder.preview.draft_page import DraftPage, UnsavedText, draft_page
from builder.preview.file_cache import Frames, Later, all_addresses, all_texts, search_files
from builder.preview.page_maker import Maker, OwnThread, Unfinished
from builder.preview.page_texts import PageText, Texts
from builder.preview.site_paths import (
    SEARCH,
    SEARCH_FOLDER,
    OfAll,
    OfFeed,
    OfPage,
    SitePaths,
    turns_out,
)
from builder.preview.site_state import SiteDiagnostics, State, read_state, reread
from builder.store import ContentStore
from builder.unicode import encoded

CONFIG_INVALID = "config-invalid"
TRYING = 0.1
"""Seconds for which pages are put into templates of the site's own before a new state is shown."""


class Preview:
    """The site in `root`. For one thread, but for `places`."""

    def __init__(self, root: Path, options: Options, maker: Maker | None = None) -> None:
        self._root = root
        self._options = options
        self._maker = maker or OwnThread()
        self._texts = Texts(root, self._maker, options.cache)
        self._frames = Frames()
        self._findings = SiteDiagnostics()
        self._state: State | None = None
        self._store: ContentStore | None = None
        self._sure = False
        self._pending: dict[str, None] = {}
        self._unfinished: dict[str, None] = {}
        self._failing: dict[str, None] = {}
        self._later: dict[str, tuple[object, Later]] = {}
        self._earlier = Later(dict)

    @property
    def state(self) -> State:
        """The state that is shown."""
        assert self._state is not None  # noqa: S101 - nobody asks before the first update
        return self._state

    @property
    def store(self) -> ContentStore:
        """The site's files."""
        assert self._store is not None  # noqa: S101 - as above
        return self._store

    @property
    def pending(self) -> int:
        """The number of pages that may have to be made yet."""
        return len(self._pending)

    @property
    def unfinished(self) -> int:
        """The number of pages being made that take longer than others; `resume` has them asked for again."""
        return len(self._unfinished)

    @property
    def included(self) -> frozenset[str]:
        """Files that pages include, by their way from the site's folder."""
        return self._texts.included

    @property
    def places(self) -> SitePaths:
        """All output paths, which become more while pages are made."""
        made = (self._later[name][1].made for name in (SEARCH, FULL) if name in self._later)
        return SitePaths(self.state.written, self.state.copied, self._texts.files, *made)

    def update(self, changed: Collection[str] = (), seen: Iterable[str] = ()) -> tuple[Diagnostic, ...]:
        """Look at the sources again after `changed` did; nothing known of that is everything.

        The pages at the output paths in `seen` are made first. Gives what is wrong when the sources are not
        taken, as nobody can read `site.yml` any more; what was shown stays then, as it does when one of the
        errors is raised that read_state raises.
        """
        last, self._sure, sure = self._state, False, self._sure
        memory, near = self._texts.memory, None
        if last is not None and sure and changed:
            near = reread(self.store, self._options, memory, last, changed)
        state = near or read_state(self._opened(), self._options, memory, self._maker.templates)
        if last is not None and _is_sound(last) and not _is_sound(state):
            return state.site.diagnostics
        dirty = _pages_of(state, changed) if near else state.pages
        saved = _pages_of(state, changed)
        self._texts.try_again(saved)
        self._frames.try_again(saved)
        first = [*_shown(state, seen), *saved, *dirty]
        self._try(state, first)
        self._adopt(state, first)
        self._sure = True
        return ()

    def work(self, seconds: float) -> None:
        """Make pages that are not made yet, for about so long.

        Raises ThemeError when a template of the site's own fails on one, which the next update tries first.
        """
        until = time.perf_counter() + seconds
        while self._pending and time.perf_counter() < until:
            with suppress(Unfinished):
                text = self._text(next(iter(self._pending)))
                self._try_templates(text)

    def resume(self) -> None:
        """Ask again for pages that were not finished: one of them may be by now."""
        unfinished = (path for path in self._unfinished if path in self.state.pages)
        self._pending = {**dict.fromkeys(unfinished), **self._pending}
        self._unfinished = {}

    def get(self, output: str) -> bytes | Later | None:
        """The file at an output path; None when nothing is made there.

        Raises Unfinished when it takes a page that takes longer than others.
        """
        source = self.state.written.get(output)
        if isinstance(source, OfPage):
            return self._form(source)
        if isinstance(source, OfFeed):
            return self._feed(source)
        if isinstance(source, OfAll):
            return self._whole(output, source)
        if source is not None:
            return self._frames.other(self.state, output, source)
        if output.startswith(SEARCH_FOLDER):
            return self._shard()
        if is_part(output):
            return self._whole(FULL, OfAll.TEXTS)
        return self._texts.files.get(output)

    def draft(self, unsaved: UnsavedText) -> DraftPage:
        """Render a page from a text that is not saved; nothing of it is kept but the files that it brings.

        Raises as `draft_page` does.
        """
        made = draft_page(self._root, self.store, self._options, self.state, unsaved)
        self._texts.keep_files(made.files)
        return made

    def needs_all(self, output: str) -> bool:
        """Return whether this file, or the news that there is none, needs all pages to be made."""
        if output in self.state.written:
            return isinstance(self.state.written[output], OfAll)
        return turns_out(output)

    def diagnostics(self) -> tuple[Diagnostic, ...]:
        """All that is wrong with the site, sorted by place; all pages are made for that, if they are not.

        There may be none that is `unfinished`.
        """
        while self._pending:
            self.work(1.0)
        return tuple(sorted({*self._findings.of(self.state), *self._frames.diagnostics(self.state)}))

    def is_outdated(self) -> bool:
        """Return whether git says something else by now, which no file of the site tells."""
        state = self.state
        return changes_of(self._root, state.site.config, self._options) != state.prepared.changes

    def close(self) -> None:
        """Let all files go."""
        self._texts.close()

    def _opened(self) -> ContentStore:
        """The store, opened anew, as another folder may stand in the place of the site's.

        Opening tidies up in all folders of the site, so that a save does without.
        """
        store = ContentStore(self._root)
        if self._store is not None:
            self._store.close()
        self._store = store
        return store

    def _try(self, state: State, pages: Iterable[str]) -> None:
        """Put some pages into the site's own templates, as these may fail; `work` tries the others."""
        if not state.has_templates:
            return
        if self._state is not None:
            self._pending = dict.fromkeys(self._state.pages)  # which are others if it is not taken
        for output, source in state.written.items():
            if not isinstance(source, OfPage | OfFeed | OfAll):
                with suppress(Unfinished):
                    self._frames.other(state, output, source)
        until = time.perf_counter() + TRYING
        for path in dict.fromkeys((*self._failing, *pages)):
            if path in state.pages:
                with suppress(Unfinished):
                    self._framed(state, self._texts.made(state.pages[path], state.around))
            if time.perf_counter() > until:
                break

    def _try_templates(self, text: PageText) -> None:
        """Put a page into templates of the site's own, one that takes long after the other.

        When these take too long for one page, the others are not tried before somebody looks at them.
        """
        if not self.state.has_templates or self._frames.diagnostics(self.state):
            return
        if self._unfinished:
            self._unfinished[text.page.path] = None
        else:
            self._framed(self.state, text)

    def _framed(self, state: State, text: PageText) -> bytes:
        """A page in its frame; one on which that fails is tried again first with the next state."""
        self._failing[text.page.path] = None
        try:
            data = self._frames.page(state, text)
        except Unfinished:
            self._unfinished[text.page.path] = None
            raise
        del self._failing[text.page.path]
        return data

    def _adopt(self, state: State, dirty: Iterable[str]) -> None:
        if self._state is None or state.prepared is not self._state.prepared:
            self._texts.version += 1
            self._texts.keep_only(state.pages.keys())
        self._state = state
        first = dict.fromkeys(path for path in dirty if path in state.pages)
        rest = (path for path in (*self._pending, *self._unfinished) if path in state.pages)
        self._pending, self._unfinished = {**first, **dict.fromkeys(rest)}, {}

    def _text(self, path: str) -> PageText:
        self._pending.pop(path, None)
        try:
            text = self._texts.made(self.state.pages[path], self.state.around)
        except Unfinished:
            self._unfinished[path] = None
            raise
        self._unfinished.pop(path, None)
        self._findings.take(text)
        return text

    def _form(self, source: OfPage) -> bytes:
        text = self._text(source.path)
        if source.html:
            return self._framed(self.state, text)
        return encoded(self.state.prepared.shared.pointer + text.twin)

    def _feed(self, source: OfFeed) -> bytes:
        text = self._text(source.path)
        return atom_feed(text.page, self.state.prepared.shared, text.made.body.updates)

    def _whole(self, output: str, source: OfAll) -> Later:
        """Return a file that is made of all pages, the same for as long as these are."""
        while self._pending:
            self.work(1.0)
        known = self._later.get(output)
        if known is not None and (self._unfinished or known[0] == self._texts.version):
            return known[1]
        if self._unfinished:
            raise Unfinished
        texts = {path: self._texts.known(path) for path in self.state.pages}
        if source is OfAll.SEARCH:
            self._earlier = known[1] if known and known[1].made else self._earlier
            made = search_files(self.state, texts.values())
        else:
            is_text = source is OfAll.TEXTS
            made = all_texts(self.state, texts) if is_text else all_addresses(output, self.state, texts)
        self._later[output] = self._texts.version, made
        return made

    def _shard(self) -> Later:
        """The files of the search, also of an earlier one: a browser may still use that."""
        found = self._whole(SEARCH, OfAll.SEARCH)
        return Later(lambda: {**self._earlier.made, **found.files()})


def _pages_of(state: State, files: Iterable[str]) -> list[str]:
    """The content paths of the pages that these files belong to."""
    numbers = (state.files[file] for file in files if file in state.files)
    paths = (state.sources.scan.pages[number].path for number in numbers)
    return [path for path in paths if path in state.pages]


def _shown(state: State, outputs: Iterable[str]) -> list[str]:
    """The pages at these output paths."""
    found = map(state.written.get, outputs)
    return [source.path for source in found if isinstance(source, OfPage)]


def _is_sound(state: State) -> bool:
    """Return whether `site.yml` could be read."""
    return all(found.code != CONFIG_INVALID for found in state.site.diagnostics)
