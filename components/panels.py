"""Panels under a row of tabs, for `Tabs` and `CodeGroup`.

Every panel is in the HTML. Without script and in print the tabs are hidden and each panel shows its label;
the theme's script shows one panel at a time and keeps tabs with equal labels in step, on all pages.
"""

from __future__ import annotations

from collections.abc import Sequence

from markupsafe import Markup
from msgspec import Struct

from components.base import Page
from components.html import coded, fill

_HTML = """
    <div class="tp-tabs{{ look }}">
    <div role="tablist" aria-label="{{ label }}">
    {% for tab in tabs %}
    <button type="button" role="tab" id="{{ tab.id }}" aria-controls="{{ tab.target }}"
    {%- if loop.first %} aria-selected="true" tabindex="0">
    {%- else %} aria-selected="false" tabindex="-1">{% endif %}
    {{ tab.label }}</button>
    {% endfor %}
    </div>
    {% for panel in panels %}{{ panel }}{% endfor %}
    </div>
"""

_PANEL = """
    <div role="tabpanel" class="tp-panel
    {%- if titled %} tp-titled{% endif %}{% if first %} tp-on{% endif %}"
    {{- " " }}id="{{ id }}" aria-labelledby="{{ tab }}">
    {% if not titled %}<p class="tp-panel-label">{{ label }}</p>{% endif %}
    {{ content }}
    </div>
"""


class Panel(Struct, frozen=True):
    """One panel; `titled` when its content shows the label itself, as the title of a fence does.

    `anchor` is the id that its author has chosen, if any.
    """

    label: str
    content: Markup
    titled: bool = False
    anchor: str = ""


class _Tab(Struct, frozen=True):
    id: str
    target: str
    label: Markup


def tabbed(parts: Sequence[Panel | Markup], label: str, look: str, page: Page) -> Markup:
    """Tabs and their panels. `Markup` among the parts is always visible: above the tabs if it comes before
    the first panel, below the panels otherwise.

    `label` is the row's name for screen readers, `look` a class of its own or nothing.
    """
    panels = [part for part in parts if isinstance(part, Panel)]
    tabs = [_tab(panel, page) for panel in panels]
    if not tabs:
        return Markup("").join(part for part in parts if isinstance(part, Markup))
    first = next(place for place, part in enumerate(parts) if isinstance(part, Panel))
    strays = [(place, part) for place, part in enumerate(parts) if isinstance(part, Markup)]
    above = Markup("").join(part for place, part in strays if place < first)
    below = Markup("").join(part for place, part in strays if place > first)
    group = fill(
        _HTML,
        look=f" {look}" if look else "",
        label=label,
        tabs=tabs,
        panels=[_panel(panel, tab, tabs[0]) for panel, tab in zip(panels, tabs, strict=True)],
    )
    return above + group + below


def _tab(panel: Panel, page: Page) -> _Tab:
    own = page.unique("tab"), page.unique("panel")
    return _Tab(own[0], panel.anchor or own[1], coded(panel.label))


def _panel(panel: Panel, tab: _Tab, first: _Tab) -> Markup:
    return fill(
        _PANEL,
        id=tab.target,
        tab=tab.id,
        label=coded(panel.label),
        titled=panel.titled,
        first=tab is first,
        content=panel.content,
    )
