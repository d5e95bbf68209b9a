// What the script adds to a page that is whole without it. Nothing is made from strings of HTML.
const root = document.documentElement;
// The words of the page's language; a name or number is put in the place of {}.
const words = JSON.parse(root.dataset.words);
const fitted = (word, value) => word.replace("{}", () => value);
const find = (selector, within = document) => within.querySelector(selector);
const all = (selector, within = document) => [...within.querySelectorAll(selector)];
const make = (tag, properties, ...children) => {
  const element = Object.assign(document.createElement(tag), properties);
  element.append(...children);
  return element;
};
// Storage may be off or full: then nothing is kept.
const recall = (store, key) => { try { return window[store].getItem(key); } catch { return null; } };
const keep = (store, key, value) => { try { window[store].setItem(key, value); } catch {} };
const live = make("div", { className: "tp-hidden", role: "status" });
document.body.append(live);
const topOf = (element) => element.getBoundingClientRect().top;
const bringIntoView = (box, part) => {
  const [outer, inner] = [box.getBoundingClientRect(), part.getBoundingClientRect()];
  const seen = inner.top >= outer.top && inner.bottom <= Math.min(outer.bottom, innerHeight);
  if (!seen) box.scrollTop += inner.top - outer.top - outer.height / 2;
};

// The list of all pages, in the order of the menu, for what needs it.
const pages = async (address) => {
  const base = address.slice(0, address.indexOf("/_tp/"));
  const rows = await (await fetch(address)).json();
  return rows.map(([url, label, about]) => ({ href: base + url, label, about }));
};
