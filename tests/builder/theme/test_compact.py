"""Comments and indentation go, everything that a browser reads stays."""

from __future__ import annotations

import pytest

from builder.theme.assets import compact_css, compact_js

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
]

SCRIPTS = [
    ("comment lines and indentation go", "// why\nif (a) {\n  b();\n\n}\n", "if(a){b()}\n"),
    ("addresses stay", 'a = "//b = c";\n', 'a="//b = c";\n'),
    ("what divides is known", "a = b / c;\n", "a=b/c;\n"),
    ("an expression beside it is known", "a = b / c(/ = /);\n", "a=b/c(/ = /);\n"),
    ("a slash within a string is known", "a = `b/${c} = d`;\n", "a=`b/${c} = d`;\n"),
    ("quotes within an expression are known", "a = /\" = '[/ ]/;\n", "a=/\" = '[/ ]/;\n"),
    ("an expression where one may divide is not", "a = b ) / c = /;\n", "a = b ) / c = /;\n"),
    (
        "space around operators goes",
        'a = (b) => ({ c: "d = e", f }) ?? -1;\n',
        'a=(b)=>({c:"d = e",f})??-1;\n',
    ),
    (
        "words keep their space",
        "for (const a of b) if (c in d) return e\n",
        "for(let a of b)if(c in d)return e\n",
    ),
    ("signs keep their space", "a = b + +c - -d - e++ + f;\n", "a=b+ +c- -d-e++ +f;\n"),
    ("names keep theirs", "a = new $b(typeof $c, [d]);\n", "a=new $b(typeof $c,[d]);\n"),
    (
        "a constant is a variable",
        'const a = "const b"; for (const [c] of d.const) e({ const: f });\n',
        'let a="const b";for(let[c]of d.const)e({const:f});\n',
    ),
    ("a loop keeps its end", "{\n  while (a());\n}\n", "{while(a());}\n"),
    ("expressions stay", "a = b.match(/ = /);\n", "a=b.match(/ = /);\n"),
    ("comments at line ends stay", "a(); // b\n", "a(); // b\n"),
    ("a comment at a line's end ends with it", "a(); // b;\nc();\n", "a(); // b;\nc();\n"),
    ("lines that may end stay apart", "a()\nb()\n}\nc()\n", "a()\nb()}\nc()\n"),
    ("strings within strings are left alone", 'a = `${b ? ` = ` : ""}`;\n', 'a = `${b ? ` = ` : ""}`;\n'),
    ("strings over lines are left alone", "a = `\n  // b\n`;\n", "a = `\n  // b\n`;\n"),
    ("strings within a line are not", "  a = `b = c`;\n", "a=`b = c`;\n"),
]


@pytest.mark.parametrize(
    ("text", "expected"), [case[1:] for case in STYLES], ids=[case[0] for case in STYLES]
)
def test_style_sheets(text: str, expected: str) -> None:
    assert compact_css(text) == expected


@pytest.mark.parametrize(
    ("text", "expected"), [case[1:] for case in SCRIPTS], ids=[case[0] for case in SCRIPTS]
)
def test_scripts(text: str, expected: str) -> None:
    assert compact_js(text) == expected
