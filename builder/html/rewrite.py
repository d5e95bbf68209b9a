"""A piece of an author's raw HTML, read as browsers do, and written again without what pages may not have.

    piece   = text | "<" name attribute* ">" | "</" name ">" | comment | "<!" ... ">" | "<?" ... ">"
    dropped = elements and attributes outside `builder.html.sanitize`'s tables, each told with its place

What is written stands alone: a tag, comment or script that is open at the end of the piece cannot swallow
what follows. The result is no gate (that is `sanitize.clean`), but it says what the gate would drop.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from html import escape, unescape

from msgspec import Struct, field

from builder.html import sanitize
from builder.lazy_regex import lazy
from builder.links import urls
from builder.redaction import beginning
from components.registry import COMPONENTS, EXTRA_OF

MAX_TAGS = 30_000
"""Tags on one page; those beyond are shown as text."""

MAX_OPEN = 200
"""Elements open at one place; browsers flatten beyond some 500, and sanitising slows down."""

MAX_FORMATTING = 8
"""Of these, elements like `<b>`, which browsers open again in every block until they are closed."""

FORMATTING = frozenset({"a", "b", "code", "em", "i", "s", "small", "strong", "u"})
VOID = frozenset({
    "area", "base", "br", "col", "embed", "frame", "hr", "img", "input", "link", "meta", "param", "source",
    "track", "wbr",
})  # fmt: skip

_IMPLIED = frozenset({
    "dd", "dt", "li", "p", "rp", "rt", "tbody", "td", "tfoot", "th", "thead", "tr",
})  # fmt: skip
"""Elements that end where the next of their kind begins."""

_MARKUP = lazy(r"<(?:(?P<comment>!--)|(?P<other>[!?])|(?P<close>/?)(?P<name>[A-Za-z][^\s/>]*))")
_COMMENT_END = lazy(r"(?<=<!--)-?>|--!?>")
_ATTRIBUTE = lazy(r"[\s/]*([^\s/>=]+)(?:\s*=\s*(?:\"([^\"]*)\"|'([^']*)'|([^\s>\"'][^\s>]*)?))?")
_TAG_END = lazy(r"[\s/]*>")
_ADDRESS = lazy(r' (href|src|poster)="([^"]*)"')

_INSTRUCTIONS = {"<?": "?>", "<![CDATA[": "]]>", "<!": ">"}
"""How what is for other programs begins, and how it ends in full."""

_INSECURE = "an image of `srcset` is not shown: browsers load images over `https` only"

Resolve = Callable[[str, str], str | None]
"""From an address and its attribute's name (`href`, `src`, `poster`) to the final address, or None."""


class Drop(Struct, frozen=True):
    """Something left out, `offset` characters into the piece. `code` is a diagnostic's."""

    offset: int
    code: str
    message: str
    hint: str = ""


class HtmlReader(Struct):
    """Reads the pieces of one page in order; knows how many elements are open."""

    drops: list[Drop] = field(default_factory=list)
    opened: list[str] = field(default_factory=list)
    tags: int = 0
    _ends: dict[str, int] = field(default_factory=dict)

    def read(self, text: str) -> str:
        """The piece without what is dropped; `drops` holds what was, for this piece alone."""
        self.drops, self._ends = [], {}
        return "".join(self._pieces(text))

    def _pieces(self, text: str) -> Iterator[str]:
        done = 0
        while found := _MARKUP.search(text, done):
            yield _text(text[done : found.start()])
            self.tags += 1
            if self.tags > MAX_TAGS:
                self.drops.append(Drop(found.start(), "budget-exceeded", "there are too many tags"))
                done = found.start()
                break
            if found["comment"]:
                done = self._comment(text, found)
            elif found["other"]:
                done = self._instruction(text, found.start())
            else:
                tag, done = self._tag(text, found)
                yield tag
        yield _text(text[done:])

    def _comment(self, text: str, found: re.Match[str]) -> int:
        """Drop a comment; where the text goes on."""
        end = _COMMENT_END.search(text, found.end())
        done = end.end() if end else len(text)
        if end or not self._unclosed(text, found.start(), done, "<!--", "-->"):
            self.drops.append(Drop(found.start(), "comment-dropped", "a comment was left out"))
        return done

    def _instruction(self, text: str, start: int) -> int:
        """Drop what is for other programs, up to the first `>` as browsers do; where the text goes on."""
        opening, end = next(pair for pair in _INSTRUCTIONS.items() if text.startswith(pair[0], start))
        done = text.find(">", start) + 1 or len(text)
        if self._last(end, text) > start or not self._unclosed(text, start, done, opening, end):
            self._drop(start, f"`{text[start : start + 20]}`")
        return done

    def _tag(self, text: str, found: re.Match[str]) -> tuple[str, int]:
        """The tag as it may stay, and where the text goes on."""
        name = found["name"].lower()
        attributes, end = _attributes(text, found.end())
        if end < 0:  # never closed: to a browser all that follows is part of it
            return _text(text[found.start() :]), len(text)
        if found["close"]:
            return self._closing(name), end
        if name in sanitize.DROPPED_WITH_CONTENT and name not in VOID:
            return "", self._with_content(name, text, found.start(), end)
        if name not in sanitize.TAGS or (name == "input" and attributes.get("type") != "checkbox"):
            self._unknown(found)
            return "", end
        if name not in VOID and not self._open(name, found.start()):
            return "", end
        return f"<{name}{self._kept(name, attributes, found.start())}>", end

    def _with_content(self, name: str, text: str, start: int, end: int) -> int:
        """Drop an element whose tag reaches from `start` to `end`; where the text goes on after it."""
        closing = re.compile(rf"</{name}(?=[\s/>])[^>]*>", re.IGNORECASE).search(text, end)
        done = closing.end() if closing else len(text)
        alone = closing or not text[end:].strip()
        if alone or not self._unclosed(text, start, done, f"<{name}>", f"</{name}>"):
            self._drop(start, f"`<{name}>`{' and what is in it' if closing else ''}")
        return done

    def _last(self, end: str, text: str) -> int:
        """Return the last offset of `end` in the piece, looked for once."""
        if end not in self._ends:
            self._ends[end] = text.rfind(end)
        return self._ends[end]

    def _unclosed(self, text: str, start: int, done: int, opening: str, closing: str) -> bool:
        """Tell that what opens at `start` is not closed, and how much goes; False when nothing else does."""
        lines = text[start:done].rstrip().count("\n")
        of_line = opening[1].isalpha()  # a comment's own line is the comment
        if not lines and not of_line:
            return False
        lost = f"{lines} {'line' if lines == 1 else 'lines'} after it" if lines else "the rest of its line"
        message = f"`{opening}` is never closed, so {lost} went with it"
        self.drops.append(Drop(start, "html-unclosed", message, f"close it with `{closing}`"))
        return True

    def close(self, depth: int) -> str:
        """The closing tags that lead back to `depth` open elements."""
        tags = "".join(f"</{name}>" for name in reversed(self.opened[depth:]))
        del self.opened[depth:]
        return tags

    def _open(self, name: str, offset: int) -> bool:
        if name in _IMPLIED:
            self._end_implied(name)
        formatting = name in FORMATTING and sum(one in FORMATTING for one in self.opened) >= MAX_FORMATTING
        if len(self.opened) < MAX_OPEN and not formatting:
            self.opened.append(name)
            return True
        message = f"too many elements are open; `<{name}>` is left out"
        self.drops.append(Drop(offset, "budget-exceeded", message))
        return False

    def _end_implied(self, name: str) -> None:
        for place in range(len(self.opened) - 1, -1, -1):
            if self.opened[place] == name:
                del self.opened[place:]
            if self.opened[place:] == [] or self.opened[place] not in _IMPLIED:
                return

    def _closing(self, name: str) -> str:
        """A closing tag closes all that was opened within its element; without one it is nothing."""
        if name not in self.opened:
            return ""
        while self.opened.pop() != name:
            pass
        return f"</{name}>"

    def _kept(self, tag: str, attributes: dict[str, str], offset: int) -> str:
        written, lost = "", []
        if tag == "a" and "name" in attributes:  # the old way to write an anchor
            attributes.setdefault("id", attributes.pop("name"))
        for name, value in attributes.items():
            kept = sanitize.attribute(tag, name, value)
            if kept is not None:
                written += f' {name}="{escape(kept)}"'
                if name == "srcset" and any(map(urls.insecure, kept.split())):
                    self.drops.append(Drop(offset, "image-insecure", _INSECURE, "use `https`"))
            elif name in sanitize.ADDRESSES and name in sanitize.ATTRIBUTES.get(tag, ()):
                self.drops.append(Drop(offset, "link-unsafe", f"`{beginning(value, 80)}` may not be linked"))
            else:
                lost.append(f"`{name[:40]}`")
        if lost:
            self._drop(offset, f"{', '.join(lost[:10])} of `<{tag}>`")
        return written

    def _unknown(self, found: re.Match[str]) -> None:
        name = found["name"]
        if name in COMPONENTS or name in EXTRA_OF:
            message = f"left out: `<{name}>`, as `md` pages have no components"
            hint = "rename the file to `.mdx`"
            if extra := EXTRA_OF.get(name):
                hint = f"{hint}, where `<{name}>` acts with `{extra}` in `extras` of `site.yml`"
            self.drops.append(Drop(found.start(), "mdx-only", message, hint))
        else:
            self._drop(found.start(), f"`<{name}>`")

    def _drop(self, offset: int, what: str) -> None:
        self.drops.append(Drop(offset, "html-dropped", f"left out: {what}"))


def resolved(html: str, resolve: Resolve) -> str:
    """Return what `HtmlReader.read` wrote, each address as `resolve` gives it, or removed for None."""

    def replace(found: re.Match[str]) -> str:
        address = resolve(unescape(found[2]), found[1])
        return "" if address is None else f' {found[1]}="{escape(address)}"'

    return _ADDRESS.sub(replace, html) if '="' in html else html


def _attributes(text: str, pos: int) -> tuple[dict[str, str], int]:
    """The attributes of a tag, in lower case and decoded, the first of a name, and where it ends (or -1)."""
    found: dict[str, str] = {}
    while (end := _TAG_END.match(text, pos)) is None:
        attribute = _ATTRIBUTE.match(text, pos)
        if attribute is None:
            return {}, -1
        name, double, single, bare = attribute.groups()
        found.setdefault(name.lower(), unescape(double or single or bare or ""))
        pos = attribute.end()
    return found, end.end()


def _text(text: str) -> str:
    """Text between tags; entities in it stay as they are."""
    return text.replace("<", "&lt;").replace('"', "&quot;")
