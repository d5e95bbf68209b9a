"""Questions to a page in the browser: functions in its language that answer with a list of what is wrong."""

from __future__ import annotations

SMALL = """() => [...document.querySelectorAll("a[href], button, summary, [tabindex='0']")]
  .filter((element) => element.checkVisibility({ visibilityProperty: true }) && !element.matches(".tp-skip"))
  .filter((element) => getComputedStyle(element).display !== "inline")
  .map((element) => [element.outerHTML.slice(0, 80), element.getBoundingClientRect()])
  .filter(([, box]) => Math.min(box.width, box.height) < 24)
  .map(([html]) => html)"""
"""Controls, other than links in running text, that are less than 24 pixels high or wide."""

SIDEWAYS = "() => document.documentElement.scrollWidth - document.body.offsetWidth"
"""Pixels by which the page can be scrolled sideways; room kept for a scroll bar does not excuse any."""

OPEN_ALL = "() => { for (const details of document.querySelectorAll('details')) details.open = true; }"

CLOSE_ALL = "() => { for (const details of document.querySelectorAll('details')) details.open = false; }"

SETTLED = "() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))"
"""Waits until the page was laid out and its observers were told."""

WIDE = """(script) => [...document.querySelectorAll(".tp-prose pre, .tp-table")]
  .filter((box) => box.scrollWidth > box.clientWidth && box.checkVisibility({ visibilityProperty: true }))
  .map((box) => {
    box.scrollLeft = 10000;
    const moved = box.scrollLeft > 0;
    box.scrollLeft = 0;
    return [box.outerHTML.slice(0, 80), moved && (box.tabIndex === 0 || !script)];
  })"""
"""Tables and code that are wider than their place: the start of each, and whether everybody can scroll it.

The browser makes what scrolls a stop for the keyboard; the script does so where a browser does not."""

UNREADABLE = """() => {
  const texts = document.createTreeWalker(document.querySelector("main .tp-prose"), NodeFilter.SHOW_TEXT);
  const found = [];
  const added = "[role=tablist], .tp-copy, .tp-load, .tp-anchor, .tp-footnote-back, .tp-hidden" +
    ", .tp-tooltip-tip";
  while (texts.nextNode()) {
    const { parentElement: parent, data } = texts.currentNode;
    const shown = data.replace(/[\\u2061-\\u2064]/g, "").trim(); // formulas have operators that are not seen
    if (!shown || parent.closest(`${added}, video, audio`)) continue;
    const seen = parent.checkVisibility({ opacityProperty: true, visibilityProperty: true });
    const boxes = [...parent.getClientRects()];
    if (!seen || !boxes.some(({ width, height }) => width && height)) found.push(data.trim().slice(0, 80));
  }
  return found;
}"""
"""Pieces of the article's text that nobody sees, but for what the script adds, a player stands for, or a
word says that is pointed at."""

PALE = """() => {
  const canvas = document.createElement("canvas").getContext("2d", { willReadFrequently: true });
  const light = (color) => {
    canvas.fillStyle = "#fff";
    canvas.fillRect(0, 0, 1, 1);
    canvas.fillStyle = color;
    canvas.fillRect(0, 0, 1, 1);
    const linear = (part) => part < 10 ? part / 3294.6 : ((part / 255 + 0.055) / 1.055) ** 2.4;
    const [red, green, blue] = [...canvas.getImageData(0, 0, 1, 1).data].map(linear);
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
  };
  const pairs = new Map();
  for (const element of document.querySelectorAll("body, main, main *, .tp-print-source")) {
    if (!element.checkVisibility() || !element.textContent.trim()) continue;
    const { color, backgroundColor } = getComputedStyle(element);
    pairs.set(`${color} on ${backgroundColor}`, [color, backgroundColor]);
  }
  const pale = ([, [color, back]]) => light(color) > 0.18 || light(back) < 0.6;
  return [...pairs].filter(pale).map(([pair]) => pair);
}"""
"""Colours of text too pale for white paper, and backgrounds that are dark on it."""

HIGH = """(page) => [...document.querySelectorAll("main *")]
  .filter((element) => getComputedStyle(element).breakInside === "avoid" && element.offsetHeight > page)
  .map((element) => element.outerHTML.slice(0, 80))"""
"""Boxes not to be torn, and yet higher than a page of paper: before them, the rest of a page stays empty."""

WRITTEN_OUT = """() => [...document.querySelectorAll(".tp-prose a")]
  .filter((link) => getComputedStyle(link, "::after").content.includes("http"))
  .map((link) => link.textContent)"""
"""The texts of the links whose addresses are written after them."""

STOPS = """() => {
  const stops = [...document.querySelectorAll("a[href], button, summary, input, iframe, [tabindex]")];
  window.stops = stops.filter((stop) => stop.tabIndex >= 0 && !stop.disabled)
    .filter((stop) => stop.checkVisibility({ visibilityProperty: true }));
  return window.stops.length;
}"""
"""Remembers what the keyboard has to reach, in the order of the page, and tells how much that is."""

FOCUS = """() => {
  const { activeElement: stop } = document;
  const box = stop.getBoundingClientRect();
  const style = [getComputedStyle(stop), getComputedStyle(stop, "::after")];
  const ringed = style.some(({ outlineStyle, outlineWidth, outlineColor }) =>
    outlineStyle !== "none" && parseFloat(outlineWidth) >= 2 && !/, 0\\)$/.test(outlineColor));
  const [x, y] = [box.left + Math.min(box.width / 2, 12), box.top + Math.min(box.height / 2, 12)];
  const top = document.elementFromPoint(x, y);
  return {
    at: window.stops.indexOf(stop),
    name: stop.outerHTML.slice(0, 80),
    ringed: ringed && style[0].opacity === "1",
    seen: Boolean(top) && (stop.contains(top) || top.contains(stop) && top.localName !== "header"),
  };
}"""
"""The keyboard's stop: which it is, whether it can be told from others, and whether nothing covers it."""

CLIPPED = """() => [...document.querySelectorAll("main *")]
  .filter((box) => box.scrollWidth > box.clientWidth + 1 && getComputedStyle(box).overflowX !== "visible")
  .filter((box) => box.checkVisibility() && !box.matches(".tp-hidden"))
  .map((box) => box.outerHTML.slice(0, 80))"""
"""Boxes that are cut off where nobody can scroll: on paper."""

BUTTONS = """() => [...document.querySelectorAll("button, [role=tab]")]
  .filter((button) => button.checkVisibility({ opacityProperty: true, visibilityProperty: true }))
  .filter((button) => !button.matches("[popovertarget], .tp-tooltip-word"))
  .map((button) => button.outerHTML.slice(0, 80))"""
"""Buttons that can be seen, but for those that work without script."""

OVERLAPPING = """() => [...document.querySelectorAll("[role=tablist]")].flatMap((row) => {
  const tabs = [...row.children].map((tab) => {
    const text = document.createRange();
    text.selectNodeContents(tab);
    return [tab.textContent, text.getBoundingClientRect()];
  });
  const over = ([, box], at) => box.height > 30 || (at && box.width && box.left < tabs[at - 1][1].right);
  return tabs.filter(over).map(([name]) => name);
})"""
"""Tabs whose names are broken, or over those before them, where lines run from left to right."""

MOVING = """() => [...document.querySelectorAll("*")].filter((element) => {
  const { animationName, animationTimeline, transitionDuration } = getComputedStyle(element);
  const timed = animationName !== "none" && animationTimeline === "auto";
  return timed || transitionDuration.split(", ").some((time) => parseFloat(time));
}).map((element) => element.outerHTML.slice(0, 80))"""
"""Elements that would move for readers who want no motion; what follows their scrolling does not count."""

APART = """() => [...document.querySelectorAll(".tp-endpoint-bar:has(> .tp-method)")].filter((bar) => {
  const box = (part) => bar.querySelector(part).getBoundingClientRect();
  return box(".tp-copy").top > box(".tp-method").bottom;
}).map((bar) => bar.textContent)"""
"""Endpoints whose copy button has fallen into a line of its own."""

UNEVEN = """() => [...document.querySelectorAll(".tp-embed")].filter((embed) => {
  const begins = [".tp-embed-title", "figcaption"].map((part) => {
    const text = document.createRange();
    text.selectNodeContents(embed.querySelector(part));
    return text.getBoundingClientRect().left;
  });
  return Math.abs(begins[0] - begins[1]) > 1;
}).map((embed) => embed.textContent)"""
"""Embeds that are no picture, and whose title does not begin where the text below it begins."""

TORN = """() => [...document.querySelectorAll(".tp-path")].flatMap((path) => {
  const texts = document.createTreeWalker(path, NodeFilter.SHOW_TEXT);
  const found = [];
  while (texts.nextNode()) {
    const { currentNode: text } = texts;
    const range = document.createRange();
    for (const { 0: word, index } of text.data.matchAll(/(https:\\/\\/)?[^/\\s]+/g)) {
      range.setStart(text, index);
      range.setEnd(text, index + word.length);
      const lines = [...range.getClientRects()];
      const length = lines.reduce((sum, { width }) => sum + width, 0);
      if (lines.length > 1 && length < path.clientWidth) found.push(word);
    }
  }
  return found;
})"""
"""Words in the addresses of endpoints that are broken although they fit on a line."""
