// The page that was not found names the pages whose addresses are most like the one that was asked for.
export let run = async (nearest, { find, make, pages, words }) => {
  let pairs = (text) => new Set([...text.toLowerCase()].map((char, index, chars) => char + chars[index + 1]));
  let asked = pairs(location.pathname.replace(/(\.\w+|\/)$/, ""));
  let likeness = ({ href }) => {
    let own = pairs(href);
    return (2 * [...own].filter((pair) => asked.has(pair)).length) / (own.size + asked.size);
  };
  let listed = ({ href }) => find(`[href="${CSS.escape(href)}"]`, nearest)?.parentElement;
  let name = ({ href, label, about }) => make("li", {}, make("a", { href }, label), make("p", {}, about));
  let show = (every) => {
    let near = every.filter((page) => likeness(page) > 0.5);
    near.sort((a, b) => likeness(b) - likeness(a));
    // A list that is read already stays as it is.
    let late = nearest.checkVisibility({ visibilityProperty: true });
    let found = near.slice(0, 5).filter((page) => !late || !listed(page));
    // Named here, a page is not named again below.
    for (let page of found) listed(page)?.remove();
    let list = make("ul", { className: "tp-children" }, ...found.map(name));
    if (found.length) nearest[late ? "append" : "prepend"](make("p", {}, words.not_found_near), list);
  };
  try {
    let every = await pages(nearest.dataset.pages);
    // Before the first frame nothing has been seen, and yet all of it counts as visible.
    await new Promise(requestAnimationFrame);
    show(every);
  } finally {
    // Now it may be seen; a transition that has begun would go on to its end.
    delete nearest.dataset.script;
    for (let each of document.getAnimations()) if (each.transitionProperty === "visibility") each.finish();
  }
};
