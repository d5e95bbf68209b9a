"""Operations on single pages, in a working copy: write, edit, delete."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from builder import paths
from builder.changes.composed_page import Composed, InvalidText, compose, given_body
from builder.changes.edit_text import RefusedEdit, edited
from builder.changes.steps import DeleteStep, EditStep, LineReplacement, TextReplacement, WriteStep
from builder.changes.steps_outcome import (
    PAGE_ENCODING,
    PAGE_ENCODING_STAYS,
    AppliedSteps,
    PageNote,
    SentText,
)
from builder.changes.working_copy import WorkingCopy
from builder.errors import PageNotFound, PageTooLarge, PathConflict, RevisionMismatch
from builder.frontmatter import split
from builder.frontmatter.split import find
from builder.paths import TWIN_SUFFIX, Format
from builder.store import PAGE_LIMIT, Source
from builder.store.names import SUFFIXES

_REPLACEMENT = "\ufffd".encode()


class PageSteps:
    """Writes, edits and deletes pages of a working copy, and notes in `done` what it did."""

    def __init__(self, copy: WorkingCopy, done: AppliedSteps) -> None:
        self._copy, self.done = copy, done
        self._revisions: dict[str, str] = {}

    def check(self, path: str, if_match: str | None, *, create_only: bool = False) -> None:
        """Raise RevisionMismatch unless the page was before the change as it is wanted."""
        self._copy.watch(path)
        if if_match is None and not create_only:
            return
        origin = self.done.origins.get(path, path)
        if origin not in self._revisions:
            source = self._copy.source_before(origin)
            self._revisions[origin] = source.revision if source else ""
        now = self._revisions[origin]
        if create_only and now:
            raise RevisionMismatch("the page exists already", path=path, hint="leave out `create_only`")
        if if_match is not None and not now:
            raise RevisionMismatch("there is no page yet", path=path, hint="leave out `if_match`")
        if if_match is not None and if_match.strip('"') not in {"*", now}:
            raise RevisionMismatch("the page is not as it was read", path=path, hint="read it again")

    def write(self, index: int, step: WriteStep) -> None:
        """Write a whole page."""
        path = paths.parse(step.path)
        self.check(path, step.if_match, create_only=step.create_only)
        previous = self._copy.source(path)
        composed = compose(step.frontmatter, step.body, previous, self._beginning(previous))
        notes = self._put_page(index, path, step.format, composed.text, step.twin)
        if previous is not None:
            notes += tuple(self._recoded(previous, path))
        self._wrote(path, composed, notes)

    def _wrote(self, path: str, composed: Composed, notes: tuple[PageNote, ...]) -> None:
        unasked = (PageNote(one.code, "", one.message, one.hint) for one in composed.changes)
        self.done.texts[path] = SentText(composed.sent_line, composed.file_line, (*notes, *unasked))
        self._touch(path)

    def _beginning(self, previous: Source | None) -> str:
        """As much of a page that is too large to be given as another may have."""
        if previous is None or previous.text:
            return ""
        return (self._copy.bytes_of(previous.file) or b"")[:PAGE_LIMIT].decode(errors="replace")

    def _put_page(
        self, index: int, path: str, format: Format, text: str, twin: str | None
    ) -> tuple[PageNote, ...]:
        """Have a page with this text and twin; what it had in another format goes."""
        named, notes = self._copy.page(path), list[PageNote]()
        file = named.files.get(format) or self._copy.name_of(path + SUFFIXES[format])
        main = next(iter(named.files.values()), "")
        self._put_text(index, path, file, main, text)
        for other, old in named.files.items():
            if other != format:
                self._copy.put(old, None, index)
                notes += [PageNote("page-dropped", old)] if old != main else []
        twin_file = named.twin or self._copy.name_of(path + TWIN_SUFFIX)
        if twin is not None:
            self._put_text(index, path, twin_file, twin_file, twin)
        elif named.twin and len(self._copy.bytes_of(named.twin) or b"") > PAGE_LIMIT:
            notes.append(PageNote("twin-kept", named.twin))
        elif named.twin:
            self._copy.put(named.twin, None, index)
            notes.append(PageNote("twin-dropped", named.twin))
        return tuple(notes)

    def _put_text(self, index: int, path: str, file: str, old: str, text: str) -> None:
        try:
            data = text.encode()
        except UnicodeEncodeError as error:
            raise InvalidText(
                f"body: has half of a surrogate pair, at character {error.start + 1:,}"
            ) from None
        if len(data) > PAGE_LIMIT:
            message = f"it has {len(data):,} bytes, and a page may have {PAGE_LIMIT:,}"
            raise PageTooLarge(message, path=path, hint="split the page")
        if _REPLACEMENT in data:  # bytes that are no UTF-8 stay where the text does
            now = self._copy.bytes_of(old) if old else None
            data = now if now is not None and now.decode(errors="replace").encode() == data else data
        self._copy.put(file, data, index)

    def _recoded(self, previous: Source, path: str) -> Iterator[PageNote]:
        """Say of a file that was no UTF-8 that it has been written as UTF-8, or is as it was."""
        for one in previous.diagnostics:
            if one.code == "page-encoding" and one.file in self._copy.changed:
                data = self._copy.bytes_of(one.file)
                stays = data == self._copy.before(one.file)
                yield PageNote(PAGE_ENCODING_STAYS if stays else PAGE_ENCODING, one.file, one.message)

    def edit(self, index: int, step: EditStep) -> None:
        """Edit a page's texts and frontmatter. Raises RefusedEdit."""
        path = paths.parse(step.path)
        by_lines = any(isinstance(edit, LineReplacement) for edit in step.edits)
        if by_lines and step.if_match is None and path not in self.done.texts:
            hint = "send the page's `revision`: lines count from 1 in that very text"
            raise RefusedEdit("edits of lines need a condition", path="if_match", hint=hint)
        self.check(path, step.if_match)
        source = self._editable(path)
        document, body = split(source.text, source.file), given_body(source)
        numbered = list(enumerate(step.edits))
        in_body = [(number, edit) for number, edit in numbered if edit.part == "body"]
        _check_part(body, source.twin or "", in_body)
        new = edited(body, in_body)
        of_twin = [(number, edit) for number, edit in numbered if edit.part == "llmBody"]
        if of_twin and source.twin is None:
            hint = "write the page whole to give it one"
            raise RefusedEdit("the page has no `llmBody`", path=f"edits[{of_twin[0][0]}].part", hint=hint)
        twin = edited(source.twin or "", of_twin)
        values = {**document.frontmatter, **step.frontmatter}
        values = {name: value for name, value in values.items() if value is not None}
        composed = _edited_page(source, new.text, values if step.frontmatter else None)
        twin_file = self._copy.page(path).twin
        self._put_page(index, path, source.format, composed.text, None if source.twin is None else twin.text)
        self.done.replaced += new.replaced + twin.replaced
        before, after = document.frontmatter, split(composed.text, "").frontmatter
        names = dict.fromkeys((*before, *after))
        self.done.fields = tuple(name for name in names if before.get(name) != after.get(name))
        stays = source.twin is not None and twin.text == source.twin and new.text != body
        self._wrote(path, composed, (PageNote("twin-unchanged", twin_file),) if stays else ())

    def _editable(self, path: str) -> Source:
        """The page. Raises an error for one whose text cannot be given as it is."""
        source = self._copy.source(path)
        if source is None:
            raise PageNotFound("there is no such page", path=path)
        if any(len(self._copy.bytes_of(file) or b"") > PAGE_LIMIT for file in self._copy.page(path).all):
            raise PageTooLarge("it is too large to be read", path=path, hint="write the page whole")
        if any(one.code == "page-encoding" for one in source.diagnostics):
            hint = "write the page whole: it is UTF-8 then"
            raise PathConflict("the page has bytes that are no UTF-8", path=path, hint=hint)
        return source

    def delete(self, index: int, step: DeleteStep) -> None:
        """Delete a page with its twin."""
        path = paths.parse(step.path)
        self.check(path, step.if_match)
        named = self._copy.page(path)
        if not named.files:
            raise PageNotFound("there is no such page", path=path)
        for file in named.all:
            self._copy.put(file, None, index)
        self.done.texts.pop(path, None)
        self.done.touched.pop(path, None)
        self._touch(self.done.origins.pop(path, path))

    def _touch(self, path: str) -> None:
        self.done.touched[path] = None


def _edited_page(source: Source, body: str, values: Mapping[str, object] | None) -> Composed:
    """The page with another body, and with other frontmatter if there are values: all else stays."""
    document = split(source.text, source.file)
    if values is None:
        head = source.text[: len(source.text) - len(document.body)]
        block = find(body) if given_body(source) != document.body else None
        bare = body[block.body :] if block else body
        text = head + bare
        now = split(text, source.file)
        if now.body == bare and now.frontmatter == document.frontmatter:
            return Composed(text, 1 + body[: len(body) - len(bare)].count("\n"), now.first_line)
    return compose(document.frontmatter if values is None else values, body, source)


def _check_part(body: str, twin: str, edits: Sequence[tuple[int, TextReplacement | LineReplacement]]) -> None:
    """Raise RefusedEdit for an edit of the body whose text stands in the twin instead."""
    for number, edit in edits:
        if isinstance(edit, TextReplacement) and edit.old and edit.old not in body and edit.old in twin:
            hint = 'give `"part": "llmBody"`'
            message = "this text is not in the body, but in the page's `llmBody`"
            raise RefusedEdit(message, path=f"edits[{number}].old", hint=hint)
