// Headings get a link to themselves; their own name stays what it is.
for (let heading of all(".tp-prose :is(h2, h3, h4, h5, h6)[id]")) {
  heading.ariaLabel = heading.textContent;
  let link = make("a", { className: "tp-anchor", href: "#", ariaLabel: fitted(words.heading, heading.textContent) });
  link.hash = heading.id;
  heading.append(link);
}

// The table of contents marks the section that is being read.
let entries = all(".tp-contents a, .tp-contents-bar a");
let idOf = (link) => decodeURIComponent(link.hash.slice(1));
let sections = [...new Set(entries.map(idOf))].map((id) => document.getElementById(id)).filter(Boolean);
let mark = () => {
  let line = parseFloat(getComputedStyle(root).scrollPaddingBlockStart) + 24;
  let atEnd = scrollY > 0 && innerHeight + scrollY > root.scrollHeight - 4;
  // Sections at the end of the page never reach the line: there, the one that was asked for or the last.
  let now = (atEnd && sections.find((section) => section.matches(":target") && topOf(section) > 0)) || sections.findLast((section) => atEnd || topOf(section) < line);
  for (let link of entries) {
    if (idOf(link) !== now?.id) link.removeAttribute("aria-current");
    else if (!link.ariaCurrent) {
      link.setAttribute("aria-current", "location");
      if (link.offsetParent) bringIntoView(link.closest(".tp-contents, .tp-contents-bar > ul"), link);
    }
  }
  find(".tp-contents-now").textContent = now ? entries.find((link) => idOf(link) === now.id).textContent : "";
};
if (sections.length) {
  let bar = find(".tp-contents-bar");
  let frame;
  // The open list pushes the text down: what was being read is still what it was.
  let markSoon = () => {
    frame ??= requestAnimationFrame(() => {
      frame = undefined;
      if (!bar.open) mark();
    });
  };
  addEventListener("scroll", markSoon);
  markSoon();
  // The open list stands over the text: it closes when a section was chosen, and as soon as the reader is elsewhere.
  let shut = ({ type, target, key }) => {
    if (key === "Escape" && bar.open) find("summary", bar).focus();
    if (key === "Escape" || (type === "click" && target.href) || !bar.contains(target)) bar.open = false;
  };
  for (let type of ["click", "focusin", "keydown"]) addEventListener(type, shut);
}
