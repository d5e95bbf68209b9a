// The page that was not found names the pages whose addresses are most like the one that was asked for.
export const run = async (nearest, { find, make, pages, words }) => {
  const pairs = (text) => new Set([...text.toLowerCase()].map((char, index, chars) => char + chars[index + 1]));
  const asked = pairs(location.pathname.replace(/(\.\w+|\/)$/, ""));
  const likeness = ({ href }) => {
    const own = pairs(href);
    return (2 * [...own].filter((pair) => asked.has(pair)).length) / (own.size + asked.size);
  };
  const found = (await pages(nearest.dataset.pages)).filter((page) => likeness(page) > 0.5);
  found.sort((a, b) => likeness(b) - likeness(a));
  const list = make("ul", { className: "tp-children" });
  for (const { href, label, about } of found.slice(0, 5)) {
    // Named here, a page is not named again below.
    find(`[href="${href}"]`, nearest)?.parentElement.remove();
    list.append(make("li", {}, make("a", { href }, label), make("p", {}, about)));
  }
  if (found.length) nearest.prepend(make("p", {}, words.not_found_near), list);
};
