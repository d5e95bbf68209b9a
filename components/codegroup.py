"""`CodeGroup`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from markupsafe import Markup

from components import labels as names
from components import strays, twin
from components.base import Child, Component, Labels, Page
from components.html import one_line, stray
from components.panels import Panel, tabbed
from components.words import Words, fitted


class CodeGroup(Component, frozen=True):
    """Code blocks under tabs, one visible at a time.

    | Attribute | Type | Default | Meaning |
    |---|---|---|---|
    | `labels` | labels | the titles | The tabs' names, separated by commas; `\\,` is a comma in a name. |

    Without `labels`, each tab shows its code block's `title`, or its language if there is no title. When a
    reader picks a tab, every group of the site switches to the tab of the same name, on other pages too.

    ````mdx
    <CodeGroup>

    ```bash title="cURL"
    curl -H "Authorization: Bearer $TOKEN" https://docs.example.com/api/v1/pages/ai/site
    ```

    ```python title="Python"
    import httpx

    httpx.get(f"{base}/ai/site", headers={"Authorization": f"Bearer {token}"})
    ```

    </CodeGroup>

    <CodeGroup labels="npm,pnpm">

    ```bash
    npm install
    ```

    ```bash
    pnpm install
    ```

    </CodeGroup>
    ````
    """

    tag: ClassVar[str] = "CodeGroup"

    labels: Labels = ""

    def html(self, children: Sequence[Child], page: Page) -> Markup:
        """A panel for each code block."""
        shown = self._named(children, page.words)
        others = (child for child in children if child.kind != "fence")
        strays.report(others, "code block", CodeGroup, page)
        names.check(names.split(self.labels), sum(1 for label, _ in shown if label), "code block", page)
        parts = [_panel(label, child) if label else stray(child) for label, child in shown]
        return tabbed(parts, page.words.code_examples, "tp-codegroup", page)

    def twin(self, children: Sequence[Child], words: Words) -> str:
        """Each code block under its label."""
        return twin.blocks(
            part
            for label, child in self._named(children, words)
            for part in (twin.title(label), child.content)
        )

    def _named(self, children: Sequence[Child], words: Words) -> list[tuple[str, Child]]:
        """Each child with its label: a fence has one, any other child an empty one."""
        given = names.split(self.labels)
        pairs: list[tuple[str, Child]] = []
        count = 0
        for child in children:
            label = ""
            if child.kind == "fence":
                own = one_line(child.title) or one_line(child.language)
                label = names.at(given, count) or own or fitted(words.code_tab, count + 1)
                count += 1
            pairs.append((label, child))
        return pairs


def _panel(label: str, fence: Child) -> Panel:
    return Panel(label, Markup(fence.content), titled=label == one_line(fence.title))
