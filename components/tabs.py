"""`Tabs`, and `TabItem`, a part of them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from markupsafe import Markup

from components import anchors, strays, twin
from components import labels as names
from components.base import Child, Component, Labels, Page
from components.html import coded, content, fill, one_line, stray
from components.panels import Panel, tabbed
from components.words import Words, fitted


class Tabs(Component, frozen=True):
    """Variants of one thing under tabs, one visible at a time.

    | Attribute | Type | Default | Meaning |
    |---|---|---|---|
    | `labels` | labels | | The tabs' names, separated by commas; `\\,` is a comma in a name. |

    Each `TabItem` is a tab; leave a blank line between them. When a reader picks a tab, every group of the
    site switches to the tab of the same name, on other pages too. Without script and in print all tabs are
    shown, each under its label.

    ```mdx
    <Tabs labels="Linux,macOS,Windows">
      <TabItem>

      Install it with `apt`, then open a new shell.

      </TabItem>

      <TabItem>

      Install it with `brew`.

      </TabItem>

      <TabItem>

      Use the Windows Subsystem for Linux.

      </TabItem>
    </Tabs>
    ```
    """

    tag: ClassVar[str] = "Tabs"
    ignored: ClassVar[frozenset[str]] = frozenset({
        "className", "defaultValue", "groupId", "lazy", "queryString", "syncKey",
    })  # fmt: skip

    labels: Labels = ""

    def html(self, children: Sequence[Child], page: Page) -> Markup:
        """A panel for each item."""
        given, items = names.split(self.labels), _items(children)
        strays.check(children, TabItem, Tabs, page)
        names.check(given, len(items), "`TabItem`", page)
        if not given and not all(item.name for item in items):
            page.report("attribute-missing", "`Tabs` without `labels`", 'write `labels="One,Two"`')
        named = _named(children, given, page.words)
        page.tell_apart(
            {id_: label.replace("`", "") for label, item, child in named if item for id_ in child.headings}
        )
        parts = [
            Panel(label, item.inside(child.content), anchor=item.anchor(label, page))
            if item
            else stray(child)
            for label, item, child in named
        ]
        return tabbed(parts, page.words.options, "", page)

    def twin(self, children: Sequence[Child], words: Words) -> str:
        """Each item under its label."""
        given = names.split(self.labels)
        return twin.blocks(
            part
            for label, item, child in _named(children, given, words)
            for part in ("" if item and item.name else twin.title(label), child.content)
        )


def _items(children: Sequence[Child]) -> list[TabItem]:
    return [child.component for child in children if isinstance(child.component, TabItem)]


def _named(
    children: Sequence[Child], given: Sequence[str], words: Words
) -> list[tuple[str, TabItem | None, Child]]:
    """Each child with its item, if it is one, and the item's label."""
    named: list[tuple[str, TabItem | None, Child]] = []
    count = 0
    for child in children:
        item = child.component if isinstance(child.component, TabItem) else None
        label = ""
        if item:
            label = item.name or names.at(given, count) or fitted(words.tab, count + 1)
            count += 1
        named.append((label, item, child))
    return named


_LABEL = '<p class="tp-tab-label"><strong>{{ label }}</strong></p>'


class TabItem(Component, frozen=True):
    """One tab of `Tabs` and its content.

    | Attribute | Type | Default | Meaning |
    |---|---|---|---|
    | `label` | text | from `labels` | The tab's name; it replaces the one in the `labels` of `Tabs`. |
    | `value` | text | | The tab's name, where there is no `label`, as in Docusaurus. |
    | `id` | text | | The anchor for links to it, such as `#with-apt`: a link shows this tab. |

    It can hold everything that a page can, code blocks and other components included. In the table of
    contents, headings within a tab have its name behind them.

    ````mdx
    <Tabs>
      <TabItem label="Command line">

      ```bash
      twinpress build
      ```

      </TabItem>

      <TabItem label="Continuous integration">

      Run the same command there; it fails when the site has errors.

      </TabItem>
    </Tabs>
    ````
    """

    tag: ClassVar[str] = "TabItem"
    parents: ClassVar[tuple[str, ...]] = ("Tabs",)
    ignored: ClassVar[frozenset[str]] = frozenset({"attributes", "className", "default"})

    label: str = ""
    value: str = ""
    id: str = ""

    @property
    def name(self) -> str:
        """The tab's own name, on one line, or an empty text."""
        return one_line(self.label) or one_line(self.value)

    def html(self, children: Sequence[Child], page: Page) -> Markup:
        """The content under the item's own label, for an item that stands outside `Tabs`."""
        anchors.chosen(self.id, page)
        return self._head() + content(children)

    def twin(self, children: Sequence[Child], words: Words) -> str:
        """The content under the item's own label."""
        return twin.blocks([twin.title(self.name), twin.content(children)])

    def inside(self, html: str) -> Markup:
        """The result of `html` without the label, which the panel of `Tabs` shows."""
        return Markup(html.removeprefix(self._head()))

    def anchor(self, label: str, page: Page) -> str:
        """The id of the item's panel, if its author has chosen one; `page` is that of `Tabs`."""
        return page.anchor(label, self.id) if anchors.is_valid(self.id) else ""

    def _head(self) -> Markup:
        return fill(_LABEL, label=coded(self.name)) if self.name else Markup("")
