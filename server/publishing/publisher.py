"""Publish what waits to be published, some sites at a time: each build has a thread that looks after it."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack

from builder.errors import StorageError, TwinpressError
from builder.store import ContentStore
from server.control.errors import DatabaseError, SiteNotFound
from server.control.hosted_sites import HostedSites
from server.control.notices.events import NoticeEvent, PublishFailed
from server.control.publish_jobs import GIVEN_UP, PAUSES, JobNotFound, PublishJob
from server.control.site_choices import SiteChoices
from server.log_repeats import Repeats
from server.process.faults import describe
from server.publishing.build_order import BuildLimits
from server.publishing.job_report import Reporter, forget_reports
from server.publishing.make_release import ErrorsFound, ReleaseMaker, ReleaseOrder
from server.publishing.parts import PublishingParts
from server.publishing.publish_lock import publish_lock, switch_lock
from server.publishing.run_build import BuildFailed, BuildInterrupted, Stop
from server.releases.release import ReleaseNotFound
from server.releases.release_store import ReleaseStore

KEPT_RELEASES = 10
_AT_ONCE = 2
_LOOK = 0.25
"""Seconds between two looks for jobs that another process was asked for, and for wishes to stop."""
_TOLD_AGAIN = 30.0
"""Seconds after which looks that go on failing are told again."""
_PATIENCE = 10.0
"""Seconds that a snapshot waits while somebody writes to the site."""


class Publisher:
    """Runs jobs. `choices` are what owners have switched on.

    `notify` is told, for an account, of jobs that have failed.
    """

    def __init__(
        self,
        parts: PublishingParts,
        sites: HostedSites,
        *,
        choices: Callable[[str], SiteChoices],
        notify: Callable[[str, NoticeEvent], None],
        limits: BuildLimits | None = None,
    ) -> None:
        self._parts = parts
        self._jobs, self._folders, self._tell = parts.jobs, parts.folders, parts.tell
        self._sites = sites
        self._choices = choices
        self._notify = notify
        self._limits = limits or BuildLimits()
        self._pool = ThreadPoolExecutor(_AT_ONCE, "twinpress-publishes")
        self._repeats = Repeats(_TOLD_AGAIN)
        self._running: dict[str, tuple[PublishJob, Stop]] = {}
        self._lock = threading.Lock()
        self._ended = threading.Event()
        self._asked = threading.Event()
        self._thread = threading.Thread(target=self._work, name="twinpress-publisher", daemon=True)

    def start(self) -> None:
        """Begin to look for jobs."""
        self._thread.start()

    def nudge(self) -> None:
        """Look at once: there is a new job."""
        self._asked.set()

    def close(self) -> None:
        """End; what is under way is begun again by the next process."""
        self._ended.set()
        self._asked.set()
        with self._lock:
            for _, stop in self._running.values():
                stop.ask("the service is stopping")
        if self._thread.ident is not None:
            self._thread.join()
        self._pool.shutdown()

    def _work(self) -> None:
        while not self._ended.is_set():
            try:
                self._look()
            except Exception as error:  # noqa: BLE001 - the last resort: it is told, and other jobs go on
                if self._repeats.hear("look") is not None:
                    self._tell(f"Looking for what is to be published failed: {describe(error)}")
            self._asked.wait(_LOOK)
            self._asked.clear()

    def _look(self) -> None:
        for site in self._jobs.written():
            if (online := self._is_online(site)) is not None:
                self._jobs.ask_by_itself(site, online=online)
        for job in self._jobs.under_way("running"):
            self._each(job, self._look_after)
        for job in self._jobs.under_way("waiting"):
            if len(self._running) >= _AT_ONCE or self._ended.is_set():
                return
            self._each(job, self._try)

    def _each(self, job: PublishJob, do: Callable[[PublishJob], None]) -> None:
        """Do something with a job; a site whose files cannot be used is in the way of no other."""
        try:
            do(job)
        except (TwinpressError, OSError) as error:
            if self._repeats.hear(job.site) is not None:
                self._tell(f"The site {job.site} cannot be published just now: {describe(error)}")

    def _is_online(self, site: str) -> bool | None:
        """Return whether readers have the site, None where that cannot be told just now."""
        try:
            return self._folders.releases(site).pointer().live > 0
        except TwinpressError as error:
            if self._repeats.hear(("writes", site)) is not None:
                self._tell(f"The site {site} is not published after writes yet: {error}")
            return None

    def _look_after(self, job: PublishJob) -> None:
        """Stop a job of ours that is to stop; have one begun again that nobody works at any more."""
        with self._lock:
            own = self._running.get(job.site)
        if own is not None:
            if job.stop:
                own[1].ask("it was stopped")
            return
        with publish_lock(self._folders.work(job.site)) as ours:
            if ours and job in self._jobs.under_way("running"):  # else it has ended since it was listed
                self._resume(job)

    def _resume(self, job: PublishJob) -> None:
        """Have a job begun again whose process has ended, or give it up, and say so.

        Where its release is there already, the job is done: another one would be the same.
        """
        reporter = Reporter.resumed(self._folders.work(job.site), job.number)
        if made := self._release_of(job):
            reporter.say(f"The service had ended when release {made} was made")
            self._done(job, made, reporter)
        elif self._jobs.resume(job):
            reporter.say("The service has ended meanwhile; all begins again", "waiting")
            self._tell(f"The service had ended while the site {job.site} was published, which begins again")
        else:
            reporter.say(_sentence(GIVEN_UP), "ended")
            self._tell(f"The service had ended twice while the site {job.site} was published: it is given up")
            self._tell_owner(job, GIVEN_UP)

    def _release_of(self, job: PublishJob) -> int:
        """Return the release that has come of a job whose process has ended, 0 for none; readers get it."""
        releases = self._folders.releases(job.site)
        try:
            newest = releases.latest()
            record = releases.get(newest)
            if record.job != job.number or record.created_at < job.asked_at:
                return 0
            releases.complete(record)
        except ReleaseNotFound:
            return 0
        except TwinpressError as error:
            self._tell(f"The releases of the site {job.site} cannot be read, so one more is made: {error}")
            return 0
        return newest

    def _try(self, job: PublishJob) -> None:
        """Begin a job, unless its site is just being published."""
        with ExitStack() as opened:
            if job.site in self._running:
                return
            if not opened.enter_context(publish_lock(self._folders.work(job.site))):
                return
            begun = self._jobs.begin(job.number)
            if begun is None:
                return
            with self._lock:
                self._running[job.site] = begun, Stop(lambda: self._wished(begun))
            self._pool.submit(self._run, begun, opened.pop_all())

    def _wished(self, job: PublishJob) -> str:
        """Return why a job is to end without a release, "" if it is not."""
        if self._jobs.get(job.site, job.number).stop:
            return "it was stopped"
        return self._jobs.why_it_waits(job)

    def _run(self, job: PublishJob, held: ExitStack) -> None:
        with held:
            begin = Reporter if job.attempts == 1 and not job.tries else Reporter.resumed
            reporter = begin(self._folders.work(job.site), job.number)
            try:
                self._publish(job, reporter)
            except TwinpressError as error:
                if not (_may_pass(error) and self._put_off(job, reporter, str(error))):
                    self._failed(job, reporter, str(error))
            except Exception as error:  # noqa: BLE001 - the last resort: its owner and the log are told
                self._tell(f"Publishing the site {job.site} failed: {describe(error)}")
                self._failed(job, reporter, "Twinpress failed; the log of the service says more")
            finally:
                with self._lock:
                    del self._running[job.site]
                self._asked.set()

    def _failed(self, job: PublishJob, reporter: Reporter, said: str) -> None:
        reporter.say(f"{_sentence(said)}. Nothing was changed for readers", "ended")
        told = f"The site {job.site} is not published"
        # If it cannot be noted, the job runs without a lock: the next process resumes it.
        if self._noted(told, lambda: self._jobs.failed(job.number, said)):
            self._tell_owner(job, said)

    def _put_off(self, job: PublishJob, reporter: Reporter, said: str) -> bool:
        """Have a job that is there by itself tried again after a while; False where that is not done."""
        told, put_off = f"The site {job.site} is not published", list[bool]()
        self._noted(told, lambda: put_off.append(self._jobs.put_off(job, said)))
        if not (put_off and put_off[0]):
            return False
        again = f"it is tried again in {_pause(PAUSES[job.tries])}"
        reporter.say(f"{_sentence(said)}. Nothing was changed for readers, and {again}", "waiting")
        self._tell(f"{told} by itself yet, and {again}: {said}")
        return True

    def _noted(self, what: str, note: Callable[[], None]) -> bool:
        """Note the end of a job as soon as that can be written; False at the end of all."""
        told = False
        while not self._ended.is_set():
            try:
                note()
            except TwinpressError as error:
                if not told:
                    self._tell(f"{what}, which cannot be noted yet: {error}")
                told = True
                self._ended.wait(_LOOK)
            else:
                return True
        return False

    def _tell_owner(self, job: PublishJob, said: str) -> None:
        """Tell the owner of a site why there is no release, unless somebody wished it, or it is no news."""
        try:
            if job.by_itself and self._jobs.has_failed_alike(job, said):
                return  # writes may come every minute
            if not self._jobs.get(job.site, job.number).was_stopped:
                site = self._sites.get(job.site)
                self._notify(site.account, PublishFailed(site.name, job.number, said, job.by_itself))
        except (SiteNotFound, JobNotFound):
            return  # it was deleted meanwhile
        except TwinpressError as error:
            self._tell(f"The owner of the site {job.site} could not be told of a failure: {error}")

    def _publish(self, job: PublishJob, reporter: Reporter) -> None:
        site = self._sites.get(job.site)
        if site.delete_at is not None:
            raise SiteNotFound("the site is to be deleted")
        if site.suspended:
            raise BuildFailed("the account is suspended")
        if why := self._wished(job):
            raise BuildFailed(why)
        reporter.say("Begun", "snapshot")
        work, releases = self._folders.work(job.site), self._folders.releases(job.site)
        wanted = ReleaseOrder(
            site.plan,
            self._parts.url(site),
            job.actor,
            job.despite_errors,
            keeps_addresses=job.by_itself,
            counts_searches=self._choices(site.id).counts_searches,
            job=job.number,
            analytics=self._parts.analytics,
        )
        with ContentStore(self._parts.root(job.site), patience=_PATIENCE) as store:
            maker = ReleaseMaker(store, work, releases, time.time, self._limits)
            try:
                made = maker.make(wanted, reporter.audience, self._running[job.site][1])
            except ErrorsFound as found:
                reporter.built(found.event)
                raise
        self._done(job, made.record.number, reporter)

    def _done(self, job: PublishJob, number: int, reporter: Reporter) -> None:
        releases = self._folders.releases(job.site)
        reporter.say(_switched(number, releases.pointer().live), "ended")
        told = f"The site {job.site} has release {number}"
        if self._noted(told, lambda: self._jobs.done(job.number, number)):
            self._sweep(job, releases)

    def _sweep(self, job: PublishJob, releases: ReleaseStore) -> None:
        """Delete what is not needed any more; when that fails, the next job does it."""
        try:
            with switch_lock(self._folders.work(job.site)):
                releases.sweep(KEPT_RELEASES)
            forget_reports(self._folders.work(job.site), KEPT_RELEASES)
        except (TwinpressError, OSError) as error:
            self._tell(f"Deleting old releases of the site {job.site} failed: {error}")


def _may_pass(error: TwinpressError) -> bool:
    """Return whether what has failed may go well after a while: the disk, the store, a process."""
    return isinstance(error, StorageError | DatabaseError | BuildInterrupted)


def _pause(seconds: int) -> str:
    return f"{seconds} seconds" if seconds < 60 else f"{seconds // 60} minutes"


def _switched(number: int, live: int) -> str:
    if number == live:
        return f"Readers have release {number}"
    return f"Release {number} is kept; readers have release {live}, which is pinned"


def _sentence(text: str) -> str:
    return text[:1].upper() + text[1:]
