"""The check of drawings: what is refused, and what is written anew."""

from __future__ import annotations

import pytest

from builder.diagrams.svg import Unsafe, checked


def drawing(inner: str, more: str = "") -> str:
    return (
        '<svg xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink" width="100%" '
        f'viewBox="0 0 10.2 20"{more}>{inner}</svg>'
    )


REFUSED = {
    "script": "<script>alert(1)</script>",
    "foreign object": "<foreignObject><div xmlns='http://www.w3.org/1999/xhtml'>x</div></foreignObject>",
    "animation": "<set attributeName='href' to='javascript:alert(1)'/>",
    "animate": "<animate attributeName='x'/>",
    "iframe": "<iframe src='https://x.example'/>",
    "image elsewhere": "<image href='https://x.example/a.png'/>",
    "image as svg": "<image href='data:image/svg+xml;base64,AAAA'/>",
    "use elsewhere": "<use href='https://x.example/a.svg#b'/>",
    "use of data": "<use xlink:href='data:image/svg+xml,x#b'/>",
    "fill elsewhere": "<rect fill='url(https://x.example/#a)'/>",
    "filter elsewhere": "<rect filter=\"url('//x.example/#a')\"/>",
    "url unclosed": "<rect fill='url(https://x.example'/>",
    "style elsewhere": "<rect style='fill:URL( https://x.example )'/>",
    "style escaped": r"<rect style='fill:u\72l(https://x.example)'/>",
    "import": "<style>@import 'https://x.example/a.css';</style>",
    "font": "<style>@font-face{src:local(x)}</style>",
    "sheet elsewhere": "<style>a{background:url(https://x.example)}</style>",
    "image set": "<style>a{background:image-set('https://x.example' 1x)}</style>",
    "end of style": "<style>&lt;/style></style>",
    "expression": "<rect style='width:expression(alert(1))'/>",
    "unknown element": "<x:y xmlns:x='u'/>",
    "html": "<b>x</b>",
}


@pytest.mark.parametrize("name", REFUSED)
def test_what_could_run_or_load_is_refused(name: str) -> None:
    with pytest.raises(Unsafe):
        checked(drawing(REFUSED[name]))


@pytest.mark.parametrize(
    "svg",
    [
        "<svg",
        "",
        "<p/>",
        "<!DOCTYPE svg [<!ENTITY a 'b'>]>" + drawing("<text>&a;</text>"),
        "<?xml-stylesheet href='x.css'?>" + drawing(""),
        "<svg xmlns='http://www.w3.org/2000/svg'/>",
        drawing("").replace("10.2", "1e9"),
        drawing("").replace("10.2", "99999"),
        drawing("<g>" * 300 + "</g>" * 300),
    ],
)
def test_what_is_no_drawing_is_refused(svg: str) -> None:
    with pytest.raises(Unsafe):
        checked(svg)


def test_attributes_that_are_not_on_the_list_go() -> None:
    made = checked(drawing('<rect onclick="alert(1)" data-x="y" x="1" tabindex="0" fill="url(#a)"/>'))
    assert '<rect x="1" fill="url(#a)"></rect>' in made.svg


def test_a_link_becomes_a_group() -> None:
    made = checked(drawing('<a xlink:href="https://x.example" transform="translate(1,2)"><text>x</text></a>'))
    assert '<g transform="translate(1,2)"><text>x</text></g>' in made.svg
    assert "example" not in made.svg


def test_the_size_is_that_of_the_view() -> None:
    made = checked(drawing("", ' style="max-width: 99px" onload="alert(1)"'))
    assert (made.width, made.height) == (11, 20)
    assert made.svg.startswith("<svg xmlns=")
    assert ' width="11" height="20"' in made.svg
    assert "max-width" not in made.svg
    assert "onload" not in made.svg


def test_labels_title_and_description_are_known() -> None:
    inner = (
        "<title>A way</title><desc>From here\n to there.</desc><g><title>no</title></g>"
        '<text><tspan class="row">One</tspan><tspan class="row">two</tspan></text><text>One two</text>'
        "<text>&lt;b&gt;</text>"
    )
    made = checked(drawing(inner))
    assert made.labels == ("One two", "<b>")
    assert (made.title, made.description) == ("A way", "From here to there.")
    assert "&lt;b&gt;" in made.svg
