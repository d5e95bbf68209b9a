"""Functions in the browser's language that find what can hardly be seen: they compare painted colours."""

from __future__ import annotations

_TOOLS = """
  const canvas = document.createElement("canvas").getContext("2d", { willReadFrequently: true });
  const known = new Map();
  const rgba = (color) => {
    if (!known.has(color)) {
      canvas.clearRect(0, 0, 1, 1);
      canvas.fillStyle = color;
      canvas.fillRect(0, 0, 1, 1);
      known.set(color, [...canvas.getImageData(0, 0, 1, 1).data].map((part) => part / 255));
    }
    return known.get(color);
  };
  const over = ([red, green, blue, alpha], under) =>
    [red, green, blue].map((part, index) => part * alpha + under[index] * (1 - alpha)).concat(1);
  const light = (color) => {
    const linear = (part) => part < 0.04 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
    const [red, green, blue] = color.map(linear);
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue + 0.05;
  };
  const grounds = new Map();
  const ground = (element) => {
    if (!element) return [1, 1, 1, 1];
    if (!grounds.has(element)) {
      const own = rgba(getComputedStyle(element).backgroundColor);
      grounds.set(element, own[3] === 1 ? own : over(own, ground(element.parentElement)));
    }
    return grounds.get(element);
  };
  const contrast = (color, back) => {
    const [one, other] = [light(over(rgba(color), back)), light(back)];
    return Math.round(100 * Math.max(one, other) / Math.min(one, other)) / 100;
  };
  const seen = (element) => element.checkVisibility({ opacityProperty: true, visibilityProperty: true });
"""

FAINT_TEXT = (
    "() => {"
    + _TOOLS
    + """
  const token = (name) => {
    const probe = document.body.appendChild(document.createElement("i"));
    probe.style.color = `var(${name})`;
    const { color } = getComputedStyle(probe);
    probe.remove();
    return color;
  };
  const body = ["--tp-text", "--tp-soft"].map(token);
  const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  const found = new Set();
  while (texts.nextNode()) {
    const { parentElement: parent, data } = texts.currentNode;
    if (!data.trim() || !seen(parent) || parent.closest(":disabled, .tp-hidden, script")) continue;
    const { color } = getComputedStyle(parent);
    const measured = contrast(color, ground(parent));
    if (measured < (body.includes(color) ? 7 : 4.5)) found.add(`${data.trim().slice(0, 40)}: ${measured}`);
  }
  return [...found];
}"""
)
"""Text with a contrast below 4.5, or below 7 where it is what the page says rather than a remark about it."""

FAINT_CONTROLS = (
    "() => {"
    + _TOOLS
    + """
  const found = [];
  const judge = (what, color, back) => {
    if (rgba(color)[3] && contrast(color, back) < 3) found.push(`${what}: ${contrast(color, back)}`);
  };
  for (const element of document.querySelectorAll("button, summary, .tp-icon, .tp-task-box, kbd")) {
    if (!seen(element) || element.getAttribute("aria-selected") === "false") continue;
    const [style, around] = [getComputedStyle(element), ground(element.parentElement)];
    const what = element.outerHTML.slice(0, 70);
    judge(`sign of ${what}`, style.color, ground(element));
    if (element.ariaSelected) judge(`line under ${what}`, style.borderBottomColor, around);
    else if (parseFloat(style.borderTopWidth)) judge(`edge of ${what}`, style.borderTopColor, around);
  }
  for (const element of document.querySelectorAll(".tp-callout > svg")) {
    judge(element.outerHTML, getComputedStyle(element).borderInlineStartColor, ground(element));
  }
  const ring = document.body.appendChild(document.createElement("a"));
  ring.style.outlineColor = "var(--tp-accent)";
  judge("the ring of the focus", getComputedStyle(ring).outlineColor, ground(document.documentElement));
  ring.remove();
  return found;
}"""
)
"""Signs, edges and lines that tell where a control is and what is chosen, with a contrast below 3."""
