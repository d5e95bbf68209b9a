"""The state of the site: what to show, and what is wrong with it."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from concurrent.futures import Future

from msgspec import Struct, field

from builder.preview import Later, SitePaths
from builder.report import Problem
from server.preview.confinement import Confinement

SCRIPT = "/_tp/reload.js"
"""Where the live-reload script is, below the site's base path."""

Progress = Callable[[int, int], None]
Made = bytes | Later | None
Ask = Callable[[str], "Future[Made]"]


def _nothing(_output: str) -> Future[Made]:
    """Answer for every path where nothing is shown."""
    done: Future[Made] = Future()
    done.set_result(None)
    return done


class Shown(Struct, frozen=True):
    """The files shown: `written` are the output paths of what is made, `copied` says where files lie.

    `places` are both, and what turns out while pages are made. `ask` is for the file at an output path, as
    it is when it is answered.
    """

    written: Collection[str] = ()
    copied: Mapping[str, str] = field(default_factory=dict)
    places: SitePaths = field(default_factory=SitePaths)
    ask: Ask = _nothing


class Snapshot(Struct, frozen=True):
    """One state of the preview.

    `number` counts states, and `started` is when this one began to be made (`time.monotonic`).
    `output` is what is shown: of this state, or, when `stale`, of an earlier one because this one could
    not be used. While it is not `complete`, not all pages have been made, and `problems` are the last known
    ones. `assets` changes whenever a file beside pages has. `title` and `base` are the site's own. `notice`
    says that programs of the site are not run; `confinement` is that of the files that it brings. An
    `is_outline` has not all places, and pages in frames that will be others.
    """

    number: int = 0
    started: float = 0.0
    output: Shown = field(default_factory=Shown)
    base: str = ""
    title: str = ""
    pages: int = 0
    seconds: float = 0.0
    problems: tuple[Problem, ...] = ()
    assets: int = 0
    notice: str = ""
    confinement: Confinement = Confinement()
    stale: bool = False
    complete: bool = True
    is_outline: bool = False

    @property
    def paths(self) -> Collection[str]:
        """The output paths of what is shown."""
        return self.output.places
