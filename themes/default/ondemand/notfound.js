// The page that was not found names the pages whose addresses are most like the one that was asked for.
export const run = async (nearest, { find, make, pages, words }) => {
  const pairs = (text) => new Set([...text.toLowerCase()].map((char, index, chars) => char + chars[index + 1]));
  const asked = pairs(location.pathname.replace(/(\.\w+|\/)$/, ""));
  const likeness = ({ href }) => {
    const own = pairs(href);
    return (2 * [...own].filter((pair) => asked.has(pair)).length) / (own.size + asked.size);
  };
  const listed = ({ href }) => find(`[href="${CSS.escape(href)}"]`, nearest)?.parentElement;
  const name = ({ href, label, about }) => make("li", {}, make("a", { href }, label), make("p", {}, about));
  const show = (every) => {
    const near = every.filter((page) => likeness(page) > 0.5);
    near.sort((a, b) => likeness(b) - likeness(a));
    // A list that is read already stays as it is.
    const late = nearest.checkVisibility({ visibilityProperty: true });
    const found = near.slice(0, 5).filter((page) => !late || !listed(page));
    // Named here, a page is not named again below.
    for (const page of found) listed(page)?.remove();
    const list = make("ul", { className: "tp-children" }, ...found.map(name));
    if (found.length) nearest[late ? "append" : "prepend"](make("p", {}, words.not_found_near), list);
  };
  try {
    const every = await pages(nearest.dataset.pages);
    // Before the first frame nothing has been seen, and yet all of it counts as visible.
    await new Promise(requestAnimationFrame);
    show(every);
  } finally {
    // Now it may be seen; a transition that has begun would go on to its end.
    delete nearest.dataset.script;
    for (const each of document.getAnimations()) if (each.transitionProperty === "visibility") each.finish();
  }
};
