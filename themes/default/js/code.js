// Copy buttons: for code, and for whatever has `data-copy`. What cannot be copied is an error.
let copy = async (text) => {
  try {
    await navigator.clipboard.writeText(text);
  } catch {
    // A page that is not served over https has no other clipboard.
    let { activeElement } = document;
    let area = make("textarea", { value: text, className: "tp-hidden" });
    document.body.append(area);
    area.select();
    let done = document.execCommand("copy");
    area.remove();
    activeElement.focus({ preventScroll: true });
    if (!done) throw done;
  }
};
let addCopy = (element, label, text) => {
  let button = make("button", { type: "button", className: "tp-button tp-copy", ariaLabel: label, title: label });
  let timer;
  button.onclick = async () => {
    try {
      await copy(text());
    } catch {
      // Selected, it can be copied by hand.
      return getSelection().selectAllChildren(element);
    }
    button.classList.add("tp-done");
    live.textContent = words.copied;
    clearTimeout(timer);
    timer = setTimeout(() => {
      button.classList.remove("tp-done");
      // Another one may say so by now.
      if (!find(".tp-done")) live.textContent = "";
    }, 1600);
  };
  element.append(button);
};
// Without prompts, what a terminal printed after them, and lines that a diff removes.
let runnable = (pre) => {
  let clone = pre.cloneNode(true);
  for (let part of all(find(".gp", clone) ? ".gp, .go, .tp-removed" : ".tp-removed", clone)) part.remove();
  return clone.textContent.trimEnd();
};
for (let code of all(".tp-code")) addCopy(code, words.copy, () => runnable(find("pre", code)));
for (let element of all("[data-copy]")) addCopy(element, element.dataset.copyLabel, () => element.dataset.copy);

// On paper an address that is its own text is not written out again; bare addresses are marked as such already.
for (let link of all(".tp-prose a")) {
  if (link.textContent === link.getAttribute("href")) link.classList.add("tp-bare");
}

// What scrolls sideways can be scrolled with the keyboard and says what it is; what does not is no stop.
all(".tp-prose table").forEach((table, index) => {
  let box = make("div", { className: "tp-table" });
  box.dataset.label = fitted(words.table, index + 1);
  table.replaceWith(box);
  box.append(table);
});
let isWide = ({ target }) => target.scrollWidth > target.clientWidth;
// All is read before anything is written: the browser styles the page once.
let watcher = new ResizeObserver((changes) => changes.map(isWide).forEach((wide, index) => {
  let { target } = changes[index];
  let [role, ariaLabel] = target.localName === "pre" ? ["group", words.code] : ["region", target.dataset.label];
  Object.assign(target, wide ? { role, ariaLabel } : { role: null, ariaLabel: null });
  if (wide) target.tabIndex = 0;
  else target.removeAttribute("tabindex");
}));
for (let element of all(".tp-table, .tp-prose pre")) watcher.observe(element);
