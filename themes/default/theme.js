// What the script adds to a page that is whole without it. Nothing is made from strings of HTML.
const root = document.documentElement;
const find = (selector, within = document) => within.querySelector(selector);
const all = (selector, within = document) => [...within.querySelectorAll(selector)];
const make = (tag, properties, ...children) => {
  const element = Object.assign(document.createElement(tag), properties);
  element.append(...children);
  return element;
};
const wrap = (element, className) => {
  const wrapper = make("div", { className });
  element.replaceWith(wrapper);
  wrapper.append(element);
  return wrapper;
};
// Storage may be off or full: then nothing is kept.
const recall = (store, key) => { try { return window[store].getItem(key); } catch { return null; } };
const keep = (store, key, value) => { try { window[store].setItem(key, value); } catch { /* Not kept. */ } };
const live = make("div", { className: "tp-hidden", role: "status" });
document.body.append(live);

// Theme: auto, light, dark.
const modes = ["auto", "light", "dark"];
const switcher = find(".tp-theme");
const show = (mode) => {
  if (mode === "auto") delete root.dataset.theme;
  else root.dataset.theme = mode;
  switcher.ariaLabel = switcher.title = `Theme: ${mode}`;
  // The browser's own bars follow the page, not the system.
  for (const meta of all("meta[name=theme-color]")) {
    meta.dataset.auto ??= meta.content;
    meta.content = mode === "auto" ? meta.dataset.auto : getComputedStyle(root).backgroundColor;
  }
};
if (switcher) {
  show(root.dataset.theme ?? "auto");
  switcher.onclick = () => {
    const mode = modes[(modes.indexOf(root.dataset.theme) + 1 || 1) % 3];
    show(mode);
    keep("localStorage", "tp-theme", mode);
    live.textContent = switcher.title;
  };
}

// Copy buttons: for code, and for whatever has `data-copy`.
const copy = async (text) => {
  try {
    await navigator.clipboard.writeText(text);
  } catch {
    // A page that is not served over https has no other clipboard.
    const area = make("textarea", { value: text, className: "tp-hidden" });
    document.body.append(area);
    area.select();
    document.execCommand("copy");
    area.remove();
  }
};
const addCopy = (element, label, text) => {
  const button = make("button", { type: "button", className: "tp-button tp-copy", ariaLabel: label, title: label });
  button.onclick = async () => {
    await copy(text());
    button.focus();
    button.classList.add("tp-done");
    live.textContent = "Copied";
    setTimeout(() => {
      button.classList.remove("tp-done");
      live.textContent = "";
    }, 1600);
  };
  element.append(button);
};
// Without prompts, what a terminal printed after them, and lines that a diff removes.
const runnable = (pre) => {
  const clone = pre.cloneNode(true);
  for (const part of all(find(".gp", clone) ? ".gp, .go, .tp-removed" : ".tp-removed", clone)) part.remove();
  return clone.textContent.trimEnd();
};
for (const code of all(".tp-code")) addCopy(code, "Copy code", () => runnable(find("pre", code)));
for (const element of all("[data-copy]")) addCopy(element, element.dataset.copyLabel, () => element.dataset.copy);

// Headings get a link to themselves, beside them, so that their own name stays what it is.
for (const heading of all(".tp-prose :is(h2, h3, h4, h5, h6)[id]")) {
  const link = make("a", { href: "#", ariaLabel: `Link to ${heading.textContent}` }, "#");
  link.hash = heading.id;
  wrap(heading, `tp-heading tp-${heading.localName}`).append(link);
}

// What scrolls sideways can be scrolled with the keyboard and says what it is; what does not is no stop.
for (const table of all(".tp-prose table:not(.tp-table > *)")) wrap(table, "tp-table");
const watcher = new ResizeObserver((entries) => {
  for (const { target } of entries) {
    const [role, label] = target.localName === "pre" ? ["group", "Code"] : ["region", target.dataset.label];
    for (const [name, value] of Object.entries({ tabindex: 0, role, "aria-label": label })) {
      if (target.scrollWidth > target.clientWidth) target.setAttribute(name, value);
      else target.removeAttribute(name);
    }
  }
});
all(".tp-table, .tp-prose pre").forEach((element, index) => {
  element.dataset.label = `Table ${index + 1}`;
  watcher.observe(element);
});

// Tabs. A choice holds for every group that has a tab of this name, here and on other pages.
const groups = all(".tp-tabs");
const tabsOf = (group) => all(":scope > [role=tablist] > [role=tab]", group);
const pick = (group, chosen) => {
  for (const tab of tabsOf(group)) {
    const panel = document.getElementById(tab.getAttribute("aria-controls"));
    tab.ariaSelected = tab === chosen;
    tab.tabIndex = tab === chosen ? 0 : -1;
    panel.classList.toggle("tp-on", tab === chosen);
    // The browser's search finds what is behind a tab, too.
    if (tab === chosen) panel.removeAttribute("hidden");
    else panel.setAttribute("hidden", "until-found");
  }
};
const tabOf = (panel) => document.getElementById(panel.getAttribute("aria-labelledby"));
const named = (group, label) => tabsOf(group).find((tab) => tab.textContent === label);
const chosen = () => (recall("localStorage", "tp-tabs") ?? "").split("\n").filter(Boolean);
const choose = (group, tab) => {
  const before = group.getBoundingClientRect().top;
  const label = tab.textContent;
  const labels = [label, ...chosen().filter((other) => other !== label)];
  keep("localStorage", "tp-tabs", labels.slice(0, 30).join("\n"));
  for (const other of groups) if (named(other, label)) pick(other, named(other, label));
  pick(group, tab);
  scrollBy({ top: group.getBoundingClientRect().top - before, behavior: "instant" });
};
for (const group of groups) {
  const list = find("[role=tablist]", group);
  const label = chosen().find((one) => named(group, one));
  pick(group, label ? named(group, label) : tabsOf(group)[0]);
  list.onclick = ({ target }) => target.role === "tab" && choose(group, target);
  list.onkeydown = (event) => {
    const tabs = tabsOf(group);
    const here = tabs.indexOf(event.target);
    const step = getComputedStyle(list).direction === "rtl" ? -1 : 1;
    const to = { ArrowRight: here + step, ArrowLeft: here - step, Home: 0, End: -1 }[event.key];
    if (to === undefined) return;
    event.preventDefault();
    const tab = tabs.at(to % tabs.length);
    choose(group, tab);
    tab.focus();
  };
  group.addEventListener("beforematch", ({ target }) => pick(group, tabOf(target)));
}

// What an address points to is shown when it is closed or behind a tab.
const reveal = () => {
  const target = find("details :target, [role=tabpanel] :target");
  for (let part = target; part; part = part.parentElement) {
    if (part.localName === "details") part.open = true;
    if (part.role === "tabpanel") pick(part.parentElement, tabOf(part));
  }
  target?.scrollIntoView();
};
addEventListener("hashchange", reveal);
reveal();

// Embeds load when asked for.
for (const { dataset, firstElementChild: box } of all(".tp-embed")) {
  const button = make("button", { type: "button", className: "tp-button tp-load" }, "Load");
  button.onclick = () => {
    const frame = make("iframe", { title: dataset.title, allow: "fullscreen" });
    frame.sandbox = "allow-scripts allow-same-origin allow-popups allow-presentation allow-forms";
    frame.referrerPolicy = "strict-origin-when-cross-origin";
    frame.src = dataset.embed;
    box.replaceChildren(frame);
    frame.focus();
  };
  box.append(button);
}

// The table of contents marks the section that is being read.
const entries = all(".tp-contents a, .tp-contents-bar a");
const idOf = (link) => decodeURIComponent(link.hash.slice(1));
const sections = [...new Set(entries.map(idOf))].map((id) => document.getElementById(id)).filter(Boolean);
const bringIntoView = (box, part) => {
  const [outer, inner] = [box.getBoundingClientRect(), part.getBoundingClientRect()];
  const seen = inner.top >= outer.top && inner.bottom <= outer.bottom;
  if (!seen) box.scrollTop += inner.top - outer.top - outer.height / 2;
};
const mark = () => {
  const line = parseFloat(getComputedStyle(root).scrollPaddingBlockStart) + 24;
  const atEnd = scrollY > 0 && innerHeight + scrollY > root.scrollHeight - 4;
  const now = sections.findLast((section) => atEnd || section.getBoundingClientRect().top < line);
  for (const link of entries) {
    if (idOf(link) !== now?.id) link.removeAttribute("aria-current");
    else if (!link.ariaCurrent) {
      link.setAttribute("aria-current", "location");
      if (link.offsetParent) bringIntoView(link.closest("nav, ul"), link);
    }
  }
  find(".tp-contents-now").textContent = now ? entries.find((link) => idOf(link) === now.id).textContent : "";
};
if (sections.length) {
  let waiting = false;
  addEventListener("scroll", () => {
    if (!waiting) requestAnimationFrame(() => { waiting = false; mark(); });
    waiting = true;
  });
  mark();
  const bar = find(".tp-contents-bar");
  bar.onclick = ({ target }) => target.href && bar.removeAttribute("open");
}

// The menu keeps its place from page to page, with the current page in view.
const menu = find("#tp-menu");
if (menu) {
  const current = find(".tp-tree [aria-current]", menu);
  const settle = () => current?.offsetParent && bringIntoView(menu, current);
  menu.scrollTop = recall("sessionStorage", "tp-menu");
  settle();
  menu.ontoggle = settle;
  addEventListener("pagehide", () => keep("sessionStorage", "tp-menu", menu.scrollTop));
}

// The list of all pages, in the order of the menu, for what needs it.
const pages = async (address) => {
  const base = address.slice(0, address.indexOf("/_tp/"));
  const rows = await (await fetch(address)).json();
  return rows.map(([url, label, about]) => ({ href: base + url, label, about }));
};

// The menu of a large site has links in place of most categories: they unfold when asked to.
const unfold = (item, list) => {
  const link = find("a", item);
  const details = make("details", {}, make("summary", {}, link));
  const inside = (path) => path.startsWith(link.pathname) && /^[^/]+\/?$/.test(path.slice(link.pathname.length));
  details.addEventListener("toggle", async () => {
    const children = (await list()).filter(({ href }) => inside(new URL(href, link).pathname));
    details.append(make("ul", { className: "tp-tree" }, ...children.map(({ href, label }) => {
      const child = make("li", {}, make("a", { href }, label));
      if (href.endsWith("/")) unfold(child, list);
      return child;
    })));
  }, { once: true });
  item.replaceChildren(details);
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

// The page that was not found names the pages whose addresses are most like the one that was asked for.
const nearest = find(".tp-nearest");
if (nearest) {
  const pairs = (text) => new Set([...text.toLowerCase()].map((char, index, chars) => char + chars[index + 1]));
  const asked = pairs(location.pathname.replace(/(\.\w+|\/)$/, ""));
  const likeness = ({ href }) => {
    const own = pairs(href);
    return (2 * [...own].filter((pair) => asked.has(pair)).length) / (own.size + asked.size);
  };
  const found = (await pages(nearest.dataset.pages)).filter((page) => likeness(page) > 0.4);
  found.sort((a, b) => likeness(b) - likeness(a));
  const list = make("ul", { className: "tp-children" });
  for (const { href, label, about } of found.slice(0, 5)) {
    list.append(make("li", {}, make("a", { href }, label), make("p", {}, about)));
  }
  if (found.length) nearest.prepend(make("p", {}, "Were you looking for one of these?"), list);
}
