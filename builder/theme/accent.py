"""A site's accent colour, in shades that can be read: text in it, and text on it.

The measure is the contrast of WCAG 2: 4.5 between text and whatever is behind it.
"""

from __future__ import annotations

from msgspec import Struct

ENOUGH = 4.5
_LIGHT = ("#ffffff", "#f7f8fb", "#eef0f5")
_DARK = ("#0f1117", "#161a23", "#212734")
"""The grounds on which the theme writes in the accent colour, as in `base.css`, the page's own first."""
_TINT = 0.1
"""How much of the accent colour is mixed into the ground of what is chosen in the menu."""
_STEPS = 200

Channels = tuple[float, float, float]


class Accent(Struct, frozen=True):
    """The shade for light pages and that for dark ones, as `#rrggbb`."""

    light: str
    dark: str


def accent(color: str) -> Accent:
    """The shades of a colour `#rrggbb`, each as near to it as can be read."""
    return Accent(_readable(color, _LIGHT, (0, 0, 0)), _readable(color, _DARK, (1, 1, 1)))


def contrast(one: str, other: str) -> float:
    """Between two colours `#rrggbb`: from 1 to 21."""
    return _contrast(_channels(one), _channels(other))


def rule(color: str) -> str:
    """Return the style sheet's rule for the colour."""
    shades = accent(color)
    return f"@layer tp-base{{:root{{--tp-accent:light-dark({shades.light},{shades.dark})}}}}\n"


def _readable(color: str, grounds: tuple[str, ...], end: Channels) -> str:
    """The colour, moved towards black or white until it can be read on all grounds."""
    for step in range(_STEPS + 1):
        shade = _hex(_mixed(_channels(color), end, step / _STEPS))
        if all(contrast(shade, ground) >= ENOUGH for ground in (*grounds, _tinted(shade, grounds[0]))):
            return shade
    return _hex(end)


def _tinted(shade: str, ground: str) -> str:
    return _hex(_mixed(_channels(ground), _channels(shade), _TINT))


def _mixed(one: Channels, other: Channels, share: float) -> Channels:
    red, green, blue = (a + (b - a) * share for a, b in zip(one, other, strict=True))
    return red, green, blue


def _channels(color: str) -> Channels:
    red, green, blue = (int(color[at : at + 2], 16) / 255 for at in (1, 3, 5))
    return red, green, blue


def _hex(channels: Channels) -> str:
    return "#" + "".join(f"{round(channel * 255):02x}" for channel in channels)


def _contrast(one: Channels, other: Channels) -> float:
    lighter, darker = sorted((_luminance(one), _luminance(other)), reverse=True)
    return (lighter + 0.05) / (darker + 0.05)


def _luminance(channels: Channels) -> float:
    red, green, blue = (c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in channels)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue
