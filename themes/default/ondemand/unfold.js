// The menu of a large site has links in place of most categories: they unfold when asked to.
const unfold = (item, list, kit) => {
  const { find, fitted, make, words } = kit;
  const link = find("a", item);
  const details = make("details", {}, make("summary", { ariaLabel: fitted(words.category, link.textContent) }));
  const inside = (path) => path.startsWith(link.pathname) && /^[^/]+\/?$/.test(path.slice(link.pathname.length));
  details.addEventListener("toggle", async () => {
    const children = (await list()).filter(({ href }) => inside(new URL(href, link).pathname));
    details.append(make("ul", { className: "tp-tree" }, ...children.map(({ href, label }) => {
      const child = make("li", {}, make("a", { href }, label));
      if (href.endsWith("/")) unfold(child, list, kit);
      return child;
    })));
  }, { once: true });
  item.append(details);
};
export const run = (menu, kit) => {
  let loading;
  for (const item of kit.all(".tp-more", menu)) {
    unfold(item, () => (loading ??= kit.pages(menu.dataset.pages)), kit);
  }
};
