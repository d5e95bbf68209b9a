// The menus of the header by the arrow keys, Home and End; one closes when the focus leaves it, or a link of it is followed.
for (let menu of all(".tp-nav-menu")) {
  let list = find("[popover]", menu);
  let links = all("a", list);
  menu.onkeydown = (event) => {
    let here = links.indexOf(event.target);
    let isOpen = list.matches(":popover-open");
    let keys = { ArrowDown: here + 1, ArrowUp: here < 0 ? -1 : here - 1, Home: 0, End: -1 };
    let next = keys[event.key];
    if (next === undefined || event.ctrlKey || event.metaKey || event.altKey || event.shiftKey) return;
    if (!isOpen && !event.key.startsWith("Arrow")) return;
    event.preventDefault();
    if (!isOpen) list.showPopover();
    links.at(next % links.length).focus();
  };
  menu.addEventListener("focusout", ({ relatedTarget }) => {
    if (relatedTarget && !menu.contains(relatedTarget)) list.hidePopover();
  });
  list.onclick = ({ target }) => target.closest("a") && list.hidePopover();
}
