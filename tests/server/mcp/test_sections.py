from __future__ import annotations

import pytest

from server.mcp.sections import headings, section
from tests.time_bounds import processor_seconds

TEXT = """\
# Install

About.

## On Linux `apt`

Use apt.

```sh
## no heading
```

### Older *systems*

Old.

## On macOS

~~~
# none either
```
~~~

Brew.

## On macOS ##

Again.
"""
LINUX = TEXT[TEXT.index("## On Linux") : TEXT.index("## On macOS")].strip() + "\n"
OLD = "### Older *systems*\n\nOld.\n"


@pytest.mark.parametrize(
    ("wanted", "expected"),
    [
        ("On Linux apt", LINUX),
        ("on-linux-apt", LINUX),
        ("#on-linux-apt", LINUX),
        ("ON LINUX APT", LINUX),
        ("Older systems", OLD),
        ("On macOS", "## On macOS\n\n~~~\n# none either\n```\n~~~\n\nBrew.\n"),
        ("Install", TEXT.strip() + "\n"),
        ("no heading", None),
        ("none either", None),
        ("", None),
        ("#", None),
        ("Linux", LINUX),
        ("on apt", LINUX),
        ("apt on", None),
        ("On", None),
    ],
)
def test_a_section_is_what_stands_below_its_heading(wanted, expected):
    assert section(TEXT, wanted) == expected


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("# A", ("A", 1)),
        ("   ###### A ##  ", ("A", 6)),
        ("## [A *b*](./c) `d`", ("A b d", 2)),
        ("## A\\*b snake_case _c_", ("A*b snake_case c", 2)),
        ("#", ("", 1)),
        ("## ##", ("", 2)),
        ("# A#", ("A#", 1)),
        ("####### A", None),
        ("#A", None),
        ("    # A", None),
        ("text", None),
    ],
)
def test_a_line_is_a_heading(line, expected):
    found = list(headings([line]))
    assert [(each.text, each.level) for each in found] == ([expected] if expected else [])


@pytest.mark.parametrize("hostile", ["[", "](", "[](", " ", "#", " #", "\\", "_", "`", "# ", "[a](b"])
def test_no_heading_takes_long(hostile):
    text = "# a" + hostile * (500_000 // len(hostile)) + "b\n"
    with processor_seconds(2):
        section(text, "nothing")


@pytest.mark.parametrize("line", ["#\n", "# a-b c\n"])
def test_no_number_of_headings_takes_long(line):
    text = line * (4_000_000 // len(line))
    with processor_seconds(3):
        section(text, "nothing")
