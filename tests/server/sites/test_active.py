"""Files that a browser would run are told from those that it only shows."""

from __future__ import annotations

import pytest

from server.sites.active_files import JUDGED, is_active

SVG = '<svg xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink">{}</svg>'

HARMLESS = {
    "a drawing": '<g fill="none" transform="rotate(3)"><path d="M0 0L9 9"/><text x="1">a</text></g>',
    "a gradient": '<linearGradient id="a"/><rect fill="url(#a)" style="filter:url( \'#b\')"/>',
    "a use": '<use href="#a"/><use xlink:href="#a"/>',
    "a link": '<a href="https://example.com/"><text>a</text></a><a xlink:href="../docs/a"/>',
    "a photograph": '<image href="data:image/png;base64,AAAA"/>',
    "a style": "<style>.a{fill:#fff} @font-face{src:url(data:font/woff2;base64,AA)}</style>",
    "CDATA": "<style><![CDATA[.a > .b {fill:red}]]></style>",
    "an animation": '<animate attributeName="opacity" from="0" to="1" values="0;1" dur="2s"/>',
    "notes of a program": (
        '<metadata><r:RDF xmlns:r="http://www.w3.org/1999/02/22-rdf-syntax-ns#" r:about="//a.b"/>'
        '</metadata><n:namedview xmlns:n="http://sodipodi.sourceforge.net/DTD/sodipodi-0.dtd" n:p="C:\\a"/>'
    ),
    "words": "<text>javascript: and onload=</text>",
    "an entity": "<text>&lt;&amp;&#169;</text>",
    "an instruction": "<?xpacket begin='a'?>",
}


@pytest.mark.parametrize("name", HARMLESS)
def test_a_drawing_is_harmless(name: str) -> None:
    assert is_active("a.svg", SVG.format(HARMLESS[name]).encode()) == ""


ACTIVE = {
    "<script>alert(1)</script>": "an element `script`",
    '<script href="data:,alert(1)"/>': "an element `script`",
    "<SCRIPT>alert(1)</SCRIPT>": "an element `SCRIPT`",
    '<g onclick="alert(1)"/>': "an event handler, `onclick`",
    '<g ONload="alert(1)"/>': "an event handler, `ONload`",
    '<g xlink:onbegin="alert(1)"/>': "an event handler, `onbegin`",
    '<a href="javascript:alert(1)"/>': "a script in `href`",
    '<a xlink:href="java&#10;script&#58;alert(1)"/>': "a script in `href`",
    '<a href=" JavaScript :alert(1)"/>': "a script in `href`",
    '<a href="data:text/html,a"/>': "a script in `href`",
    '<a href="//example.com/a"/>': "loads something from elsewhere",
    '<animate attributeName="fill" values="javascript:alert(1)"/>': "a script in `values`",
    '<set attributeName="xlink:href" to="#a"/>': "changes `xlink:href`",
    '<set attributeName="onclick" to="a()"/>': "changes `onclick`",
    "<foreignObject><p/></foreignObject>": "an element `foreignObject`",
    '<g><p xmlns="http://www.w3.org/1999/xhtml"/></g>': "has HTML in it",
    '<x:script xmlns:x="http://www.w3.org/2000/svg">a()</x:script>': "an element `script`",
    '<x:listener xmlns:x="http://www.w3.org/2001/xml-events"/>': "event handlers",
    '<iframe src="https://a.example/"/>': "an element `iframe`",
    '<image href="https://a.example/a.png"/>': "loads something from elsewhere",
    '<image href="a.png"/>': "loads something from elsewhere",
    '<image href="data:image/svg+xml,a"/>': "a script in `href`",
    '<use href="https://a.example/a.svg#b"/>': "loads something from elsewhere",
    '<use href="a.svg#b"/>': "loads something from elsewhere",
    '<g xml:base="https://a.example/"/>': "loads something from elsewhere",
    '<g fill="url(https://a.example/a.svg#b)"/>': "a style that loads",
    '<set attributeName="fill" to="url(//a.example/)"/>': "a style that loads",
    '<g style="fill:u\\72l(https://a.example)"/>': "a style with `\\`",
    "<style>@import 'https://a.example/a.css'</style>": "a style with `@import`",
    "<style><![CDATA[a{b:url( https://a.example )}]]></style>": "a style that loads",
    "<style>a{b:url(<!-- -->//a.example)}</style>": "a style that loads",
    "<g>": "not well-formed",
    "<g>&nope;</g>": "not well-formed",
    "<g>" * 600 + "</g>" * 600: "more than 500 elements",
    "</svg><svg>": "not well-formed",
    "<?xml-stylesheet href='a.xsl'?>": "a processing instruction `xml-stylesheet`",
}


@pytest.mark.parametrize("inner", ACTIVE)
def test_a_drawing_that_runs_or_loads_something_is_active(inner: str) -> None:
    assert ACTIVE[inner] in is_active("static/a.svg", SVG.format(inner).encode())


def test_what_is_told_of_a_drawing_can_be_printed() -> None:
    for inner in (
        '<use href="//a\u202eb"/>',
        "<a\u0300\u0600/>",
        '<g on\u0300="a"/>',
        "<style>url(\x85\u202e</style>",
    ):
        why = is_active("a.svg", SVG.format(inner).encode())
        assert why
        assert why.isprintable()


LAUGHS = "".join(f'<!ENTITY a{n} "{f"&a{n - 1};" * 10}">' for n in range(1, 10))
DOCUMENTS = {
    f"<!DOCTYPE svg [<!ENTITY a0 'ha'>{LAUGHS}]>{SVG.format('&a9;')}": "declares entities",
    f'<!DOCTYPE svg [<!ENTITY a SYSTEM "file:///etc/passwd">]>{SVG.format("&a;")}': "declares entities",
    f'<!DOCTYPE svg [<!ATTLIST g onload CDATA "alert(1)">]>{SVG.format("<g/>")}': "declares entities",
    '<!DOCTYPE svg PUBLIC "-//W3C//DTD XHTML 1.0 Strict//EN" "x">'
    + SVG.format('<a href="javascript&colon;a()"/>'): ("uses entities that are declared elsewhere"),
    '<?xml version="1.0" encoding="UTF-7"?>' + SVG: "in an encoding other than UTF-8",
    '<?xml version="1.0" encoding="utf-16"?>' + SVG: "in an encoding other than UTF-8",
    "": "not well-formed",
    "GIF89a": "not well-formed",
}


@pytest.mark.parametrize("text", DOCUMENTS)
def test_a_document_that_readers_may_take_differently_is_active(text: str) -> None:
    assert DOCUMENTS[text] in is_active("a.svg", text.encode())


def test_another_encoding_is_active() -> None:
    for data in (SVG.encode("utf-16"), b"\xff" + SVG.encode(), SVG.format("\xe9").encode("latin-1")):
        assert is_active("a.svg", data)


def test_a_document_type_that_programs_write_is_harmless() -> None:
    start = '<?xml version="1.0" encoding="utf-8"?><!DOCTYPE svg PUBLIC "-//W3C//DTD SVG 1.1//EN" "a.dtd">'
    assert is_active("a.svg", (start + SVG.format("<g/>")).encode()) == ""
    assert is_active("a.svg", ("\ufeff" + SVG.format("<g/>")).encode()) == ""


def test_a_drawing_too_large_to_be_looked_through_is_active() -> None:
    assert "larger than" in is_active("a.svg", b" " * (JUDGED + 1))


XML = {
    '<rss><link href="https://a.example/"/></rss>': "",
    "<a onload='b'/>": "",
    '<?xml-stylesheet href="a.xsl"?><a/>': "a processing instruction",
    '<a><b xmlns="http://www.w3.org/1999/xhtml"/></a>': "has HTML in it",
    SVG: "has SVG in it",
    '<a xmlns="http://www.w3.org/1999/XSL/Transform"/>': "a stylesheet",
}


@pytest.mark.parametrize("text", XML)
def test_xml_is_active_when_it_is_a_page(text: str) -> None:
    why = is_active("static/feed.xml", text.encode())
    assert XML[text] in why
    assert bool(why) == bool(XML[text])


@pytest.mark.parametrize(
    "name",
    [
        "a.html",
        "a.HTM",
        "a.xhtml",
        "a.html.",
        "a.html ",
        "a.js",
        "a.mjs",
        "a.\u017fvg",
        "a.svgz",
        "a.swf",
        "a.jar",
        "x/.htaccess",
        "static/html",
    ],
)
def test_a_file_is_active_by_its_name(name: str) -> None:
    assert is_active(name, b"")


@pytest.mark.parametrize(
    "name",
    [
        "a.png",
        "a.pdf",
        "a.zip",
        "a.css",
        "a.json",
        "docs/a.md",
        "docs/a.mdx",
        "a.html/c",
        "a.svg.png",
        "a.js.map",
    ],
)
def test_other_files_are_not(name: str) -> None:
    assert is_active(name, b"<script>alert(1)</script>") == ""
