from __future__ import annotations

import pytest

from server.mcp.sections import section

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
        ("Linux", None),
    ],
)
def test_a_section_is_what_stands_below_its_heading(wanted, expected):
    assert section(TEXT, wanted) == expected
