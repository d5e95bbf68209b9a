// The menu of a large site has links in place of most categories: they unfold when asked to.
let unfold = (item, list, kit) => {
  let { find, fitted, make, recall, words } = kit;
  let link = find("a", item);
  let details = make("details", {}, make("summary", { ariaLabel: fitted(words.category, link.textContent) }));
  let inside = (path) => path.startsWith(link.pathname) && /^[^/]+\/?$/.test(path.slice(link.pathname.length));
  let filled;
  let fill = async () => {
    let children = (await list()).filter(({ href }) => inside(new URL(href, link).pathname));
    let inner = [];
    details.append(make("ul", { className: "tp-tree" }, ...children.map(({ href, label }) => {
      let child = make("li", {}, make("a", { href }, label));
      if (href.endsWith("/")) inner.push(unfold(child, list, kit));
      return child;
    })));
    await Promise.all(inner);
  };
  details.ontoggle = () => (filled ??= fill());
  item.append(details);
  // As it was left on the page before, under the key that `menu.js` keeps it by.
  details.open = recall("sessionStorage", `tp-menu ${link.href}`) === "open";
  return details.open && details.ontoggle();
};
export let run = async (menu, kit) => {
  let loading;
  let list = () => (loading ??= kit.pages(menu.dataset.pages));
  let open = kit.all(".tp-more", menu).map((item) => unfold(item, list, kit)).filter(Boolean);
  let place = kit.recall("sessionStorage", "tp-menu");
  await Promise.all(open);
  // Only now is the list as long as it was.
  if (open.length) menu.scrollTop = place;
  menu.ontoggle();
};
