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
    panel.hidden = tab !== chosen && "until-found";
  }
};
// Where there are more tabs than fit, one that was chosen elsewhere is not left out of sight.
const pickInView = (group, tab) => {
  pick(group, tab);
  tab.parentElement.scrollLeft = tab.offsetLeft - group.offsetLeft - 48;
};
const tabOf = (panel) => document.getElementById(panel.getAttribute("aria-labelledby"));
const named = (group, label) => tabsOf(group).find((tab) => tab.textContent === label);
const chosen = () => (recall("localStorage", "tp-tabs") ?? "").split("\n").filter(Boolean);
const choose = (group, tab) => {
  const before = topOf(group);
  const label = tab.textContent;
  const labels = [label, ...chosen().filter((other) => other !== label)];
  keep("localStorage", "tp-tabs", labels.slice(0, 30).join("\n"));
  for (const other of groups) {
    const same = other !== group && named(other, label);
    if (same) pickInView(other, same);
  }
  pick(group, tab);
  scrollBy({ top: topOf(group) - before, behavior: "instant" });
};
for (const group of groups) {
  const list = find("[role=tablist]", group);
  const label = chosen().find((one) => named(group, one));
  if (label) pickInView(group, named(group, label));
  else pick(group, tabsOf(group)[0]);
  list.onclick = ({ target }) => {
    const tab = target.closest("[role=tab]");
    if (tab) choose(group, tab);
  };
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
}
addEventListener("beforematch", ({ target }) => pick(target.parentElement, tabOf(target)));

// What an address points to is shown when it is closed or behind a tab.
const reveal = () => {
  const target = find("details:target, details :target, [role=tabpanel] :target");
  for (let part = target; part; part = part.parentElement) {
    if (part.localName === "details") part.open = true;
    if (part.role === "tabpanel") pick(part.parentElement, tabOf(part));
  }
  target?.scrollIntoView();
};
// While this script is read the browser does not know yet what the address points to.
for (const type of ["hashchange", "load"]) addEventListener(type, reveal);
