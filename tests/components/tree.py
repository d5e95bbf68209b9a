"""A component and its children, written as JSON, in both forms.

A node is a string (a paragraph), `{"fence": code, "title": ..., "language": ...}`, `{"title": markdown}`
(an admonition's), or `{"component": name, <attributes>..., "children": [...]}`.
"""

from markupsafe import escape

from components.admonition import Admonition
from components.base import Child
from components.registry import EXTRAS, components_of
from components.words import ENGLISH

KNOWN = {**components_of(frozenset(EXTRAS)), "Admonition": Admonition}


def component_of(node):
    attributes = {name: value for name, value in node.items() if name not in ("component", "children")}
    return KNOWN[node["component"]](**attributes)


def html(node, page):
    return str(
        component_of(node).html([_html_child(child, page) for child in node.get("children", [])], page)
    )


def twin(node):
    return component_of(node).twin([_twin_child(child) for child in node.get("children", [])], ENGLISH)


def _html_child(node, page):
    if isinstance(node, str):
        return Child("text", f"<p>{escape(node)}</p>" if node.strip() else node)
    if "component" in node:
        return Child("component", html(node, page), component_of(node))
    if "fence" in node:
        return Child("fence", _figure(node), None, node.get("title", ""), node.get("language", ""))
    return Child("title", str(escape(node["title"])))


def _figure(node):
    caption = f"<figcaption>{escape(node['title'])}</figcaption>" if node.get("title") else ""
    return f'<figure class="tp-code">{caption}<pre><code>{escape(node["fence"])}</code></pre></figure>'


def _twin_child(node):
    if isinstance(node, str):
        return Child("text", node)
    if "component" in node:
        return Child("component", twin(node), component_of(node))
    if "fence" in node:
        title = f' title="{node["title"]}"' if node.get("title") else ""
        code = f"```{node.get('language', '')}{title}\n{node['fence']}\n```"
        return Child("fence", code, None, node.get("title", ""), node.get("language", ""))
    return Child("title", node["title"])
