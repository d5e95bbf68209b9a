"""Video and sound: an image whose address ends like a video or a sound is played.

    ![What it shows](demo.mp4)

The token `image` becomes `media`, with tag `video` or `audio`, `src` (and `title`) among its attributes and
its label in `content`, as plain text. Within a link, which can hold no controls, it becomes its label.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from html import escape

from markdown_it import MarkdownIt
from markdown_it.renderer import RendererHTML
from markdown_it.rules_core import StateCore
from markdown_it.token import Token
from markdown_it.utils import EnvType, OptionsDict

from builder.markdown.commonmark.headings import plain

VIDEO = frozenset({"mp4", "m4v", "webm", "ogv", "mov"})
AUDIO = frozenset({"mp3", "m4a", "ogg", "oga", "opus", "wav", "flac", "aac"})
LONGEST = max(map(len, VIDEO | AUDIO))
LONGEST_ADDRESS = 8_000
"""Characters of an address that is looked at: no more are sure to reach a server (RFC 9110, section 4.1)."""


def plugin(md: MarkdownIt) -> None:
    """Add the rule and the renderer."""
    md.core.ruler.push("media", play)
    md.add_render_rule("media", media)


def tag(src: str) -> str:
    """`video`, `audio` or, for all else, `img`: each address that is no server's, such as long data."""
    if len(src) > LONGEST_ADDRESS:
        return "img"
    suffix = src.partition("#")[0].partition("?")[0].rpartition(".")[2]
    if len(suffix) > LONGEST:
        return "img"
    suffix = suffix.lower()
    return "video" if suffix in VIDEO else "audio" if suffix in AUDIO else "img"


def play(state: StateCore) -> None:
    """Make `media` of images that are none."""
    if "![" in state.src:
        for token in state.tokens:
            if token.children and "![" in token.content:
                token.children = list(_played(token.children))


def _played(tokens: Sequence[Token]) -> Iterator[Token]:
    links = 0
    for token in tokens:
        links += token.nesting if token.tag == "a" else 0
        if token.type != "image" or (kind := tag(str(token.attrs["src"]))) == "img":
            yield token
            continue
        label = plain(token.children)
        if links:
            yield Token("text", "", 0, content=label, level=token.level)
        else:
            token.type, token.tag, token.content, token.children = "media", kind, label, None
            token.attrs.pop("alt", None)
            yield token


def media(_: RendererHTML, tokens: Sequence[Token], idx: int, __: OptionsDict, ___: EnvType) -> str:
    """A player that loads nothing but the length, with a link for browsers that have none."""
    token = tokens[idx]
    return player(token.tag, str(token.attrs["src"]), token.content, str(token.attrs.get("title", "")))


def player(kind: str, src: str, label: str, title: str = "") -> str:
    """The element; `src` is a final address, all arguments are still to be escaped."""
    href, text = escape(src), escape(label or src)
    name = f' title="{escape(title or label)}"' if title or label else ""
    opening = f'<{kind} class="tp-media" src="{href}" controls="" preload="metadata"{name}>'
    return f'{opening}<a href="{href}">{text}</a></{kind}>'
