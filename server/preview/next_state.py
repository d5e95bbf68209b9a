"""From one state of the preview to the next; for the thread that builds."""

from __future__ import annotations

import gc
import time
from collections.abc import Callable, Collection, Iterable
from pathlib import Path

from msgspec.structs import replace

from builder.diagnostics import Diagnostic
from builder.errors import TwinpressError
from builder.plan.options import Options
from builder.preview import DraftPage, PageCrew, Preview, UnsavedText
from builder.preview.page_maker import Maker
from builder.report import Problem
from server.preview.confinement import confinement
from server.preview.notice import notice
from server.preview.problems import Problems, of_crash, of_error
from server.preview.snapshot import Ask, Made, Shown, Snapshot

LARGE = 100
"""Pages; when more are made, very many values come and stay."""


class NextState:
    """The states of the site in `root`, whose pages `maker` makes, and a `crew` where nobody waits for them;
    `ask` is how others ask for its files.

    `is_behind` says whether this server has changed a source since the last state: that need not be among
    the changes that are told by then.
    """

    def __init__(
        self,
        root: Path,
        options: Options,
        ask: Ask,
        is_behind: Callable[[], bool],
        maker: Maker | None = None,
        *,
        crew: PageCrew | None = None,
    ) -> None:
        self._ask = ask
        self._is_behind = is_behind
        self._options = options
        self._preview = Preview(root, options, maker, crew)
        self._problems = Problems()
        self._last = Snapshot(assets=time.time_ns())
        self._fine = False
        self._large = False

    @property
    def made(self) -> int:
        """The number of pages that are made."""
        return self._last.pages - self.pending - self.unfinished

    @property
    def pending(self) -> int:
        """The number of pages that may have to be made yet."""
        return self._preview.pending

    @property
    def included(self) -> frozenset[str]:
        """Files that pages include, by their way from the site's folder."""
        return self._preview.included

    @property
    def unfinished(self) -> int:
        """The number of pages being made elsewhere, as they take longer than others."""
        return self._preview.unfinished

    def resume(self) -> None:
        """Ask again for those pages: one of them may be there by now."""
        self._preview.resume()

    @property
    def is_outline(self) -> bool:
        """True as long as not all pages of a large site have been read."""
        return self._preview.is_outline

    def begin(self, wake: Callable[[], None] | None = None) -> None:
        """Read the site for the first time. Raises TwinpressError when that cannot be done.

        With `wake` a large one is only looked at. Then `read` reads it, and `wake` is called when `arrive`
        is to be.
        """
        started = time.monotonic()
        gc.disable()  # very many values come, and stay
        try:
            if wake is None:
                self._preview.update()
            else:
                self._preview.begin(wake)
        except TwinpressError:
            raise
        except Exception as error:  # noqa: BLE001 - a fault of ours must not take the preview down; it is shown
            self._fail(started, [of_crash(error)])
            return
        finally:
            if not self._preview.is_outline:
                gc.enable()
        self._renew(started, frozenset())

    def read(self) -> bool:
        """Begin to read all of a large site, if that is to be done."""
        return self._preview.read()

    def arrive(self, seen: Collection[str]) -> bool:
        """Show a large site once all of it is read; return whether it is. Total, as `follow` is."""
        if not self._preview.has_read:
            return False
        self._advance(frozenset(), lambda: self._preview.take(seen))
        gc.freeze()
        gc.enable()
        return True

    def follow(self, changed: frozenset[str], seen: Iterable[str]) -> None:
        """Read again what has changed; `seen` are the output paths that somebody looks at.

        Total: what goes wrong is shown over the last pages.
        """
        self._problems.forget(changed)
        known = frozenset[str]() if self._is_behind() else changed
        self._advance(changed, lambda: self._preview.update(known, seen))

    def _advance(self, changed: frozenset[str], look: Callable[[], Iterable[Diagnostic]]) -> None:
        """Show what there is after a look at the sources, which gives what is wrong when they are refused."""
        started = time.monotonic()
        try:
            refused = tuple(look())
        except TwinpressError as error:
            self._fail(started, [of_error(error)])
        except Exception as error:  # noqa: BLE001 - as above
            self._fail(started, [of_crash(error)])
        else:
            if refused:
                self._fail(started, self._shown(refused))
            else:
                self._renew(started, changed)

    def work(self, seconds: float) -> None:
        """Make pages that are not made yet, for about so long; what goes wrong is shown over the pages."""
        try:
            self._preview.work(seconds)
        except TwinpressError as error:
            self._fail(self._last.started, [of_error(error)])

    def get(self, output: str) -> Made:
        """The file at an output path.

        Raises ThemeError when a template of the site's own fails on it, Unfinished when it is not there yet.
        """
        try:
            return self._preview.get(output)
        except TwinpressError as error:
            self._fail(self._last.started, [of_error(error)])
            raise

    def draft(self, unsaved: UnsavedText) -> DraftPage:
        """Render a page from a text that is not saved. Raises TwinpressError."""
        return self._preview.draft(unsaved)

    def needs_all(self, output: str) -> bool:
        """Return whether all pages have to be made before this file is."""
        return self._preview.needs_all(output)

    def snapshot(self) -> Snapshot:
        """The state as it is now, which is complete when all pages are made."""
        last = self._last
        if self._fine:
            is_complete = not (self.pending or self.unfinished)
            last = self._complete(last) if is_complete else replace(last, complete=False)
        taken = time.monotonic() - last.started
        self._last = replace(last, number=last.number + 1, seconds=taken)
        return self._last

    def is_outdated(self) -> bool:
        """Return whether something else than a file of the site has changed what it is."""
        return self._fine and self._preview.is_outdated()

    def settle(self) -> None:
        """Get ready for a long time in which little changes."""
        self._preview.close()
        if self._large:
            self._large = False
            gc.freeze()  # what stays need not be looked through again and again

    def close(self) -> None:
        """Let go of all files and processes."""
        self._preview.close()

    def _complete(self, last: Snapshot) -> Snapshot:
        problems = self._shown(self._preview.diagnostics())
        return replace(last, problems=problems, complete=True, output=self._output())

    def _renew(self, started: float, changed: Collection[str]) -> None:
        """Show what the sources are now."""
        last, state = self._last, self._preview.state
        files = {*state.copied.values(), *last.output.copied.values()}
        self._fine = True
        self._large = self._large or self.pending > LARGE
        self._last = replace(
            last,
            started=started,
            output=self._output(),
            base=state.site.config.base_path,
            title=state.site.config.title,
            pages=len(state.site.pages),
            is_outline=self._preview.is_outline,
            assets=time.time_ns() if not files.isdisjoint(changed) else last.assets,
            stale=False,
            notice=self._notice(),
            confinement=confinement(
                state.copied,
                agreed=state.prepared.agreed,
                withheld=not self._options.trusted or state.prepared.withheld is not None,
            ),
        )

    def _fail(self, started: float, problems: Iterable[Problem]) -> None:
        """Show what there was before, and why."""
        self._fine = False
        self._last = replace(
            self._last,
            started=started,
            problems=tuple(problems),
            stale=bool(self._last.paths),
            complete=True,
        )

    def _notice(self) -> str:
        withheld = self._preview.state.prepared.withheld
        return notice(withheld, self._options) if withheld is not None else ""

    def _output(self) -> Shown:
        state = self._preview.state
        return Shown(state.written.keys(), state.copied, self._preview.places, self._ask)

    def _shown(self, found: Iterable[Diagnostic]) -> tuple[Problem, ...]:
        return self._problems.of(found, self._preview.store)
