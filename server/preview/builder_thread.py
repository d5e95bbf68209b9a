"""The thread that builds: once at the start, then whatever has changed or is asked for."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Collection, Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from threading import Thread

from msgspec import Struct

from builder.plan.options import Options
from builder.preview import PageCrew, ProcessRenderer
from builder.watch.watcher import Watcher
from builder.workers.processors import processors
from server.preview.build_orders import Inbox, Question
from server.preview.next_state import NextState
from server.preview.snapshot import Progress, Snapshot

FIRST_PATIENCE, PATIENCE = 0.5, 0.04
"""Seconds after which a state is shown although not all pages are made: at the start, and later. So long a
large site waits for somebody to ask for its first page before all are read."""
SLICE = 0.005
"""Seconds of making pages after which somebody else gets a turn."""

Built = Callable[[Snapshot, frozenset[str]], None]
"""Told of every state, and of the sources whose change led to it when it is told for the first time."""


class PreviewJob(Struct, frozen=True):
    """The order to build a site, and whom to tell; the callbacks are called in the building thread.

    `can_wait` is asked whether a build that is due since a moment (`time.monotonic`) may be made later,
    `is_behind` whether the last state may lack a change of this server's own, `seen` for the output paths of
    pages that are open in browsers.
    """

    root: Path
    options: Options
    progress: Progress
    built: Built
    can_wait: Callable[[float], bool]
    is_behind: Callable[[], bool]
    seen: Callable[[], Collection[str]]


class BuilderThread:
    """A daemon thread, so that a long build never holds up the end of the program."""

    def __init__(self, job: PreviewJob) -> None:
        self._job = job
        self._inbox = Inbox(job.can_wait)
        self._renderer = ProcessRenderer(self._inbox.wake)
        self._parked: list[Question] = []
        self._unanswered: list[Question] = []
        self._told = True
        self._included: frozenset[str] = frozenset()
        self._ending = False
        self._thread = Thread(target=self._run, name="twinpress-build", daemon=True)
        self._failed: asyncio.Future[None] | None = None

    def start(self) -> asyncio.Future[None]:
        """Start building; the future gets the error of a first build that cannot be done."""
        self._failed = asyncio.get_running_loop().create_future()
        self._thread.start()
        return self._failed

    def push(self, source: str) -> None:
        """Build again though nothing was seen to change; `source` is what did. From any thread."""
        self._inbox.change(frozenset({source}))

    def is_set(self) -> bool:
        """Return whether nobody needs to watch for changes any more."""
        return self._inbox.stopped

    def end(self) -> None:
        """Ask the thread to end; who waits for something gets nothing."""
        self._ending = True
        self._inbox.stop()

    def stop(self, seconds: float) -> bool:
        """The same; whether it did so within `seconds`."""
        self.end()
        self._thread.join(seconds)
        return not self._thread.is_alive()

    def _run(self) -> None:
        try:
            self._follow()
        except Exception as error:  # noqa: BLE001 - handed to the one who waits for it
            self._tell(error)

    def _follow(self) -> None:
        job = self._job
        watcher = Watcher(job.root, lambda: bool(job.seen()), lambda: self._included)
        watching = Thread(target=self._watch, args=(watcher,), name="twinpress-watch", daemon=True)
        watching.start()
        with closing(self._renderer) as renderer, self._answering(watching):
            renderer.start()
            crew = PageCrew(processors())
            course = NextState(job.root, job.options, self._inbox.ask, job.is_behind, renderer, crew=crew)
            with closing(course):
                self._begin(course)
                while not self._inbox.stopped:
                    self._included = course.included
                    self._turn(course)

    def _begin(self, course: NextState) -> None:
        """Show the site for the first time; a large one waits for somebody to ask for a page of it."""
        course.begin(self._inbox.wake)
        self._publish(course, frozenset(), FIRST_PATIENCE)
        if course.is_outline:
            self._inbox.wait(FIRST_PATIENCE)

    @contextmanager
    def _answering(self, watching: Thread) -> Iterator[None]:
        """At the end of the block, who waits for something gets nothing, and nobody watches any more."""
        try:
            yield
        finally:
            self._inbox.stop()
            for question in (*self._parked, *self._unanswered):
                question.settle(lambda _: None)
            watching.join()

    def _watch(self, watcher: Watcher) -> None:
        with watcher:
            try:
                while changed := watcher.wait(self):
                    self._inbox.change(changed)
            except Exception as error:  # noqa: BLE001 - for the thread that builds, which ends by it
                self._inbox.fail(error)

    def _turn(self, course: NextState) -> None:
        """Do what is most urgent."""
        if self._inbox.woken():
            if course.arrive(self._job.seen()):
                self._publish(course, frozenset(), PATIENCE)
            self._resume(course)
        elif changed := self._inbox.changes():
            course.follow(changed, self._job.seen())
            self._publish(course, changed, PATIENCE)
            self._resume(course)
        elif question := self._inbox.question():
            self._answer(course, question)
        elif course.pending:
            self._work(course)
        elif self._parked and course.unfinished:
            self._retry(course, self._parked)
        elif (self._parked or not self._told) and not course.unfinished:
            self._complete(course)
        elif not course.read():
            self._inbox.wait()

    def _publish(self, course: NextState, changed: frozenset[str], patience: float) -> None:
        """Tell of a new state: a complete one when that does not take long, once pages can be made at all."""
        until = time.monotonic() + patience - self._renderer.waited
        while course.pending and time.monotonic() < until + self._renderer.waited and not self._inbox.stopped:
            self._work(course)
        self._told = False
        if course.pending or course.unfinished:
            self._job.built(course.snapshot(), changed)
        else:
            self._complete(course, changed)

    def _complete(self, course: NextState, changed: frozenset[str] = frozenset()) -> None:
        """All pages are made: tell what is wrong with them, and answer who has waited for them."""
        if not self._told:
            self._job.built(course.snapshot(), changed)
        self._told = True
        self._retry(course, self._parked)
        course.settle()
        if course.is_outdated():
            course.follow(frozenset(), self._job.seen())
            self._told = False

    def _work(self, course: NextState) -> None:
        course.work(SLICE)
        self._job.progress(course.made, course.made + course.pending)

    def _answer(self, course: NextState, question: Question) -> None:
        """Give what is asked for, unless all pages have to be made for it."""
        if course.pending and course.needs_all(question.output):
            self._parked.append(question)
        else:
            self._retry(course, [question])

    def _retry(self, course: NextState, questions: list[Question]) -> None:
        """Answer these; of which something is not there yet, they are asked again when it may be."""
        while questions:
            question = questions.pop()
            if not question.settle(course.get):
                self._unanswered.append(question)

    def _resume(self, course: NextState) -> None:
        """A page that took longer than others may be there, or was given up, or is another by now."""
        course.resume()
        waiting, self._unanswered = self._unanswered, []
        for question in waiting:
            self._answer(course, question)

    def _tell(self, error: Exception) -> None:
        future = self._failed
        if future is not None and not self._ending:
            future.get_loop().call_soon_threadsafe(_fail, future, error)


def _fail(future: asyncio.Future[None], error: Exception) -> None:
    if not future.done():
        future.set_exception(error)
