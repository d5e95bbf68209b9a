"""`FileTree`: the extra `file-tree`."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import ClassVar

from markupsafe import Markup

from components import strays, twin
from components.base import Child, Component, Page
from components.html import content, fill
from components.words import Words

_HTML = '{% if content %}<div class="tp-file-tree">{{ content }}</div>{% endif %}'
_ITEM = re.compile(r"<li>(?:\n<p>)?((?:[^\n<]|<(?!/li>|/?ul>|/?ol>|/?p>)[^>]*>)*)(\n<[uo]l>)?")
_VOID = r"(?:br|img|input|wbr)\b"
_NAME = re.compile(rf"(?:[^\s<]|<(?!{_VOID})(\w+)[^>]*>.*?</\1>|<[^>]*>)+")
_OPENING = re.compile(rf"<(?!/|{_VOID})[^>]*(?<!/)>")
_TAG = re.compile(r"<[^>]*>")
_PART = re.compile(r"<(strong|em)>([^<]*)</\1>")
_MARKS = {"strong": "__", "em": "_"}


class FileTree(Component, frozen=True):
    """Folders and files, written as a list.

    It has no attributes. The first word of an item is its name, the rest a remark. An item with a list in it,
    or with a `/` at its end, is a folder. A name in bold stands out. Put names with blanks, and `__init__`
    alone, between backticks. An item `...` stands for more files.

    ```mdx
    <FileTree>
    - docs/
      - index.md the page at `/docs/`
      - guide/
        - **install.mdx** what you are writing
        - ...
    - static/
    - site.yml
    </FileTree>
    ```
    """

    tag: ClassVar[str] = "FileTree"

    def html(self, children: Sequence[Child], page: Page) -> Markup:
        """The lists, each name marked as that of a folder or a file."""
        others = (child for child in children if not child.content.lstrip().startswith(("<ul", "<ol")))
        strays.report(others, "list", FileTree, page)
        return fill(_HTML, content=Markup(_ITEM.sub(_item, str(content(children)))))

    def twin(self, children: Sequence[Child], words: Words) -> str:
        """The list."""
        return twin.content(children)


def _item(found: re.Match[str]) -> str:
    """The beginning of an item, with its name apart from the remark."""
    name = _NAME.match(found[1])
    if name is None or not (_balanced(name[0]) and _balanced(found[1])):
        return found[0]
    start = found[0][: found.start(1) - found.start()]
    text = _TAG.sub("", name[0])
    kind = "folder" if found[2] or text.endswith("/") else "more" if text in ("...", "…") else "file"
    whole = f'<span class="tp-file">{_with_underscores(name[0])}</span>'
    rest = found[1][name.end() :].strip()
    remark = f' <span class="tp-file-remark">{rest}</span>' if rest else ""
    item = start.replace("<li>", f'<li class="tp-is-{kind}">', 1)
    return f"{item}{whole}{remark}{found[2] or ''}"


def _balanced(html: str) -> bool:
    """Return whether as many elements end in a part of a line as begin there."""
    return len(_OPENING.findall(html)) == html.count("</")


def _with_underscores(name: str) -> str:
    """A name of which a part was taken for emphasis: `_category_.yml`, `__init__.py`."""
    part = _PART.search(name)
    if part is None or part[0] == name:
        return name
    return _PART.sub(lambda found: f"{_MARKS[found[1]]}{found[2]}{_MARKS[found[1]]}", name)
