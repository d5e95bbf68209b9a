"""Apply the operations of a change to a working copy, one after the other; redirects last.

What an operation cannot do is an error that says at which field of the operation it stands.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping

from msgspec import Struct

from builder import paths
from builder.category import file as categories
from builder.category.record import FILES
from builder.changes.compose import Composed, InvalidText, compose, given_body
from builder.changes.edit_text import RefusedEdit, edited
from builder.changes.file_names import page_path
from builder.changes.steps import (
    CategoryStep,
    DeleteCategoryStep,
    DeleteStep,
    EditStep,
    LineReplacement,
    MoveStep,
    NavigationStep,
    PutBackStep,
    RedirectStep,
    Step,
    WriteStep,
)
from builder.changes.working_copy import WorkingCopy
from builder.config.navigation_text import with_navigation
from builder.errors import PageNotFound, PageTooLarge, PathConflict, RevisionMismatch, TwinpressError
from builder.frontmatter import split
from builder.frontmatter.split import find
from builder.moves.move_plan import SiteFiles, plan_move
from builder.moves.redirect_rules import RedirectChange, plan_of_key, rewritten
from builder.moves.relocation import NothingToMove
from builder.moves.rewritten_text import LeftLink
from builder.paths import PAGE_SUFFIXES, TWIN_SUFFIX, Format
from builder.site import CONFIG_FILE, SETTINGS, Site
from builder.store import PAGE_LIMIT, Scan, Source
from builder.store.names import SUFFIXES
from builder.unicode import normal

SiteNow = Callable[[], tuple[Site, Scan]]
"""Gives the site as it is in the working copy, loaded with its drafts, and its scan."""
PAGE_ENCODING, PAGE_ENCODING_STAYS = "page-encoding", "page-encoding-stays"
"""Notes about a file that was no UTF-8: it is now, or is as it was as its text is the same."""
_REPLACEMENT = "\ufffd".encode()


class RefusedStep(Exception):
    """Operation number `index` cannot be done; `field` says which part of it."""

    def __init__(self, index: int, field: str, error: TwinpressError) -> None:
        super().__init__(str(error))
        self.index, self.field, self.error = index, field, error


class PageNote(Struct, frozen=True):
    """Something that a write did to other files of its page, or unasked; `file` is the one it is about."""

    code: str
    file: str
    message: str = ""
    hint: str = ""


class SentText(Struct, frozen=True):
    """A page's body as it was sent or given: from line `sent_line` on it is the file from `file_line` on."""

    sent_line: int
    file_line: int
    notes: tuple[PageNote, ...] = ()


class AppliedSteps(Struct):
    """The outcome of the operations but for the files: pages that were touched, and what moves did.

    `texts` are of pages that were written or edited; `origins` has the path that a page had before the
    change, by the one it has now. `links` are numbers of links rewritten, by file. `replaced` are places that
    edits have changed, `fields` the fields of the frontmatter.
    """

    touched: dict[str, None]
    texts: dict[str, SentText]
    origins: dict[str, str]
    links: dict[str, int]
    left: list[LeftLink]
    said: list[str]
    folders: dict[str, None]
    replaced: int = 0
    fields: tuple[str, ...] = ()


class StepWork:
    """Applies operations to a working copy."""

    def __init__(self, copy: WorkingCopy, now: SiteNow) -> None:
        self._copy, self._now = copy, now
        self._revisions: dict[str, str] = {}
        self.done = AppliedSteps({}, {}, {}, {}, [], [], {})

    def apply(self, steps: tuple[Step, ...]) -> None:
        """Apply all operations. Raises RefusedStep."""
        numbered = list(enumerate(steps))
        for index, step in numbered:
            if not isinstance(step, RedirectStep):
                self._apply(index, step)
        for index, step in numbered:
            if isinstance(step, RedirectStep):
                self._apply(index, step)

    def _apply(self, index: int, step: Step) -> None:
        try:
            self._do(index, step)
        except TwinpressError as error:
            raise RefusedStep(index, _FIELDS.get(type(step), "path"), error) from error
        except ValueError as error:
            raise RefusedStep(index, "", InvalidText(str(error))) from error

    def _do(self, index: int, step: Step) -> None:
        match step:
            case WriteStep():
                self._write(index, step)
            case EditStep():
                self._edit(index, step)
            case DeleteStep():
                self._delete(index, step)
            case MoveStep():
                self._move(index, step)
            case CategoryStep():
                self._category(index, step.path, step.changes)
            case DeleteCategoryStep():
                self._delete_category(index, step.path)
            case RedirectStep():
                self._redirect(index, step)
            case NavigationStep():
                self._navigation(index, step)
            case PutBackStep():
                self._put_back(index, step)

    def _check(self, path: str, if_match: str | None, *, create_only: bool = False) -> None:
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

    def _touch(self, path: str) -> None:
        self.done.touched[path] = None

    # Pages.

    def _write(self, index: int, step: WriteStep) -> None:
        path = paths.parse(step.path)
        self._check(path, step.if_match, create_only=step.create_only)
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

    def _edit(self, index: int, step: EditStep) -> None:
        path = paths.parse(step.path)
        by_lines = any(isinstance(edit, LineReplacement) for edit in step.edits)
        if by_lines and step.if_match is None and path not in self.done.texts:
            hint = "send the page's `revision`: lines count from 1 in that very text"
            raise RefusedEdit("edits of lines need a condition", path="if_match", hint=hint)
        self._check(path, step.if_match)
        source = self._editable(path)
        document, body = split(source.text, source.file), given_body(source)
        numbered = list(enumerate(step.edits))
        new = edited(body, [(number, edit) for number, edit in numbered if edit.part == "body"])
        of_twin = [(number, edit) for number, edit in numbered if edit.part == "llmBody"]
        if of_twin and source.twin is None:
            hint = "write the page whole to give it one"
            raise RefusedEdit("the page has no `llmBody`", path=f"edits[{of_twin[0][0]}].part", hint=hint)
        twin = edited(source.twin or "", of_twin)
        values = {**document.frontmatter, **step.frontmatter}
        values = {name: value for name, value in values.items() if value is not None}
        composed = _edited_page(source, new.text, values if step.frontmatter else None)
        self._put_page(index, path, source.format, composed.text, None if source.twin is None else twin.text)
        self.done.replaced += new.replaced + twin.replaced
        before, after = document.frontmatter, split(composed.text, "").frontmatter
        names = dict.fromkeys((*before, *after))
        self.done.fields = tuple(name for name in names if before.get(name) != after.get(name))
        self._wrote(path, composed, ())

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

    def _delete(self, index: int, step: DeleteStep) -> None:
        path = paths.parse(step.path)
        self._check(path, step.if_match)
        named = self._copy.page(path)
        if not named.files:
            raise PageNotFound("there is no such page", path=path)
        for file in named.all:
            self._copy.put(file, None, index)
        self.done.texts.pop(path, None)
        self.done.touched.pop(path, None)
        self._touch(self.done.origins.pop(path, path))

    # Moves.

    def _move(self, index: int, step: MoveStep) -> None:
        if step.if_match is not None:
            self._check(paths.parse(step.old.removeprefix("./")), step.if_match)
        site, scan = self._now()
        files = SiteFiles(site, scan, self._copy.names, self._copy.bytes_of, self._copy.parts())
        plan = plan_move(files, step.old, step.new, redirect=step.redirect)
        if not any(map(page_path, plan.files)):
            raise NothingToMove("this is no page and no folder", path=step.old)
        for file, data in plan.wanted.items():
            self._copy.put(file, data, index)
        self._moved(plan.files)
        for file, number in plan.links.items():
            self.done.links[file] = self.done.links.get(file, 0) + number
        self.done.left += plan.left
        self.done.said += plan.said

    def _moved(self, files: Mapping[str, str]) -> None:
        """Follow pages, and what is known of them, to where they are now."""
        done = self.done
        done.links = {files.get(file, file): number for file, number in done.links.items()}
        pairs = {
            page_path(old): page_path(new)
            for old, new in files.items()
            if old.endswith(tuple(PAGE_SUFFIXES)) and "/_" not in old and page_path(old)
        }
        found = {new: (done.origins.pop(old, old), done.texts.pop(old, None)) for old, new in pairs.items()}
        for old, new in pairs.items():
            done.touched.pop(old, None)
            done.touched[new] = None
        for new, (origin, text) in found.items():
            done.origins[new] = origin
            if text is not None:
                done.texts[new] = text

    # Settings.

    def _category(self, index: int, path: str, changes: Mapping[str, object]) -> None:
        path = paths.parse_folder(path)
        known = self._copy.category_file(path)
        file = known or self._copy.name_of(f"{path}/{FILES[0]}")
        data = self._copy.bytes_of(file) if known else None
        try:
            new = categories.change((data or b"").decode(), file, changes)
        except (categories.CategoryFault, UnicodeDecodeError) as fault:
            said = "is not valid UTF-8" if isinstance(fault, UnicodeDecodeError) else str(fault)
            hint = "correct or delete the file"
            raise PathConflict(
                f"the category cannot be changed: `{file}` {said}", path=path, hint=hint
            ) from None
        if new or known:
            self._copy.put(file, new.encode() if new else None, index)
        self.done.folders[path] = None

    def _delete_category(self, index: int, path: str) -> None:
        path = paths.parse_folder(path)
        if not self._copy.category_file(path):
            raise PageNotFound("there is nothing that was said of this folder", path=path)
        while file := self._copy.category_file(path):
            self._copy.put(file, None, index)
        self.done.folders[path] = None

    def _redirect(self, index: int, step: RedirectStep) -> None:
        site, _ = self._now()
        change = RedirectChange(remove=(step.old,))
        if step.new is not None:
            change = RedirectChange(add=((step.old, step.new),))
        plan = plan_of_key(site, change)
        self.done.said += plan.said
        text = (self._copy.bytes_of(CONFIG_FILE) or b"").decode(errors="surrogateescape")
        new = rewritten(text, site.config, plan)
        if new != text:
            self._copy.put(CONFIG_FILE, new.encode(errors="surrogateescape"), index)

    def _navigation(self, index: int, step: NavigationStep) -> None:
        texts = {file: self._copy.bytes_of(file) for file in SETTINGS}
        for file, data in with_navigation(texts, step.fields).items():
            if data != texts[file]:
                self._copy.put(file, data, index)

    def _put_back(self, index: int, step: PutBackStep) -> None:
        for file, data in step.files.items():
            self._copy.put(file, data, index)
            folder, _, name = file.rpartition("/")
            if name in FILES:
                self.done.folders[normal("NFC", folder)] = None
            elif path := page_path(file):
                self._touch(path)


_FIELDS: Mapping[type, str] = {MoveStep: "", RedirectStep: "", NavigationStep: "", PutBackStep: ""}
"""Operations whose errors name by themselves what they are about, which is no field `path`."""


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
