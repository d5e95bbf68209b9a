// What is seldom needed is loaded when a pointer or the focus comes near.
const kit = { all, copy, find, fitted, keep, live, root, make, pages, recall, words };
const approach = ({ type, target, ctrlKey, metaKey, shiftKey }) => {
  const asked = !(ctrlKey || metaKey || shiftKey) && target.closest?.("[data-tool], .tp-anchor");
  if (asked) import(root.dataset.tools).then(({ use }) => type === "click" && use(asked, kit));
};
for (const type of ["pointerover", "focusin", "click"]) addEventListener(type, approach);
for (const part of all("[data-script]")) import(part.dataset.script).then(({ run }) => run(part, kit));
