"""The theme's files go out light; what is a site's own works as it was written."""

from __future__ import annotations

import pytest

from builder.theme import DEFAULT, Folders, theme_files
from builder.theme.assets import compact_css

STYLES = [
    ("comments and space go", "/* why */\na {\n  b: c; /* here */\n}\n", "a{b:c}"),
    ("comments over lines", "a {}\n/* one\n   two */\nb {}\n", "a{}b{}"),
    ("strings stay", "a { b: '/* c: d */'; e: \"; }\" }\n", "a{b:'/* c: d */';e:\"; }\"}"),
    ("quotes in comments", "/* it's */ a { b: 'c' }\n/* '*/\n", "a{b:'c'}"),
    ("what separates stays", "a :is(b,\n  c) > d:e {\n  f: g h\n    i;\n}\n", "a :is(b,c)>d:e{f:g h i}"),
    (
        "what begins with nothing",
        "a { b: 0.5em -0.1s 10.5px; c: d(0.2, 0) '0.1' }",
        "a{b:.5em -.1s 10.5px;c:d(.2,0) '0.1'}",
    ),
    ("within brackets", "a :is(\n  b,\n  c\n) { d: e( f(g) ) 'h( i )' }", "a :is(b,c){d:e(f(g)) 'h( i )'}"),
    ("sums keep their space", "a { b: calc(1px + 2 * (3px - c)) }", "a{b:calc(1px + 2 * (3px - c))}"),
    (
        "descendants within blocks",
        "@layer a {\n  b :hover, c:not(.d) :is(.e) { f: g }\n  h { & :focus { i: j } }\n}",
        "@layer a{b :hover,c:not(.d) :is(.e){f:g}h{& :focus{i:j}}}",
    ),
]
OWN_SCRIPTS = {
    "strings within strings": 'let a = `${b ? ` // ${c} = ` : "https://d"}`;\n',
    "a string over lines": "let a = `\n  // b\n`;\n",
    "a comment at the end": "a() // b",
    "expressions": "let a = b / c / d, e = /[/ ] = /;\n",
}


@pytest.mark.parametrize(
    ("text", "expected"), [case[1:] for case in STYLES], ids=[case[0] for case in STYLES]
)
def test_a_style_sheet(text: str, expected: str) -> None:
    assert compact_css(text) == expected


@pytest.mark.parametrize("name", ["js/zz.js", "ondemand/own.js", "search/zz.js"])
@pytest.mark.parametrize("text", OWN_SCRIPTS.values(), ids=OWN_SCRIPTS)
def test_a_script_of_the_sites_own_is_as_it_is_written(name: str, text: str) -> None:
    files = theme_files(Folders(DEFAULT.default, {name: text}, name + text))
    found = {"js": files.js, "search": files.search_js, "ondemand": files.ondemand.get("own")}
    asset = found[name.partition("/")[0]]
    assert asset is not None
    assert asset.data.decode().removesuffix("}").endswith(text if name == "ondemand/own.js" else f"{text}\n")


def test_the_default_scripts_have_no_comments() -> None:
    files = theme_files(DEFAULT)
    for asset in (files.js, files.search_js, *files.ondemand.values()):
        text = asset.data.decode()
        assert "// " not in text, asset.path
        assert "\n  " not in text, asset.path
