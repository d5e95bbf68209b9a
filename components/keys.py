"""`++ctrl+s++` as keys: the extra `keys`. Not a tag: the builder reads it, and what it shows is here."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from markupsafe import Markup

from components import twin
from components.base import Child, Component, Page
from components.html import fill
from components.words import Words

NAMES = {
    "alt": "Alt", "backspace": "Backspace", "break": "Break", "caps-lock": "Caps Lock", "cmd": "Cmd",
    "command": "Cmd", "context-menu": "Menu", "control": "Ctrl", "ctrl": "Ctrl", "del": "Del",
    "delete": "Del", "down": "↓", "arrow-down": "↓", "end": "End", "enter": "Enter", "esc": "Esc",
    "escape": "Esc", "fn": "Fn",
    "home": "Home", "ins": "Ins", "insert": "Ins", "left": "←", "arrow-left": "←", "menu": "Menu",
    "meta": "Meta", "minus": "-", "num-lock": "Num Lock", "option": "Option", "page-down": "Page Down",
    "page-up": "Page Up", "pause": "Pause", "plus": "+", "print-screen": "Print Screen", "return": "Return",
    "right": "→", "arrow-right": "→", "scroll-lock": "Scroll Lock", "shift": "Shift", "space": "Space",
    "super": "Super", "tab": "Tab", "up": "↑", "arrow-up": "↑", "win": "Win", "windows": "Win",
    **{f"f{number}": f"F{number}" for number in range(1, 25)},
}  # fmt: skip
"""What is on the keys, by the names that authors write."""

_HTML = "{% for key in keys %}{% if not loop.first %}+{% endif %}<kbd>{{ key }}</kbd>{% endfor %}"


class Keys(Component, frozen=True):
    """Keys that are pressed together, as they are shown."""

    tag: ClassVar[str] = "Keys"

    keys: tuple[str, ...] = ()

    def html(self, children: Sequence[Child], page: Page) -> Markup:
        """Each key, with a plus between them."""
        return fill(_HTML, keys=self.keys)

    def twin(self, children: Sequence[Child], words: Words) -> str:
        """The keys in a line."""
        return "+".join(twin.plain(key) for key in self.keys)


def shown(name: str) -> str:
    """Return the text on the key of this name, or an empty string when there is none."""
    if name[:1] == '"':
        return name.strip('"')
    return NAMES.get(name.lower(), name.upper() if len(name) == 1 else "")
