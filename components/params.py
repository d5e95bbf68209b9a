"""`Params`, and `Param`, a part of them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import groupby
from typing import ClassVar
from urllib.parse import quote

from markupsafe import Markup

from components import twin
from components.base import Child, Component, Page
from components.html import coded, content, fill, one_line
from components.words import Words

_HTML = """
    {% if title or parts %}<div class="tp-params">
    {% if title %}<p class="tp-params-title">{{ title }}</p>{% endif %}
    {% for part in parts %}{{ part }}{% endfor %}
    </div>{% endif %}
"""


class Params(Component, frozen=True):
    """A list of parameters or fields, each with its type and meaning.

    | Attribute | Type | Default | Meaning |
    |---|---|---|---|
    | `title` | text | | The title of the list, such as "Query" or "Body". |

    Leave a blank line between the rows. Text between them is shown where it stands.

    ```mdx
    <Params title="Body">
      <Param name="path" type="string" required>
        Must start with `docs/` or `pages/`.
      </Param>

      <Param name="format" type="enum" default="mdx">
        Either `mdx` or `md`.
      </Param>

      <Param name="llmBody" type="string">
        Markdown for the page's machine-readable twin.
      </Param>
    </Params>
    ```
    """

    tag: ClassVar[str] = "Params"

    title: str = ""

    def html(self, children: Sequence[Child], page: Page) -> Markup:
        """Neighbouring rows in one `dl`. A `dl` can hold nothing else, so other content divides the list."""
        runs = groupby(children, key=lambda child: isinstance(child.component, Param))
        parts = [as_list(run) if are_rows else content(run) for are_rows, run in runs]
        return fill(_HTML, title=coded(self.title), parts=parts)

    def twin(self, children: Sequence[Child], words: Words) -> str:
        """The title in bold and a list with a bullet for each row."""
        return twin.blocks([twin.title(self.title), twin.listing(children, Param)])


_OPEN, _CLOSE = Markup('<dl class="tp-params-list">'), Markup("</dl>")


class _Absent(str):
    """No default at all, which is not the same as the empty text."""

    __slots__ = ()


_ABSENT = _Absent()

_ROW = """
    <div class="tp-param" id="{{ id }}"><dt>
    {% if name %}<a class="tp-param-name" href="#{{ target }}"><code>{{ name }}</code></a>{% endif %}
    {% if type %}{{ " " }}<span class="tp-type">{{ type }}</span>{% endif %}
    {% if required %}{{ " " }}<span class="tp-required">{{ words.required }}</span>{% endif %}
    {% if default %}{{ " " }}<span class="tp-default">
    {{ words.default }} <code>{{ default }}</code></span>{% endif %}
    </dt><dd>{{ content }}</dd></div>
"""


class Param(Component, frozen=True):
    """One parameter or field, with its type and meaning. Put it into `Params`.

    | Attribute | Type | Default | Meaning |
    |---|---|---|---|
    | `name` | text | | The parameter's name; readers can link to it as `#param-` and the name. |
    | `type` | text | | Its type, in your own words. |
    | `required` | flag | `false` | Shows the word "required". |
    | `default` | text | | The value that counts when the parameter is not given. |

    The text between the tags is the description.

    ```mdx
    <Params>
      <Param name="limit" type="number" default="20">
        How many entries to return, at most 100.
      </Param>
    </Params>
    ```
    """

    tag: ClassVar[str] = "Param"
    parents: ClassVar[tuple[str, ...]] = ("Params",)

    name: str = ""
    type: str = ""
    required: bool = False
    default: str = _ABSENT

    def html(self, children: Sequence[Child], page: Page) -> Markup:
        """A list of one row, valid anywhere; `Params` joins its rows into one list."""
        if not self.name.strip():
            page.report("attribute-missing", "a `Param` without `name`", "add `name`")
        anchor = page.anchor(f"param-{one_line(self.name)}".rstrip("-"))
        row = fill(
            _ROW,
            id=anchor,
            target=quote(anchor),
            name=one_line(self.name),
            type=one_line(self.type),
            required=self.required,
            default=self._default(),
            words=page.words,
            content=content(children),
        )
        return _OPEN + row + _CLOSE

    def twin(self, children: Sequence[Child], words: Words) -> str:
        """A bullet with name, type, "required" and default, then the description."""
        default = f"{twin.plain(words.default)} {twin.code(self._default())}" if self._default() else ""
        facts = [twin.plain(self.type), twin.plain(words.required) if self.required else "", default]
        # The words of the page with nothing between them: who compares the two finds each in the other.
        name, told = twin.code(self.name), list(filter(None, facts))
        nameless = f"({', '.join(told)})" if told else ""
        term = " ".join([name, *told]) if name else nameless
        return twin.entry(term, twin.content(children))

    def _default(self) -> str:
        """The default as it is shown: the empty text as two quotes."""
        return "" if isinstance(self.default, _Absent) else one_line(self.default) or '""'


def as_list(rows: Iterable[Child]) -> Markup:
    """The rows of several `Param` children as one list."""
    inner = (Markup(row.content.removeprefix(_OPEN).removesuffix(_CLOSE)) for row in rows)
    return _OPEN + Markup("").join(inner) + _CLOSE
