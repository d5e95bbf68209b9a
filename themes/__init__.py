"""The themes: templates, stylesheets, scripts and icons. Data only; this module says where they lie."""

from __future__ import annotations

from pathlib import Path

_DEFAULT = Path(__file__).parent / "default"


def default() -> Path:
    """The folder of the default theme.

    It holds `templates/*.html`; `css/*.css` and `js/*.js`, which joined in the order of their names are
    the one style sheet and the one module script; `boot.js`, the one inline script, whose text without
    the final newline is what the page's policy allows by its hash; `ondemand/*.js`, module scripts that are
    loaded when they are needed; and `icons/`.
    """
    return _DEFAULT
