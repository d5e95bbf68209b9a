"""Fenced code as HTML: Pygments' lexers, a formatter of our own.

    <figure class="tp-code" data-language="js"><figcaption>app.js</figcaption>
    <pre tabindex="0"><code class="language-js">... <span class="k">const</span> ...</code></pre></figure>

With marked lines or line numbers each line is a `<span class="tp-line ...">`. Neighbours of one colour are
one span; `builder/code/fast_lexer.py` has the colours.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable, Mapping
from functools import lru_cache, partial
from html import escape

from builder.code import info as fences
from builder.code.rendered_fence import Fence

MAX_PAGE = 96 * 1024
"""Characters of one page that are highlighted; whoever renders the page counts them, then uses `plain`."""

_LABEL = re.compile(r"[^\w+#.-]+")


_known: dict[bytes, Fence] = {}


def remember(known: Mapping[bytes, Fence]) -> None:
    """Take blocks, by their keys, that this very engine has made before, in the place of those taken before.

    A page that is edited has most of its code as it was, and some lexers take 30 ms to load.
    """
    _known.clear()
    _known.update(known)


def key(code: str, info: str) -> bytes:
    """Return a digest that tells a block from all others."""
    data = f"{len(info)} {info}{code}".encode("utf-8", "surrogatepass")
    return hashlib.blake2b(data, digest_size=16).digest()


# For pages that come again, in the preview and in tabs: on a site, two blocks of a hundred are alike.
@lru_cache(maxsize=512)
def fence(code: str, info: str) -> Fence:
    """A fenced block. `info` is the info string as it was written. Total."""
    return (_known.get(key(code, info)) if _known else None) or _fence(code, fences.info(info))


def _fence(code: str, read: fences.Info) -> Fence:
    if not read.language:
        return _figure(code, read, None, over_budget=False)
    # Loaded here, as code without a language, and code that is remembered, needs none of it.
    from builder.code import lexers  # noqa: PLC0415

    lexer = lexers.lexer_for(read.language.lower(), code)
    if lexer is None:
        return _figure(code, read, None, over_budget=False)
    if lexers.fits(code, lexer.name):
        return _figure(code, read, partial(lexers.coloured, lexer=lexer), over_budget=False)
    return _figure(code, read, None, over_budget=True)


def plain(code: str, info: str) -> Fence:
    """The same without highlighting, for pages that have spent their budget."""
    return _figure(code, fences.info(info), None, over_budget=True)


def _figure(code: str, info: fences.Info, colour: Callable[[str], str] | None, *, over_budget: bool) -> Fence:
    code = code if code.endswith("\n") or not code else f"{code}\n"
    lines = fences.lines(code, info.classes(), info.language)
    inner = colour(lines.code) if colour else escape(lines.code, quote=False)
    if lines.classes or info.numbers:
        inner = _lined(inner, lines.classes)
    label = _LABEL.sub("", info.language)
    figure = f'<figure class="tp-code{" tp-numbers" if info.numbers else ""}"'
    language = f' data-language="{label}"' if label else ""
    code_class = f' class="language-{label.lower()}"' if label else ""
    caption = f"<figcaption>{escape(info.title)}</figcaption>" if info.title else ""
    html = f'{figure}{language}>{caption}<pre tabindex="0"><code{code_class}>{inner}</code></pre></figure>\n'
    return Fence(html, info.title, label, over_budget)


def _lined(html: str, classes: Mapping[int, str]) -> str:
    """Each line in a span of its own; spans of colour are closed at its end and opened again on the next."""
    out: list[str] = []
    opening = ""
    for number, line in enumerate(html.removesuffix("\n").split("\n"), start=1):
        mark = f" {classes[number]}" if number in classes else ""
        whole = f"{opening}{line}".replace(f"{opening}</span>", "", 1) if opening else line
        start, end = whole.rfind("<span"), whole.rfind("</span>")
        opening = whole[start : whole.index(">", start) + 1] if start > end else ""
        out.append(f'<span class="tp-line{mark}">{whole}{"</span>" if opening else ""}\n</span>')
    return "".join(out)
