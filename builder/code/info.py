r"""Read the info string of a fenced block, and the comments at the ends of its lines that mark them.

info  = language flags? meta*
flags = ,word ...                               those of rustdoc, as in `rust,ignore`: ignored
meta  = title="text" | title='text' | [text]      a title; `\"` is a quote in it
      | {1,3-5}                                   lines to mark, counted from 1
      | mark={1,3-5} | highlight={1,3-5}          the same
      | hl_lines="1 3-5"                          the same, as MkDocs has it; linenums="1" are line numbers
      | ins={1,3-5} | del={1,3-5}                 lines that were added, and removed
      | showLineNumbers
      | word                                      a title without quotes; several words are one title
      | name=value | a flag of another system     ignored

const a = 1  // [!code ++]          an added line; `--` a removed one, `highlight` a marked one
# [!code highlight:3]               alone on its line: for the three lines below
// highlight-next-line              and highlight-start, highlight-end, as Docusaurus has them; with
                                    highlight-add- and highlight-remove- for lines added and removed

In markdown and plain text such comments are left alone: there they are what the author writes about.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

from markdown_it.common.utils import unescapeAll
from msgspec import Struct, field

from builder.lazy_regex import lazy

MARKED, ADDED, REMOVED = "tp-marked", "tp-added", "tp-removed"

_FLAGS = frozenset({
    "collapse", "copy", "editable", "expandable", "ignore", "linenos", "linenums", "lines", "live",
    "no-copy", "no-transpile", "nocopy", "noeditor", "noinline", "norun", "notest", "nowrap", "npm2yarn",
    "numberlines", "playground", "reverse", "runnable", "showlinenumbers", "tab", "test", "ts2js",
    "twoslash", "wrap", "wordwrap",
})  # fmt: skip
"""Words that other systems have after the language, and that are no titles."""

_LONGEST_LANGUAGE = 40
_LANGUAGE = lazy(
    r"(?!\w+\s*=)(?:\{\s*)?\.?([^\s{}\[\]\"'`:=,]"
    rf"{{0,{_LONGEST_LANGUAGE}}}"
    r")(?::([\w-]+))?"
    r"(?:,[\w-]+(?![\w-]*\s*=))*,?\}?"
)
_QUOTED = r"""(?:"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*')"""
_META = lazy(
    rf"""title\s*=\s*(?:(?P<quoted>{_QUOTED})|(?P<bare>[^\s"']+))"""
    r"""|\[(?P<square>[^\[\]]+)\]|(?:(?:mark|highlight)\s*=\s*)?\{(?P<marks>[\d\s,-]*)\}"""
    r"""|ins\s*=\s*\{(?P<added>[\d\s,-]*)\}|del\s*=\s*\{(?P<removed>[\d\s,-]*)\}"""
    r"""|\{?hl_lines\s*=\s*["'{]*(?P<lines>[\d\s,:-]*\d)[ ]?["'}]*"""
    r"""|\{?(?P<numbers>linenums)\s*=\s*["'{]*[\d ]+["'}]*"""
    rf"""|(?P<ignored>[\w.:-]+\s*=\s*(?:{_QUOTED}|\{{[^{{}}]*\}}|[^\s"'{{}}]+)|/[^/\s]+/[dgimsuy]*(?!\S)|{_QUOTED}"""
    r"""|\{(?![^{}]*\btitle\s*=)[^{}]*\}|[{}])"""
    r"""|(?P<word>\S+)"""
)
_ABOUT_THEM = frozenset({"markdown", "md", "mdx", "plaintext", "text", "txt"})
"""Languages in which comments to us are shown like other text."""

_LONGEST_INFO = 1_000
_LAST_LINE = 10_000

_KINDS = {
    "++": ADDED, "add-": ADDED, "added-": ADDED,
    "--": REMOVED, "remove-": REMOVED, "removed-": REMOVED,
    "highlight": MARKED, "hl": MARKED,
}  # fmt: skip
_COMMENT = lazy(
    r"(?://|#|--|;|%|/\*|<!--|\{/\*)[ \t]*+"
    r"(?:\[!code (?P<kind>\+\+|--|highlight|hl)(?::(?P<lines>\d{1,4}))?\]"
    r"|highlight-(?P<sort>add-|added-|remove-|removed-|)(?P<other>next-line|start|end))"
    r"[ \t]*+(?:\*/\}?|-->)?[ \t]*+$"
)


class Info(Struct, frozen=True):
    """An info string that was read: `language` as it was written, and the numbers of lines, from 1.

    `marks` are those that are marked, `added` and `removed` those that a change added and removed.
    """

    language: str = ""
    title: str = ""
    marks: frozenset[int] = frozenset()
    numbers: bool = False
    added: frozenset[int] = frozenset()
    removed: frozenset[int] = frozenset()

    def classes(self) -> dict[int, str]:
        """Return the class of each line that has one; what was removed counts before all else."""
        if not (self.marks or self.added or self.removed):
            return {}
        every = (self.marks, MARKED), (self.added, ADDED), (self.removed, REMOVED)
        return {line: name for numbers, name in every for line in numbers}


class CodeLines(Struct):
    """Code without the comments that were meant for us, and the class of each line that has one."""

    code: str
    classes: dict[int, str] = field(default_factory=dict)


def info(text: str) -> Info:
    """Read an info string as it was written, with its entities and escapes. Total."""
    text = text.strip()[:_LONGEST_INFO]
    if text.isalnum() and len(text) <= _LONGEST_LANGUAGE:
        return Info(text)
    found = _LANGUAGE.match(text)
    language = unescapeAll(found[1]) if found else ""
    numbers = bool(found and found[2] in {"line-numbers", "lineNumbers"})
    titles: list[str] = []
    words: list[str] = []
    numbered: dict[str, set[int]] = {"marks": set(), "added": set(), "removed": set()}
    for meta in _META.finditer(text, found.end() if found else 0):
        name = str(meta.lastgroup)
        value = unescapeAll(meta[name][1:-1] if name == "quoted" else meta[name]).strip()
        if name in numbered:
            numbered[name].update(_numbers(value))
        elif name == "lines":
            numbered["marks"].update(_numbers(value.replace(" ", ",")))
        elif name == "numbers":
            numbers = True
        elif name == "word":
            numbers = numbers or value.lower() in {"showlinenumbers", "linenumbers"}
            words.extend([value] if value.lower() not in _FLAGS and not _of_list(value, text) else [])
        elif name != "ignored":
            titles.append(value)
    marks, added, removed = map(frozenset, numbered.values())
    return Info(language, titles[0] if titles else " ".join(words), marks, numbers, added, removed)


def _of_list(word: str, text: str) -> bool:
    """Tell whether a word is a class, or the end, of a list of attributes: `{ .yaml .annotate }`."""
    return text.startswith("{") and (word == "}" or word.startswith("."))


def _numbers(text: str) -> Iterator[int]:
    """`1,3-5` as 1, 3, 4, 5."""
    for part in text.split(","):
        first, dash, last = part.partition("-")
        if first.strip().isdecimal() and (not dash or last.strip().isdecimal()):
            start, end = int(first), int(last if dash else first)
            yield from range(min(start, _LAST_LINE), min(end, _LAST_LINE) + 1)


def lines(code: str, marks: Mapping[int, str], language: str = "") -> CodeLines:
    """Take out the comments; a line that was nothing else goes, and what it says holds for those below.

    `marks` are the classes of lines that the info string names.
    """
    found = CodeLines(code, dict(marks))
    if ("[!code" in code or "highlight-" in code) and language.lower() not in _ABOUT_THEM:
        _take(found, marks)
    return found


def _take(found: CodeLines, marks: Mapping[int, str]) -> None:
    kept: list[str] = []
    classes: dict[int, str] = {}
    running = ""
    for number, line in enumerate(found.code.removesuffix("\n").split("\n"), start=1):
        comment = _COMMENT.search(line) if "[!code" in line or "highlight-" in line else None
        rest = line[: comment.start()].rstrip(" \t") if comment else line
        if number in marks or (running and rest):
            classes.setdefault(len(kept) + 1, marks.get(number, running))
        if comment is None:
            kept.append(line)
            continue
        kind = _kind(comment)
        running = {"start": kind, "end": ""}.get(comment["other"] or "", running)
        alone = not rest.strip()
        if not alone:
            kept.append(rest)
        for place in _reach(comment, len(kept) + (1 if alone else 0)):
            classes[place] = kind
    found.code = "\n".join(kept) + "\n"
    found.classes = classes


def _kind(comment: re.Match[str]) -> str:
    """The class that a comment gives to lines."""
    return _KINDS.get(comment["kind"] or comment["sort"] or "", MARKED)


def _reach(comment: re.Match[str], first: int) -> range:
    """The lines that a comment holds for, when `first` is its own or the one below it."""
    if comment["other"] in {"start", "end"}:
        return range(0)
    return range(first, first + int(comment["lines"] or 1))
