"""Load what renders pages, and make it ready, while other processes still read the sources.

What is there before there are several processes, all of them have; else each would load it for itself.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from importlib import import_module

_LANGUAGE = re.compile(r"^ {0,3}(?:```|~~~)([\w+#-]{1,20})[ \t]*$", re.MULTILINE)
_RENDERING = "builder.workers.pool"
"""What loads all that renders."""


def load() -> None:
    """Load what renders."""
    import_module(_RENDERING)


def load_lexers(texts: Iterable[str]) -> None:
    """Make the lexers of the languages in these texts; some take 20 ms. The code itself is not read."""
    from builder.code import lexers  # noqa: PLC0415 - see above

    for language in sorted({language for text in texts for language in _LANGUAGE.findall(text)}):
        lexers.lexer(language.lower())
