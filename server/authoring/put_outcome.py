"""A PUT of a page: who asks for what, the page as it is prepared, what came of it, and its findings.

The findings report what the write did to other files, and the page's diagnostics in the terms of the request.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future

from msgspec import Struct

from builder.changes.composed_page import Composed
from builder.changes.frontmatter_merge import Unasked
from builder.changes.steps_outcome import PAGE_ENCODING, PAGE_ENCODING_STAYS, PageNote
from builder.diagnostics import Diagnostic
from builder.paths import TWIN_SUFFIX
from builder.store import ChangeNote, Source, Written
from builder.store.page_reader import decode
from server.authoring.conditions import Conditions
from server.authoring.field_types import Level, Part
from server.authoring.structs import Finding, PutPage, PutResult


class ChangeAuthor(Struct, frozen=True):
    """The author of a change: a `note` for the history, and a `permit` that raises Failure without one.

    The store asks for it in the writer's turn, for which one may have to wait; a rehearsal has none, so the
    service asks before it does anything, too.
    """

    note: ChangeNote
    permit: Callable[[], None]


class PutRequest(Struct, frozen=True):
    """A page as `writer` has sent it, to be written if `conditions` hold; a `rehearsal` writes nothing."""

    sent: PutPage
    conditions: Conditions
    writer: ChangeAuthor
    rehearsal: bool


class PreparedWrite(Struct, frozen=True):
    """A page ready to be written: `put` with its canonical path. `previous` is what was there then."""

    put: PutPage
    composed: Composed
    previous: Source | None

    @property
    def file(self) -> str:
        """The name that the page's file has or will have."""
        if self.previous and self.previous.format == self.put.format:
            return self.previous.file
        return f"{self.put.path}.{self.put.format}"

    @property
    def twin_file(self) -> str:
        """The name that its twin's file has or will have."""
        return f"{self.put.path}{TWIN_SUFFIX}"

    def as_source(self) -> Source:
        """The page as it will be read."""
        put, text = self.put, self.composed.text
        found = [
            *decode(text.encode(), self.file)[1],
            *decode((put.llmBody or "").encode(), self.twin_file)[1],
        ]
        return Source(put.path, put.format, text, put.llmBody, "", self.file, tuple(found))


class PutOutcome(Struct, frozen=True):
    """A page that was written, or would have been, its `review`, which may still go on, and its address."""

    page: PreparedWrite
    written: Written
    review: Future[tuple[Diagnostic, ...]]
    url: str

    def result(self, told: Iterable[Diagnostic]) -> PutResult:
        """The answer, with what the review has told."""
        page, written = self.page, self.written
        return PutResult(
            path=page.put.path,
            format=page.put.format,
            url=self.url,
            created=written.created,
            revision=written.revision,
            diagnostics=self._findings(told),
        )

    def _findings(self, told: Iterable[Diagnostic]) -> list[Finding]:
        """First what the write did unasked, then what a check says, in the order of the files."""
        composed = self.page.composed
        unasked = [_unasked(self.page, one) for one in composed.changes]
        lines = composed.sent_line, composed.file_line
        diagnosed = (finding_of(one, self.page.file, *lines) for one in told)
        return [*_beside(self.page, self.written), *unasked, *diagnosed]


def _beside(page: PreparedWrite, written: Written) -> Iterator[Finding]:
    """The findings about files that went, that stayed, and that are no UTF-8."""
    for file in written.removed:
        if file.endswith(TWIN_SUFFIX):
            yield _about("twin-dropped", "llmBody", file, _TWIN_DROPPED)
        elif page.previous is None or file != page.previous.file:
            yield _about("page-dropped", "body", file, _PAGE_DROPPED)
    if written.large_twin:
        yield _about("twin-kept", "llmBody", written.large_twin, _TWIN_KEPT)
    for one in page.previous.diagnostics if page.previous else ():
        if one.code == "page-encoding":
            yield from _encoding(page, written, one)


def _encoding(page: PreparedWrite, written: Written, one: Diagnostic) -> Iterator[Finding]:
    """About a file that was no UTF-8: it still is none when its text was sent as it had been given."""
    is_twin = one.file.endswith(TWIN_SUFFIX)
    if is_twin and page.put.llmBody is None:
        return
    part: Part = "llmBody" if is_twin else "body"
    stayed = any(file.endswith(TWIN_SUFFIX) == is_twin for file in written.as_stored)
    done, hint = _STAYED if stayed else _RECODED
    file = page.twin_file if is_twin else page.file
    yield _about("page-encoding", part, file, (f"{one.message}; {done}", hint), one.line if stayed else 0)


def _about(code: str, part: Part, file: str, said: tuple[str, str], file_line: int = 0) -> Finding:
    """Something that was done is a warning; what is wrong with a line is an error, as a check says."""
    level: Level = "error" if file_line else "warning"
    return Finding(code, level, part, 0, 0, file, file_line, *said)


_TWIN_DROPPED = (
    "the page had a hand-written twin, and has none now, because `llmBody` is null or was not sent",
    "send the `llmBody` that GET gives, to keep it",
)
_PAGE_DROPPED = (
    "the page was there in two formats, of which GET gives one; this file is gone",
    "the history has it, if it is needed",
)
_TWIN_KEPT = (
    "the hand-written twin has more than 1 MiB, so GET gives none; it stays as it is",
    "send an `llmBody` to replace it",
)
_TWIN_UNCHANGED = (
    "the body has changed, and the hand-written twin, which agents read in its place, is as it was",
    'read `llmBody`, and edit it too where it says what is not so any more (`"part": "llmBody"`)',
)
_STAYED = (
    "the text is as GET gave it, so the bytes stay",
    "send a corrected text, which is written as UTF-8",
)
_RECODED = (
    "the new text is written as UTF-8",
    "look for \ufffd in the text: the history has the bytes that were there",
)


def noted(note: PageNote, page_file: str) -> Finding:
    """Return the finding that a note about a page's write is."""
    file = note.file or page_file
    is_twin = file.endswith(TWIN_SUFFIX)
    part: Part = "llmBody" if is_twin else "body"
    if note.code == "twin-unchanged":
        return Finding(note.code, "info", part, 0, 0, file, 0, *_TWIN_UNCHANGED)
    if note.code in _SAID:
        return _about(note.code, part, file, _SAID[note.code])
    if note.code in {PAGE_ENCODING, PAGE_ENCODING_STAYS}:
        done, hint = _STAYED if note.code == PAGE_ENCODING_STAYS else _RECODED
        return _about(PAGE_ENCODING, part, file, (f"{note.message}; {done}", hint))
    return Finding(note.code, "warning", "frontmatter", 0, 0, file, 0, note.message, note.hint)


_SAID = {"twin-dropped": _TWIN_DROPPED, "page-dropped": _PAGE_DROPPED, "twin-kept": _TWIN_KEPT}


def _unasked(page: PreparedWrite, one: Unasked) -> Finding:
    return Finding(one.code, "warning", "frontmatter", 0, 0, page.file, 0, one.message, one.hint)


def finding_of(one: Diagnostic, file: str, sent_line: int, file_line: int) -> Finding:
    """Return the finding that a diagnostic of a page in `file`, or of its twin, is.

    Where the body begins, the text that was sent has the line `sent_line`, and the file `file_line`.
    """
    line = one.line
    part: Part = "body"
    if one.file != file:
        part = "llmBody"
    elif one.line and one.line < file_line:
        part, line = "frontmatter", 0
    elif one.line:
        line = one.line - file_line + sent_line
    return Finding(
        code=one.code,
        level=one.level.value,
        part=part,
        line=line,
        column=one.column if line else 0,
        file=one.file,
        file_line=one.line,
        message=one.message,
        hint=one.hint,
    )
