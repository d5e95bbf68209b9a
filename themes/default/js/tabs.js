// Tabs. A choice holds for every group that has a tab of this name, here and on other pages.
let groups = all(".tp-tabs");
let tabsOf = (group) => all(":scope > [role=tablist] > [role=tab]", group);
let pick = (group, chosen) => {
  for (let tab of tabsOf(group)) {
    let panel = document.getElementById(tab.getAttribute("aria-controls"));
    tab.ariaSelected = tab === chosen;
    tab.tabIndex = (tab === chosen) - 1;
    panel.classList.toggle("tp-on", tab === chosen);
    // The browser's search finds what is behind a tab, too.
    panel.hidden = tab !== chosen && "until-found";
  }
};
// Where there are more tabs than fit, one that was chosen elsewhere is not left out of sight.
let pickInView = (group, tab) => {
  pick(group, tab);
  tab.parentElement.scrollLeft = tab.offsetLeft - group.offsetLeft - 48;
};
let tabOf = (panel) => document.getElementById(panel.getAttribute("aria-labelledby"));
let named = (group, label) => tabsOf(group).find((tab) => tab.textContent === label);
let chosen = () => (recall("localStorage", "tp-tabs") ?? "").split("\n").filter(Boolean);
let choose = (group, tab) => {
  let before = topOf(group);
  let label = tab.textContent;
  let labels = [label, ...chosen().filter((other) => other !== label)];
  keep("localStorage", "tp-tabs", labels.slice(0, 30).join("\n"));
  for (let other of groups) {
    let same = other !== group && named(other, label);
    if (same) pickInView(other, same);
  }
  pick(group, tab);
  scrollBy({ top: topOf(group) - before, behavior: "instant" });
};
for (let group of groups) {
  let list = find("[role=tablist]", group);
  let label = chosen().find((one) => named(group, one));
  if (label) pickInView(group, named(group, label));
  else pick(group, tabsOf(group)[0]);
  list.onclick = ({ target }) => {
    let tab = target.closest("[role=tab]");
    if (tab) choose(group, tab);
  };
  list.onkeydown = (event) => {
    let tabs = tabsOf(group);
    let here = tabs.indexOf(event.target);
    let step = getComputedStyle(list).direction === "rtl" ? -1 : 1;
    let to = { ArrowRight: here + step, ArrowLeft: here - step, Home: 0, End: -1 }[event.key];
    if (to === undefined) return;
    event.preventDefault();
    let tab = tabs.at(to % tabs.length);
    choose(group, tab);
    tab.focus();
  };
}
addEventListener("beforematch", ({ target }) => pick(target.parentElement, tabOf(target)));

// What an address points to is shown when it is closed or behind a tab.
let reveal = () => {
  let target = find("details:target, details :target, .tp-tabs :target");
  for (let part = target; part; part = part.parentElement) {
    part.open = true; // details alone know this
    if (part.role === "tabpanel") pick(part.parentElement, tabOf(part));
  }
  // Above a panel stand its tabs.
  (target?.role ? target.parentElement : target)?.scrollIntoView();
};
// While this script is read the browser does not know yet what the address points to.
for (let type of ["hashchange", "load"]) addEventListener(type, reveal);
