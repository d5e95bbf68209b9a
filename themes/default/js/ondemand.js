// What is seldom needed is loaded when a pointer or the focus comes near.
// In a frame that is confined, a script does not know where it came from: it names the whole address.
let kit = { all, copy, find, fitted, keep, live, root, make, pages, recall, words };
let approach = ({ type, target, ctrlKey, metaKey, shiftKey }) => {
  let asked = !(ctrlKey || metaKey || shiftKey) && target.closest?.("[data-tool], .tp-anchor");
  if (asked) import(location.origin + root.dataset.tools).then(({ use }) => type === "click" && use(asked, kit));
};
for (let type of ["pointerover", "focusin", "click"]) addEventListener(type, approach);
for (let part of all("[data-script]")) import(location.origin + part.dataset.script).then(({ run }) => run(part, kit));
