"""Put in what pages of MkDocs include: snippets, included markdown, and values of macros.

https://facelessuser.github.io/pymdown-extensions/extensions/snippets/. What is included is text of the page
that includes it, in code too; so it is put in before a page is parted.
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence

from msgspec import Struct, field

from builder.importer.old_site import Loss
from builder.importer.source_tree import SourceTree
from builder.importer.systems.mkdocs.page_templates import fill_templates

_SNIPPET = re.compile(
    r"^(?P<indent>[ \t>]*)(?P<escape>;)?-{1,}8<-{1,}[ \t]+(?P<quote>[\"'])"
    r"(?P<path>[^\"'\n]+)(?P=quote)[ \t]*$"
)
_BLOCK = re.compile(r"^(?P<indent>[ \t]*)-{1,}8<-{1,}[ \t]*$")
_SECTION = re.compile(
    r"-{1,}8<-{1,}[ \t]*\[[ \t]*(?P<what>start|end)[ \t]*(?::[ \t]*(?P<name>[\w-]+)[ \t]*)?\]"
)
_PLUGIN = re.compile(
    r"\{%-?[ \t]*(?P<name>include|include-markdown)[ \t]+[\"'](?P<path>[^\"'\n]{1,500})[\"']"
    r"(?P<rest>[^%]{0,2000})-?%\}"
)
_BRACED = re.compile(r"^(?P<indent>[ \t]*)\{!>?[ \t]*(?P<path>[^!\n]{1,500}?)[ \t]*!\}[ \t]*$")
_STARRED = re.compile(r"^(?P<indent>[ \t]*)\{\*[ \t]*(?P<path>\S+)(?P<rest>[^\n*]*)\*\}[ \t]*$")
_ARGUMENT = re.compile(
    r"(?P<name>[\w-]+)[ \t]*=[ \t]*(?:\"(?P<quoted>[^\"]*)\"|'(?P<single>[^']*)'|(?P<bare>\S+))"
)
_RAW = re.compile(r"\{%-?[ \t]*(?:end)?raw[ \t]*-?%\}")
_ABBREVIATION = re.compile(r"^\*\[([^\]\n]{1,100})\]:", re.MULTILINE)
_OPTIONS = frozenset({
    "start", "end", "rewrite-relative-urls", "rewrite_relative_urls", "comments", "dedent", "heading-offset",
    "preserve-includer-indent", "trailing-newlines",
})  # fmt: skip
_DEEPEST = 8
_LONGEST = 256 * 1024
"""Characters of a page with all that it includes."""
_EACH = 256
"""Characters that each file counts for beside its own."""


class Includes(Struct):
    """The settings for includes: folders in which snippets lie, values, and files that all pages get.

    `has_statements` says that a plugin reads `{% include ... %}`; otherwise it is text. `left` is how many
    characters all pages may still include.
    """

    origin: SourceTree
    folders: Sequence[str] = (".",)
    appended: Sequence[str] = ()
    values: Mapping[str, object] = {}
    has_macros: bool = False
    has_statements: bool = True
    left: int = 32 * 1024 * 1024


class ExpandedPage(Struct, frozen=True):
    """A page's text with all that it includes, the file's line of each of its lines, and what is lost."""

    text: str
    lines: tuple[int, ...]
    losses: Sequence[Loss]


def expand(includes: Includes, file: str, body: str, first_line: int) -> ExpandedPage:
    """Put in all that a page includes. Total."""
    page, lines = _Page(includes, file, [], 0), list(enumerate(body.split("\n"), first_line))
    if includes.has_macros and ("{%" in body or "{{" in body):
        filled = fill_templates(lines, includes.values, file)
        page.losses += filled.losses
        lines = [(number, _RAW.sub("", line)) for number, line in filled.lines]
    parts = list(page.numbered(lines, 0, posixpath.dirname(file)))
    text = "\n".join(part for _, part in parts)
    numbers = [number for number, part in parts for _ in range(part.count("\n") + 1)]
    for each in includes.appended:
        text = f"{text}{_used(includes.origin.text(each) or '', text)}"
    is_same = numbers == list(range(first_line, first_line + len(numbers)))
    return ExpandedPage(text, () if is_same else tuple(numbers), page.losses)


def _used(appended: str, text: str) -> str:
    """Return the lines of a file that all pages get which say something of a word on this page."""
    lines = [
        line for line in appended.split("\n") if (found := _ABBREVIATION.match(line)) and found[1] in text
    ]
    return "".join(f"\n{line}" for line in ("", *lines)) if lines else ""


class _Page(Struct):
    """A page into which something is put."""

    includes: Includes
    file: str
    losses: list[Loss]
    length: int
    told: set[Loss] = field(default_factory=set)

    def expanded(self, text: str, depth: int, folder: str, number: int) -> str:
        """Put in all that a text includes which itself is put in on a line of the page."""
        self.length += len(text)
        self.includes.left -= len(text) + _EACH
        if not any(sign in text for sign in ("8<", "{%", "{!", "{*")):
            return text
        lines = [(number, line) for line in text.split("\n")]
        return "\n".join(line for _, line in self.numbered(lines, depth, folder))

    def numbered(
        self, lines: Sequence[tuple[int, str]], depth: int, folder: str
    ) -> Iterator[tuple[int, str]]:
        """Yield lines with all that they include, each with the line of the page on which it is put in."""
        block: str | None = None
        for number, line in lines:
            opening = _BLOCK.match(line)
            if opening:
                block = opening["indent"] if block is None else None
            elif block is not None:
                if line.strip() and line.strip()[0] != ";":
                    yield from ((number, one) for one in self._lines(line.strip(), block, depth, number))
            else:
                yield from ((number, one) for one in self._line(line, depth, folder, number))

    def _line(self, line: str, depth: int, folder: str, number: int) -> Iterator[str]:
        snippet = _SNIPPET.match(line)
        braced = _BRACED.match(line) or _STARRED.match(line)
        if snippet and snippet["escape"]:
            yield line.replace(";--", "--", 1)
        elif snippet:
            yield from self._lines(snippet["path"], snippet["indent"], depth, number)
        elif braced:
            yield from self._code(braced, folder, number)
        elif self.includes.has_statements and "{%" in line and _PLUGIN.search(line):
            yield _PLUGIN.sub(lambda found: self._plugin(found, depth, folder, number, line), line)
        elif _SECTION.search(line) and depth:
            return
        else:
            yield line

    def _lines(self, path: str, indent: str, depth: int, number: int) -> Iterator[str]:
        """Yield the lines of a snippet, those that its path asks for."""
        name, colon, rest = path.partition(":") if not re.match(r"https?:", path) else (path, "", "")
        place = self._first(posixpath.join(folder, name) for folder in self.includes.folders)
        text = self._text(place, depth)
        if text is None:
            self._tell("include of a file that is not there", number, path)
            return
        inner = _part(text, rest) if colon else text
        inner = inner if colon else inner.strip("\n")
        shown = self.expanded(inner, depth + 1, posixpath.dirname(place), number)
        yield from (f"{indent}{line}" if line else line for line in shown.rstrip("\n").split("\n"))

    def _text(self, place: str, depth: int) -> str | None:
        is_spent = self.length > _LONGEST or self.includes.left < 0
        if not place or depth >= _DEEPEST or is_spent:
            return None
        return self.includes.origin.text(place)

    def _code(self, found: re.Match[str], folder: str, number: int) -> Iterator[str]:
        """Yield a file as code, or its lines where it is in code already."""
        place = self._found(found["path"], folder)
        text = self._text(place, 0)
        if text is None:
            self._tell("include of a file that is not there", number, found[0].strip())
            return
        is_starred = found.re is _STARRED
        rest = found["rest"] if is_starred else ""
        wanted = re.search(r"\bln\[(\d+)(?::(\d+))?\]", rest)
        lines = text.rstrip("\n").split("\n")
        if wanted:
            lines = lines[int(wanted[1]) - 1 : int(wanted[2] or wanted[1])]
        if is_starred:
            marked = re.search(r"\bhl\[([\d,:]+)\]", rest)
            given = f" {{{marked[1].replace(':', '-')}}}" if marked else ""
            lines = [
                f"```{posixpath.splitext(place)[1].lstrip('.') or 'text'}{given}".rstrip(),
                *lines,
                "```",
            ]
        self.length += len(text)
        yield from (f"{found['indent']}{line}" if line else line for line in lines)

    def _found(self, path: str, folder: str) -> str:
        return self._first(posixpath.join(base, path.strip()) for base in (folder, *self.includes.folders))

    def _first(self, places: Iterable[str]) -> str:
        """Return the first place that has a file; those tried before it are no loss."""
        origin, refused = self.includes.origin, set(self.includes.origin.refused)
        found = next((each for each in map(posixpath.normpath, places) if origin.has(each)), "")
        for each in (set(origin.refused) - refused) if found else ():
            del origin.refused[each]
        return found

    def _plugin(self, found: re.Match[str], depth: int, folder: str, number: int, line: str) -> str:
        """Return what the plugin for includes would put in: a file, or the part between two texts."""
        place = self._found(found["path"], folder)
        text = self._text(place, depth)
        if text is None:
            self._tell("include of a file that is not there", number, found[0])
            return ""
        given = {
            one["name"]: one["quoted"] or one["single"] or one["bare"] or ""
            for one in _ARGUMENT.finditer(found["rest"])
        }
        for name in given:
            if name not in _OPTIONS:
                self._tell(f"option {name} of an include", number, found[0])
        inner = _between(_without_frontmatter(text), given.get("start", ""), given.get("end", ""))
        offset = given.get("heading-offset", "")
        inner = _moved(inner, int(offset)) if re.fullmatch(r"[1-5]", offset) else inner
        if found["name"] == "include-markdown":
            inner = _relinked(inner, posixpath.dirname(place), posixpath.dirname(self.file))
        shown = self.expanded(inner, depth + 1, posixpath.dirname(place), number).strip("\n")
        indent = re.match(r"[ \t]*", line)
        return shown.replace("\n", f"\n{indent[0] if indent else ''}")

    def _tell(self, what: str, number: int, old: str) -> None:
        loss = Loss(what, self.file, number, old)
        if loss not in self.told:
            self.told.add(loss)
            self.losses.append(loss)


def _part(text: str, rest: str) -> str:
    """Return the part that `:3:9`, `:3,5:9` or `:name` asks for."""
    if re.fullmatch(r"[\d:,-]*", rest):
        lines = text.split("\n")
        parts = [part.split(":") for part in rest.split(",")]
        return "\n".join(
            "\n".join(lines[_number(one[0], 1) - 1 : _number(one[-1], len(lines))]) for one in parts
        )
    kept, inside = [], False
    for line in text.split("\n"):
        found = _SECTION.search(line)
        if found is None:
            kept += [line] if inside else []
        elif found["name"] == rest:
            inside = found["what"] == "start"
    return _dedented(kept)


def _dedented(lines: Sequence[str]) -> str:
    indent = min((len(line) - len(line.lstrip(" ")) for line in lines if line.strip()), default=0)
    return "\n".join(line[indent:] for line in lines)


def _number(text: str, default: int) -> int:
    return int(text[:9]) if text.isdigit() and int(text[:9]) > 0 else default


def _between(text: str, start: str, end: str) -> str:
    start, end = (each.replace("\\n", "\n").replace("\\t", "\t") for each in (start, end))
    text = text.partition(start)[2] if start and start in text else text
    return text.partition(end)[0] if end else text


def _without_frontmatter(text: str) -> str:
    found = re.match(r"---\n.*?\n---\n", text, re.DOTALL)
    return text[found.end() :] if found else text


def _moved(text: str, offset: int) -> str:
    return re.sub(
        r"^(#{1,5})(?=[ \t])", lambda found: (found[1] + "#" * offset)[:6], text, flags=re.MULTILINE
    )


def _relinked(text: str, there: str, here: str) -> str:
    """Return a text whose relative links lead on from another folder."""
    if there == here:
        return text

    def act(found: re.Match[str]) -> str:
        return (
            f"{found[1]}{posixpath.relpath(posixpath.normpath(posixpath.join(there, found[2])), here or '.')}"
        )

    return re.sub(r"(\]\()(?![a-zA-Z][\w+.-]*:|[#/<])([^()\s#?]{1,500})", act, text)
