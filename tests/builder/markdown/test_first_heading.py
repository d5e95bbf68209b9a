"""The page heading that is found without parsing the page."""

from __future__ import annotations

import pytest

from builder.markdown.first_heading import first_heading
from builder.paths import Format

CASES: list[tuple[str, Format, str | None]] = [
    ("# Title\n", "md", "Title"),
    ("text\n\n# Later\n", "md", "Later"),
    ("## Second level\n", "md", None),
    ("Title\n=====\n", "md", "Title"),
    ("- item\n===\n", "md", None),
    ("```\n# code\n```\n# Real\n", "md", "Real"),
    ("~~~sh\n```\n# code\n~~~\n# Real ##\n", "md", "Real"),
    ("# A `code` and *stress* and [link](x.md)\n", "md", "A code and stress and link"),
    ("# ##\n", "md", None),
    ("# a# #\t## \t\n", "md", "a#"),
    ("# a" + 100_000 * " " + "x\n", "md", "a" + 100_000 * " " + "x"),
    ("# " + 20_000 * "www._" + "\n", "md", 20_000 * "www._"),
    ("# Chosen {#id}\n", "mdx", "Chosen"),
    ("import X from 'y'\n\n# Title {props.x}\n", "mdx", "Title"),
    ("# The GET call <kbd>x</kbd>\n", "mdx", "The GET call x"),
    ("> # Quoted\n", "md", None),
    ("#No space\n", "md", None),
    ("# \n", "md", None),
    ("", "mdx", None),
    ("\r\n# Title\r\n", "md", "Title"),
    ("<Callout>\n# Hidden\n</Callout>\n", "mdx", None),
    ("<Callout>\r\nHidden\r\n===\r\n</Callout>\r\n\r\n# Title\r\n", "mdx", "Title"),
    ("- <Accordion>\n  # Hidden\n\n# Title `<Embed>`\n", "mdx", "Title <Embed>"),
    ("# Title\n\n<Callout>\n# Hidden\n</Callout>\n", "mdx", "Title"),
    ("<Callout>\n# Shown, as md has no components\n</Callout>\n", "md", "Shown, as md has no components"),
]


@pytest.mark.parametrize(("body", "form", "expected"), CASES)
def test_the_first_level_one_heading_is_plain_text(body: str, form: Format, expected: str | None) -> None:
    assert first_heading(body, form) == expected


@pytest.mark.parametrize("after", ["", "\n<Callout>\na\n</Callout>\n"])
def test_the_extras_of_the_site_count(after: str) -> None:
    body, extras = f"# Save with ++ctrl+s++ $x^2$ `++a++`\n{after}", frozenset({"keys", "math"})
    assert first_heading(body, "mdx", extras) == "Save with Ctrl+S x^2 ++a++"
    assert first_heading(body, "mdx") == "Save with ++ctrl+s++ $x^2$ ++a++"
    assert first_heading(body, "md", extras) == "Save with ++ctrl+s++ $x^2$ ++a++"
