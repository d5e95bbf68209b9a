"""The themes: templates, stylesheets and scripts. Data only; this module says where they lie."""

from __future__ import annotations

from importlib.resources import files
from importlib.resources.abc import Traversable

STYLES = ("base.css", "layout.css", "prose.css", "components.css", "print.css")
"""Joined in this order they are the theme's one stylesheet; the first names the cascade layers."""

SCRIPTS = ("theme.js", "tabs.js", "code.js", "navigation.js")
"""Joined in this order they are the theme's one module script; the first has what the others share."""


def default() -> Traversable:
    """The folder of the default theme.

    It holds `templates/`, the files of `STYLES` and `SCRIPTS`, `icons*`, and `boot.js`: the one inline
    script, whose text without the final newline is what the page's policy allows by its hash.
    """
    return files(__name__) / "default"
