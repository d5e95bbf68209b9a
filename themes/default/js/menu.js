// The menu keeps its place and what was opened from page to page, with the current page in view.
let menu = find("#tp-menu");
let keyOf = (details) => `tp-menu ${find("a", details.parentElement).href}`;
if (menu) {
  for (let details of all("details", menu)) {
    let kept = recall("sessionStorage", keyOf(details));
    if (kept && !find("[aria-current]", details)) details.open = kept === "open";
  }
  menu.addEventListener("click", ({ target }) => {
    let details = target.localName === "summary" && target.parentElement;
    if (details) keep("sessionStorage", keyOf(details), details.open ? "closed" : "open");
  });
  let current = find(".tp-tree [aria-current]", menu);
  let settle = () => current?.offsetParent && bringIntoView(menu, current);
  // In the frame that is painted next: to measure earlier would mean to lay out the page twice.
  requestAnimationFrame(() => {
    menu.scrollTop = recall("sessionStorage", "tp-menu");
    settle();
  });
  menu.ontoggle = settle;
  addEventListener("pagehide", () => keep("sessionStorage", "tp-menu", menu.scrollTop));
}
