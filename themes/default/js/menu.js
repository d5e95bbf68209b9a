// The menu keeps its place and what was opened from page to page, with the current page in view.
const menu = find("#tp-menu");
const keyOf = (details) => `tp-menu ${find("a", details.parentElement).href}`;
if (menu) {
  for (const details of all("details", menu)) {
    const kept = recall("sessionStorage", keyOf(details));
    if (kept && !find("[aria-current]", details)) details.open = kept === "open";
  }
  menu.addEventListener("click", ({ target }) => {
    const details = target.localName === "summary" && target.parentElement;
    if (details) keep("sessionStorage", keyOf(details), details.open ? "closed" : "open");
  });
  const current = find(".tp-tree [aria-current]", menu);
  const settle = () => current?.offsetParent && bringIntoView(menu, current);
  // In the frame that is painted next: to measure earlier would mean to lay out the page twice.
  requestAnimationFrame(() => {
    menu.scrollTop = recall("sessionStorage", "tp-menu");
    settle();
  });
  menu.ontoggle = settle;
  addEventListener("pagehide", () => keep("sessionStorage", "tp-menu", menu.scrollTop));
}

// The menu of a large site has links in place of most categories: they unfold when asked to.
const unfold = (item, list) => {
  const link = find("a", item);
  const details = make("details", {}, make("summary", { ariaLabel: fitted(words.category, link.textContent) }));
  const inside = (path) => path.startsWith(link.pathname) && /^[^/]+\/?$/.test(path.slice(link.pathname.length));
  details.addEventListener("toggle", async () => {
    const children = (await list()).filter(({ href }) => inside(new URL(href, link).pathname));
    details.append(make("ul", { className: "tp-tree" }, ...children.map(({ href, label }) => {
      const child = make("li", {}, make("a", { href }, label));
      if (href.endsWith("/")) unfold(child, list);
      return child;
    })));
  }, { once: true });
  item.append(details);
};
if (menu?.dataset.pages) {
  let loading;
  for (const item of all(".tp-more", menu)) {
    // "All of ..." stands among the pages of its own category: it stays a link.
    const { href } = find("a", item);
    const own = all("a", item.parentElement).some((other) => other.href !== href && other.href.startsWith(href));
    if (!own) unfold(item, () => (loading ??= pages(menu.dataset.pages)));
  }
}
