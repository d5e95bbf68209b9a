"""Values of attributes are text, whatever they hold: the HTML parses to the same tree, and only to ours."""

import json
import os
import re
from pathlib import Path

import html5lib
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from components.attributes import attributes
from components.base import Child
from tests.components.recorder import Recorder
from tests.components.tree import KNOWN
from tests.security import plain_elements

SOURCES = [
    (tag, name)
    for tag, component in KNOWN.items()
    for name, attribute in attributes(component).items()
    if attribute.kind not in ("number", "flag")
]
each_attribute = pytest.mark.parametrize(
    ("tag", "name"), SOURCES, ids=[".".join(source) for source in SOURCES]
)

ELEMENTS = frozenset(
    [
        "a",
        "aside",
        "button",
        "code",
        "dd",
        "details",
        "div",
        "dl",
        "dt",
        "figcaption",
        "figure",
        "h2",
        "li",
        "ol",
        "p",
        "section",
        "span",
        "strong",
        "summary",
        "svg",
        "time",
        "ul",
        "var",
        "wbr",
    ]
)
ATTRIBUTES = frozenset(
    [
        "class",
        "color",
        "role",
        "id",
        "href",
        "type",
        "tabindex",
        "data-close",
        "data-copy",
        "datetime",
        "data-copy-label",
        "data-embed",
        "data-title",
        "viewBox",
        "aria-label",
        "aria-hidden",
        "aria-controls",
        "aria-describedby",
        "aria-selected",
        "aria-labelledby",
    ]
)
DRAWN = frozenset(["circle", "ellipse", "line", "path", "polygon", "polyline", "rect"])
ALLOWED_SCHEME = re.compile(
    r"(?:https?://(?!/)|mailto:|tel:|#|/(?![/\\])|(?![^/?#]*:|[/\\]{2})\S)", re.IGNORECASE
)

anything = st.text(max_size=60) | st.lists(
    st.sampled_from([*"\"'<>&=/ `{}|\\:;#\n", "script", "on", "javascript:", "-->"])
).map("".join)


def render(tag, **values):
    component = KNOWN[tag]
    given_values = {name: "x" for name in component.__struct_fields__ if (tag, name) in SOURCES}
    children = [Child("fence", "<p>body</p>", None, "t", "l"), Child("text", "<p>text</p>")]
    return str(component(**{**given_values, **values}).html(children, Recorder()))


def tree_of(html):
    return html5lib.parseFragment(html, namespaceHTMLElements=False)


def shape(element):
    # An address has as many places to break as slashes.
    parts = [child for child in element if local(child.tag) != "wbr"]
    inside = () if local(element.tag) == "svg" else tuple(map(shape, parts))
    return local(element.tag), tuple(sorted(element.attrib)), inside


def local(tag):
    return tag.rpartition("}")[2]


def assert_harmless(html):
    for element in plain_elements(html) or tree_of(html).iter():
        tag = local(element.tag)
        if tag in DRAWN or tag == "DOCUMENT_FRAGMENT":
            continue
        assert tag in ELEMENTS
        assert set(element.attrib) <= ATTRIBUTES
        assert ALLOWED_SCHEME.match(element.attrib.get("href", "#"))
        assert element.attrib.get("data-embed", "https://").startswith("https://")


@each_attribute
@settings(max_examples=25)
@given(value=anything)
def test_no_value_leaves_its_attribute(tag, name, value):
    assert_harmless(render(tag, **{name: value}))


@each_attribute
@settings(max_examples=25)
@given(value=anything)
def test_markup_in_a_value_does_not_change_the_tree(tag, name, value):
    if name in ("href", "src"):
        return
    plain = re.sub(r"[\"'<>&=]", "x", value)  # backticks are markup that authors may use
    assert shape(tree_of(render(tag, **{name: value}))) == shape(tree_of(render(tag, **{name: plain})))


def payloads():
    corpora = os.environ.get("TWINPRESS_CORPORA")
    if not corpora:
        return []
    found = []
    for name in ("dompurify.json", "h5sc.json"):
        found += texts(json.loads((Path(corpora) / name).read_text(encoding="utf-8")))
    return found


def texts(value):
    if isinstance(value, str):
        return [value]
    inside = value.values() if isinstance(value, dict) else value if isinstance(value, list) else []
    return [text for part in inside for text in texts(part)]


@pytest.mark.skipif(not payloads(), reason="needs TWINPRESS_CORPORA")
@each_attribute
def test_no_payload_of_the_corpora_leaves_its_attribute(tag, name):
    for payload in payloads():
        assert_harmless(render(tag, **{name: payload}))
