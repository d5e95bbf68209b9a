"""A site that is looked at while it is written: what is asked for is made then, the rest little by little.

    begin      show what can be shown at once: pages of a large site before all are read
    update     read what has changed; where that is the text of pages alone, nothing else is looked at
    work       make some of the pages that are not made yet
    get        one file: a page is made now, lists of the whole site by whoever asked for them
    draft      one page from a text that is not saved
    resume     go on with pages that took longer than others, of which `maker` says that they may be there

Whatever the order of these, each file is what a build from nothing would write, byte for byte; but for pages
of an outline, whose frames are guessed until all pages are read.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Collection, Iterable
from contextlib import suppress
from itertools import islice
from pathlib import Path

from builder import theme
from builder.diagnostics import Diagnostic
from builder.plan.atom_feed import atom_feed
from builder.plan.llms_full import is_part
from builder.plan.options import Options
from builder.plan.prepare import changes_of
from builder.plan.site_files import FULL
from builder.preview.draft_page import DraftPage, UnsavedText, draft_page
from builder.preview.file_cache import Frames, Later
from builder.preview.page_crew import MadePage, PageCrew
from builder.preview.page_maker import Maker, OwnThread, Unfinished
from builder.preview.page_texts import PageText, Texts
from builder.preview.site_diagnostics import SiteDiagnostics
from builder.preview.site_outline import LARGE, Beginning, Outline, read_outline
from builder.preview.site_paths import (
    SEARCH,
    SEARCH_FOLDER,
    OfAll,
    OfFeed,
    OfPage,
    SitePaths,
    turns_out,
)
from builder.preview.site_state import State, pages_of, read_state, reread, shown
from builder.preview.whole_files import WholeFiles
from builder.site import SitePage
from builder.store import ContentStore
from builder.unicode import encoded

CONFIG_INVALID = "config-invalid"
FEW = 50
"""Pages that are not worth more processes."""
TRYING = 0.1
"""Seconds for which pages are put into templates of the site's own before a new state is shown."""


class Preview:
    """The site in `root`; where it is large, a `crew` makes pages that nobody waits for.

    For one thread, but for `places`.
    """

    def __init__(
        self, root: Path, options: Options, maker: Maker | None = None, crew: PageCrew | None = None
    ) -> None:
        self._root = root
        self._crew = crew
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
        self._files = WholeFiles(self._texts)
        self._beginning: Beginning | None = None

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
        """The number of pages being made that take longer than others; `resume` has them asked for again.

        A site that is still being read counts as one.
        """
        return len(self._unfinished) + self.is_outline

    @property
    def is_outline(self) -> bool:
        """True as long as not all pages of a large site have been read."""
        return self._beginning is not None

    @property
    def has_read(self) -> bool:
        """True if they have been by now, or cannot be: then `take` is to be called."""
        return self._beginning is not None and self._beginning.has_read

    @property
    def included(self) -> frozenset[str]:
        """Files that pages include, by their way from the site's folder."""
        return self._texts.included

    @property
    def places(self) -> SitePaths:
        """All output paths, which become more while pages are made."""
        return SitePaths(self.state.written, self.state.copied, self._texts.files, *self._files.made)

    def begin(self, wake: Callable[[], None], least: int = LARGE) -> None:
        """Look at the sources for the first time. Raises as `update` does.

        Where there are at least so many pages `read` is to be called, which calls `wake` at its end.
        """
        templates = self._maker.templates
        found = read_outline(self._opened(), self._options, templates, least)
        if found is None:
            self.update()
            return
        self._beginning = Beginning(found, self._options, templates, wake)
        self._maker.expect(found.state.around.context)
        self._adopt(found.state, ())

    def read(self) -> bool:
        """Begin to read a large site aside, if that is to be done."""
        return self._beginning is not None and self._beginning.read()

    def take(self, seen: Collection[str] = ()) -> tuple[Diagnostic, ...]:
        """Show the whole site, now that it is read, with all that has changed meanwhile; as `update`."""
        assert self._beginning is not None  # noqa: S101 - `has_read` has told so
        whole, missed = self._beginning.result()
        self._texts.go_on(whole.memory, self.store)
        first = [*shown(whole.state, seen), *whole.state.pages]
        self._try(whole.state, first)
        self._beginning = None
        self._adopt(whole.state, first)
        self._sure = True
        return () if missed == frozenset() else self.update(missed or (), seen)

    def update(self, changed: Collection[str] = (), seen: Iterable[str] = ()) -> tuple[Diagnostic, ...]:
        """Look at the sources again after `changed` did; nothing known of that is everything.

        The pages at the output paths in `seen` are made first. Gives what is wrong when the sources are not
        taken, as nobody can read `site.yml` any more; what was shown stays then, as it does when one of the
        errors is raised that read_state raises.
        """
        if self._beginning is not None:
            self._beginning.miss(changed)
            return ()
        last, self._sure, sure = self._state, False, self._sure
        memory, near = self._texts.memory, None
        if last is not None and sure and changed:
            near = reread(self.store, self._options, memory, last, changed)
        state = near or read_state(self._opened(), self._options, memory, self._maker.templates)
        if last is not None and _is_sound(last) and not _is_sound(state):
            return state.site.diagnostics
        dirty = pages_of(state, changed) if near else state.pages
        saved = pages_of(state, changed)
        self._texts.try_again(saved)
        self._frames.try_again(saved)
        first = [*shown(state, seen), *saved, *dirty]
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
            if self._crew is not None and self._texts.memory.packs and len(self._pending) > FEW:
                self._work_together(self._crew, until)
            else:
                self._make(next(iter(self._pending)))

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
        if self._beginning is not None:
            return self._outlined(self._beginning.outline, output)
        if isinstance(source, OfPage):
            return self._form(source)
        if isinstance(source, OfFeed):
            return self._feed(source)
        if isinstance(source, OfAll):
            return self._whole(output, source)
        if source is not None:
            return self._frames.other(self.state, output, source)
        if output.startswith(SEARCH_FOLDER):
            return self._files.shard(self._whole(SEARCH, OfAll.SEARCH))
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
        """Let all files go, and processes that are not needed."""
        if self._beginning is not None:
            self._beginning.stop()
        if self._crew is not None:
            self._crew.close()
        self._texts.close()

    def _outlined(self, outline: Outline, output: str) -> bytes:
        """A page of a site that is still being read, or a file of the theme; all else has to wait."""
        source = self.state.written.get(output)
        if isinstance(source, OfPage) and source.html:
            page = outline.page(self.store, source.path)
            return self._framed(self.state, self._texts.made(page, self.state.around, is_new=True))
        own = None if isinstance(source, OfPage | OfFeed | OfAll) else source
        if own is not None and output.startswith(f"{theme.FOLDER}/"):
            return self._frames.other(self.state, output, own)
        raise Unfinished

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
        if self._state is not None and self._beginning is None:
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

    def _make(self, path: str) -> None:
        with suppress(Unfinished):
            self._try_templates(self._text(path))

    def _work_together(self, crew: PageCrew, until: float) -> None:
        """Have pages that are not at hand made by the crew, and take what it has made by then."""
        around, busy, asked = self.state.around, crew.paths, list[SitePage]()
        for path in tuple(islice(self._pending, crew.most)):
            page = self.state.pages[path]
            if path in busy:
                continue
            if path in crew.left or self._texts.at_hand(page, around):
                self._make(path)
            elif len(asked) < crew.wanted:
                asked.append(page)
        crew.ask(asked, around.context)
        for made in crew.made(until - time.perf_counter()):
            self._take(made)

    def _take(self, made: MadePage) -> None:
        """Keep a page that the crew has made, unless it is another by now."""
        path, around = made.page.path, self.state.around
        is_right = made.context is around.context and self.state.pages.get(path) is made.page
        if is_right and path in self._pending and self._texts.take(made.page, around, made.row):
            self._make(path)

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
        is_another = self._state is None or state.prepared is not self._state.prepared
        if is_another:
            self._texts.version += 1
            self._texts.keep_only(state.pages.keys())
        self._state = state
        first = dict.fromkeys(path for path in dirty if path in state.pages)
        rest = {**self._pending, **self._unfinished}
        if is_another:
            rest = dict.fromkeys(path for path in rest if path in state.pages)
        self._pending, self._unfinished = {**first, **rest}, {}

    def _text(self, path: str) -> PageText:
        self._pending.pop(path, None)
        try:
            text = self._texts.made(self.state.pages[path], self.state.around)
        except Unfinished:
            self._unfinished[path] = None
            raise
        except BaseException:
            self._pending[path] = None  # it is not made
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
        return self._files.file(self.state, output, source, are_all_there=not self._unfinished)


def _is_sound(state: State) -> bool:
    """Return whether `site.yml` could be read."""
    return all(found.code != CONFIG_INVALID for found in state.site.diagnostics)
