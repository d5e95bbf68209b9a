"""What the plan hides is taken out of a text before anybody reads it.

    text <Callout color="red">        text <Callout/>

    Hidden.                      ->

    </Callout> more                   more

A premium component reaches from its opening tag to the closing tag of its name, over all that stands between:
blocks, cells, other tags. All of it goes but the name, so that nothing which is made of the text can tell it;
lines stay where they are. Tags in code, comments and expressions are passed over. A component that is never
closed has no end that the text alone tells: the parser hides it up to the end of what it stands in.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from builder.markup.braces import Braces
from builder.markup.elements import HIDDEN
from builder.markup.skips import MARK, Skips
from builder.markup.tags import Tag, tag_at
from components.registry import COMPONENTS

_NAMES = "|".join(name for name, kind in COMPONENTS.items() if kind.premium)
_TAG = re.compile(rf"<(/?)({_NAMES})(?![\w.-])")
_OPEN = re.compile(rf"<(?:{_NAMES})(?![\w.-]|/>)")
_LINE = re.compile(r"\n((?:[ \t]*>)*)[^\n]*")
_QUOTED = re.compile(r"(?:[ \t]*>)*")
_UNREADABLE = re.compile(r"[^<>\n]*(?:\n[^<>\n]+)*>?")

_Span = tuple[int, int, str]
"""Where a component begins and ends, and its name."""


def gated(text: str) -> str:
    r"""The text without its premium components' attributes and content; line ends are `\n`."""
    if _OPEN.search(text) is None:
        return text
    kept: list[str] = []
    pos = 0
    for start, end, name in _apart(_spans(text)):
        kept += text[pos:start], *_blank(text, start, end, name)
        pos = _follows(text, start, end)
    return "".join([*kept, text[pos:]])


def locked(text: str) -> bool:
    """Whether a text that went through `gated` has opening tags left: without an end, or in code."""
    return _OPEN.search(text) is not None


def _apart(spans: Iterable[_Span]) -> Iterator[_Span]:
    """The spans in order; those that stand within each other, or cross, as one."""
    whole: _Span | None = None
    for start, end, name in sorted(spans):
        if whole is not None and start < whole[1]:
            whole = whole[0], max(end, whole[1]), whole[2]
            continue
        if whole is not None:
            yield whole
        whole = start, end, name
    if whole is not None:
        yield whole


def _spans(text: str) -> Iterator[_Span]:
    """The components that have an end, in any order; one may stand within another."""
    braces = Braces(text)
    skips, pos = Skips(braces), 0
    waiting: dict[str, list[tuple[int, int]]] = {}
    while found := MARK.search(text, pos):
        pos = skips.after(found)
        if pos >= 0:
            continue
        start = found.start()
        ours, tag = _TAG.match(text, start), tag_at(braces, start)
        pos = _after(skips, found, tag)
        if ours is None:
            continue
        name, opened = ours[2], waiting.setdefault(ours[2], [])
        pos = tag.end if tag else ours.end()
        if ours[1]:
            if opened:
                yield opened.pop()[0], pos, name
        elif tag is not None and tag.kind == "void":
            yield start, pos, name
        else:
            opened.append((start, tag.end if tag else -1))
    for name, opened in waiting.items():
        yield from ((start, _broken_end(text, start), name) for start, end in opened if end < 0)


def _after(skips: Skips, found: re.Match[str], tag: Tag | None) -> int:
    """The place after a tag, or after all of an element that goes with its content."""
    if tag is None:
        return found.end()
    return max(skips.ends.hidden(tag), tag.end) if tag.kind == "open" and tag.name in HIDDEN else tag.end


def _broken_end(text: str, start: int) -> int:
    """The end of an opening tag that cannot be read: its `>` in this paragraph, or the end of that."""
    found = _UNREADABLE.match(text, start + 1)
    return found.end() if found else len(text)


def _follows(text: str, start: int, end: int) -> int:
    """Where the text goes on after a component: blanks that would be an indentation are passed over."""
    while text[end : end + 1] in {" ", "\t"} and "\n" in text[start:end]:
        end += 1
    return end


def _blank(text: str, start: int, end: int, name: str) -> Iterator[str]:
    """The name, and the lines with nothing on them but the marks of the quotes they are in.

    What follows in the first line keeps its column. What follows in a later line stands at its beginning,
    where it is the start of a paragraph and no code.
    """
    yield f"<{name}/>"
    quote = _QUOTED.match(text, text.rfind("\n", 0, start) + 1)
    deep = quote[0].count(">") if quote else 0
    lines = [found[1] for found in _LINE.finditer(text, start, end)]
    if lines:
        yield "".join("\n" + ">" * min(deep, line.count(">")) for line in lines)
    elif text[end : end + 1] not in {"", "\n"}:
        yield " " * (end - start - len(name) - 3)
