// What the script adds to a page that is whole without it. Nothing is made from strings of HTML.
let root = document.documentElement;
// The words of the page's language; a name or number is put in the place of {}.
let words = JSON.parse(root.dataset.words);
let fitted = (word, value) => word.replace("{}", () => value);
let find = (selector, within = document) => within.querySelector(selector);
let all = (selector, within = document) => [...within.querySelectorAll(selector)];
let make = (tag, properties, ...children) => {
  let element = Object.assign(document.createElement(tag), properties);
  element.append(...children);
  return element;
};
// Storage may be off or full: then nothing is kept.
let recall = (store, key) => { try { return window[store].getItem(key); } catch { return null; } };
let keep = (store, key, value) => { try { window[store].setItem(key, value); } catch {} };
let live = make("div", { className: "tp-hidden", role: "status" });
document.body.append(live);
let topOf = (element) => element.getBoundingClientRect().top;
let bringIntoView = (box, part) => {
  let outer = box.getBoundingClientRect();
  let inner = part.getBoundingClientRect();
  if (inner.top < outer.top || inner.bottom > Math.min(outer.bottom, innerHeight)) box.scrollTop += inner.top - outer.top - outer.height / 2;
};

// The list of all pages, in the order of the menu, for what needs it.
let pages = async (address) => {
  let base = address.slice(0, address.indexOf("/_tp/"));
  let rows = await (await fetch(address)).json();
  return rows.map(([url, label, about]) => ({ href: base + url, label, about }));
};
