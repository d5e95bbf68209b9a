"""`<details>` and `<summary>`, which pages may have as HTML: kept as blocks, as if they were components."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from markupsafe import Markup

from components import twin
from components.base import Child, Component, Page
from components.html import content
from components.words import Words


class Summary(Component, frozen=True):
    """What is seen of a closed `<details>`."""

    tag: ClassVar[str] = "summary"

    def html(self, children: Sequence[Child], page: Page) -> Markup:
        """Running text; `Details` puts it into the element."""
        return content(children)

    def twin(self, children: Sequence[Child], words: Words) -> str:
        """A line in bold, unless it has several blocks or is bold already."""
        text = twin.content(children)
        return text if "\n" in text or "**" in text or not text else f"**{text}**"


class Details(Component, frozen=True):
    """A part that opens on a click."""

    tag: ClassVar[str] = "details"

    open: bool = False

    def html(self, children: Sequence[Child], page: Page) -> Markup:
        """The native element; its summary comes first, wherever it was written."""
        summary = next((child for child in children if isinstance(child.component, Summary)), None)
        rest = content(child for child in children if child is not summary)
        head = Markup(summary.content.strip() if summary else "") or page.words.details
        state = Markup(' open=""') if self.open else Markup("")
        return Markup("<details{}><summary>{}</summary>\n{}\n</details>").format(state, head, rest)

    def twin(self, children: Sequence[Child], words: Words) -> str:
        """The summary and the rest."""
        return twin.content(children)


DISCLOSURE: dict[str, type[Component]] = {"details": Details, "summary": Summary}
