"""Files of settings as operations change them: planned in the process that reads pages, written by the store.

Where a file is another one by the time it is written, the change is planned again.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

from msgspec import Struct

from builder.config.navigation_text import settings_revision
from builder.errors import RevisionMismatch, TwinpressError
from builder.site import CONFIG_FILE
from builder.store import Replacement
from server.authoring.authoring_parts import AuthoringParts
from server.authoring.calls import Caller
from server.authoring.review_process import Question
from server.authoring.store_failures import failure_of
from server.http.failure import Failure

Texts = Mapping[str, bytes | None]
"""Files by their names; None is no file."""
_TRIES = 10


class SettingsPlan(Struct, frozen=True):
    """The texts that files are to have, and `told`, what is said of that."""

    wanted: Texts
    told: Any

    def others(self, before: Texts) -> Texts:
        """Those of the files that are others than before."""
        return {name: data for name, data in self.wanted.items() if data != before[name]}


class SettingsChange(Struct, frozen=True):
    """A change that was made, or rehearsed: the names of the other files, their revision, and `told`."""

    files: list[str]
    revision: str
    told: Any


class SettingsFiles(Struct, frozen=True):
    """The files of settings of one site, which are named in `names`."""

    parts: AuthoringParts
    names: tuple[str, ...] = (CONFIG_FILE,)

    async def texts(self) -> Texts:
        """Return the bytes of each file, None where there is none."""
        return await self.parts.read(lambda: {name: self._bytes(name) for name in self.names})

    async def asked(self, question: Question, by: Caller) -> Any:
        """Return an answer of the process that reads pages. Raises Failure."""
        too_long = Failure("BODY_TOO_LARGE", "it takes too long to be looked through: ask for less")
        return await self.parts.ask(question, too_long, "the site could not be read: ", asker=by.key.id)

    async def change(
        self,
        operation: str,
        question: Callable[[Texts], Question],
        by: Caller,
        revision: str | None,
        *,
        rehearsal: bool,
    ) -> SettingsChange:
        """Make the change that a question's answer plans. Raises Failure."""
        by.permit()
        if rehearsal:
            return _change(*await self._planned(question, revision, by))
        async with by.changing(operation):
            for _ in range(_TRIES):
                plan, before = await self._planned(question, revision, by)
                if await self.parts.write_queue.take(partial(self._write, plan, before, by)):
                    change = _change(plan, before)
                    for name in change.files:
                        self.parts.changed(name)
                    return change
        raise Failure("REVISION_MISMATCH", "others change the settings all the time: try again")

    async def _planned(
        self, question: Callable[[Texts], Question], revision: str | None, by: Caller
    ) -> tuple[SettingsPlan, Texts]:
        before = await self.texts()
        if revision is not None and revision != settings_revision(before):
            message = f"{', '.join(self.names)}: has another revision, read it again"
            raise Failure("REVISION_MISMATCH", message)
        return await self.asked(question(before), by), before

    def _write(self, plan: SettingsPlan, before: Texts, by: Caller) -> bool:
        """Write what is another text now; False where a file is not as it was."""
        author = by.author
        wanted = plan.others(before)
        if not wanted:
            return True
        author.permit()
        self.parts.service.take_room(sum(len(data or b"") for data in wanted.values()), author)
        replacement = Replacement({name: before[name] for name in wanted}, wanted)
        try:
            self.parts.store.put_back(replacement, note=author.note, permit=author.permit)
        except RevisionMismatch:
            return False
        except TwinpressError as error:
            raise failure_of(error) from error
        return True

    def _bytes(self, name: str) -> bytes | None:
        try:
            return self.parts.store.read_file(name)
        except FileNotFoundError:
            return None
        except TwinpressError as error:
            raise failure_of(error) from error


def _change(plan: SettingsPlan, before: Texts) -> SettingsChange:
    return SettingsChange(sorted(plan.others(before)), settings_revision(plan.wanted), plan.told)
