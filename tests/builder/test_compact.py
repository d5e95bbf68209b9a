"""Comments and indentation go, everything that a browser reads stays."""

from __future__ import annotations

import pytest

from builder.theme import compact

STYLES = [
    ("comments and indentation go", "/* why */\na {\n  b: c; /* here */\n}\n", "a {\nb: c;\n}\n"),
    ("comments over lines", "a {}\n/* one\n   two */\nb {}\n", "a {}\nb {}\n"),
    ("strings stay", "a { b: '/* c */'; d: \"/* e */\" }\n", "a { b: '/* c */'; d: \"/* e */\" }\n"),
    ("quotes in comments", "/* it's */ a { b: 'c' }\n/* '*/\n", "a { b: 'c' }\n"),
]

SCRIPTS = [
    ("comment lines and indentation go", "// why\nif (a) {\n  b();\n\n}\n", "if (a) {\nb();\n}\n"),
    ("addresses stay", 'a = "//b";\n', 'a = "//b";\n'),
    ("comments at line ends stay", "a(); // b\n", "a(); // b\n"),
    ("strings over lines are left alone", "a = `\n  // b\n`;\n", "a = `\n  // b\n`;\n"),
    ("strings within a line are not", "  a = `b`;\n", "a = `b`;\n"),
]


@pytest.mark.parametrize(
    ("text", "expected"), [case[1:] for case in STYLES], ids=[case[0] for case in STYLES]
)
def test_style_sheets(text: str, expected: str) -> None:
    assert compact.css(text) == expected


@pytest.mark.parametrize(
    ("text", "expected"), [case[1:] for case in SCRIPTS], ids=[case[0] for case in SCRIPTS]
)
def test_scripts(text: str, expected: str) -> None:
    assert compact.js(text) == expected
