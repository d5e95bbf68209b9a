"""All that is known while a page is expanded: the files read, the work done, the faults found."""

from __future__ import annotations

from collections.abc import Mapping

from builder import frontmatter
from builder.diagnostics import Diagnostic, did_you_mean
from builder.frontmatter import Document
from builder.links.suggestions import PAGE_WORK, Effort
from builder.markdown.context import DEEPEST_PART, PageParts
from builder.markdown.mdx.chunk.chunks import line_starts
from builder.markdown.mdx.scan.pairs import Span
from builder.markdown.parts.constructs import Construct, constructs
from builder.markdown.parts.passages import Passage, after_cut
from builder.markdown.parts.source_map import ExpandedWriter, Origin, place_of
from builder.store.part_files import NO_PART, OUTSIDE, PartFile, base, refusal

MOST = 512 * 1024
"""Characters of an expanded page; what is put in counts some more."""
EACH = 64
"""Characters that each piece counts beside its own."""
_LEVELS = 40
"""The same with the contents of slots."""
MOST_FINDINGS = 1_000
MOST_PARSED = 128 * 1024
"""Characters that are looked through for what only the parser takes for code; beyond, there is none."""
_PART_HINT = "include a file whose name, or whose folder's, begins with `_`"
_OUTSIDE_HINT = "copy it there, or let `--include-root` name its folder"


class Expansion:
    """The expansion of one page with `parts`, as far as `extras` switch it on; `found` has what is wrong."""

    def __init__(self, parts: PageParts, extras: frozenset[str], path: str) -> None:
        self._parts = parts
        self._extras = extras
        self._path = path
        self._writer = ExpandedWriter()
        self._files: dict[str, PartFile] = {}
        self._constructs: dict[str, list[Construct]] = {}
        self._documents: dict[str, Document] = {}
        self._starts: dict[str, list[int]] = {}
        self._trimmed: dict[str, Span] = {}
        self._lines: dict[tuple[str, str, str, bool], list[Span]] = {}
        self._spent = 0
        self._parsed = 0
        self._effort = Effort(PAGE_WORK)
        self._level = 0
        self._is_over = False
        self._in_row = False
        self._variables: Mapping[str, str] = {}
        self.found: list[Diagnostic] = []

    def _found(self, text: str) -> list[Construct]:
        if text not in self._constructs:
            self._spent += len(text) // 8 if self._constructs else 0
            self._parsed += len(text)
            self._constructs[text] = constructs(text, parses=self._parsed <= MOST_PARSED)
        return self._constructs[text]

    def _say(self, where: Origin, at: int, code: str, message: str, hint: str = "") -> None:
        if len(self.found) >= MOST_FINDINGS:
            return
        place, page = place_of(where, at), where
        while page.caller is not None:
            page = page.caller[0]
        message = f"{message} ({place.part})" if place.part else message
        self.found.append(Diagnostic(page.file, place.line, place.column, code, message, hint))

    def _affords(self, where: Origin, at: int, size: int) -> bool:
        self._spent += size + EACH
        if self._spent <= MOST and self._level < _LEVELS:
            return True
        if not self._is_over:
            self._is_over = True
            message = "what the page includes is too much; from here on it is left out"
            self._say(where, at, "budget-exceeded", message, "split the page, or include less")
        return False

    def _copy(self, passage: Passage, start: int, end: int) -> None:
        """Write a piece as it is, but for what is cut off its lines."""
        cut, text = passage.cut, passage.origin.text
        if cut is None:
            self._writer.copy(passage.origin, start, end)
            return
        while start < end:
            stop = text.find("\n", start, end) + 1 or end
            if start == 0 or text[start - 1] == "\n":
                start = min(stop, after_cut(text, start, stop, cut))
            self._writer.copy(passage.origin, start, stop)
            start = stop

    def _value(self, passage: Passage, name: str, at: int) -> str | None:
        """The value of a variable; None, and a diagnostic, when nobody has declared it."""
        known = passage.variables or {}
        if name in known:
            return known[name]
        if len(self.found) >= MOST_FINDINGS:
            return None
        hint = self._near(name, known) or (
            "declare it in `variables`" if passage.origin.caller is None else "give it as an attribute"
        )
        self._say(passage.origin, at, "variable-unknown", f"no variable is called `{name}`", hint)
        return None

    def _near(self, word: str, names: Mapping[str, object]) -> str:
        """A hint with the nearest name, as long as there was not too much to look through."""
        return did_you_mean(word, names) if self._effort.affords(word, names) else ""

    def _read(self, file: str) -> PartFile:
        if file not in self._files:
            self._files[file] = self._parts.read(file)
            self._spent += len(self._files[file].text) // 8
        return self._files[file]

    def _document(self, file: str, text: str) -> Document:
        if file not in self._documents:
            self._documents[file] = frontmatter.split(text, file)
        return self._documents[file]

    def _origin(self, text: str, file: str, line: int, caller: tuple[Origin, int]) -> Origin:
        """The text of a file; its lines are looked for once."""
        if text not in self._starts:
            self._starts[text] = line_starts(text)
        return Origin(text, file, line, base(file), caller, self._starts[text])

    def _bounds(self, text: str) -> Span:
        """The offsets between which a text has no empty lines before and after it; looked for once."""
        if text not in self._trimmed:
            end = len(text.rstrip())
            first = text.rfind("\n", 0, len(text) - len(text.lstrip())) + 1 if end else 0
            self._trimmed[text] = first, end
        return self._trimmed[text]

    def _file(self, passage: Passage, file: str, at: int, *, is_part: bool) -> PartFile | None:
        """A file that is asked for; None, and a diagnostic, when it may not be read."""
        problem = refusal(file, is_part=is_part)
        if not problem and file in passage.files:
            way = ", which includes ".join((*passage.files[passage.files.index(file) :], file))
            self._say(passage.origin, at, "include-cycle", f"it includes itself: {way}", "remove one of them")
            return None
        if not problem and len(passage.files) >= DEEPEST_PART and is_part:
            message = f"parts may stand {DEEPEST_PART} deep within each other"
            self._say(passage.origin, at, "include-cycle", message, "include it further out")
            return None
        found = self._read(file) if not problem else PartFile("", problem)
        if found.is_missing:
            hint = f"did you mean `{found.near}`?" if found.near else "correct its path"
            self._say(passage.origin, at, "include-missing", f"there is no file `{file}`", hint)
            return None
        if found.problem:
            hint = _OUTSIDE_HINT if found is OUTSIDE else _PART_HINT if problem == NO_PART else ""
            self._say(passage.origin, at, "include-refused", f"`{file}` is not read: {found.problem}", hint)
            return None
        return found
