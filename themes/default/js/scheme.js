// Theme: auto, light, dark.
let modes = ["auto", "light", "dark"];
let switcher = find(".tp-theme");
let show = (mode) => {
  if (mode === "auto") delete root.dataset.theme;
  else root.dataset.theme = mode;
  switcher.ariaLabel = switcher.title = words[`theme_${mode}`];
  // The browser's own bars follow the page, not the system.
  for (let meta of all("meta[name=theme-color]")) {
    meta.dataset.auto ??= meta.content;
    meta.content = mode === "auto" ? meta.dataset.auto : getComputedStyle(root).backgroundColor;
  }
};
if (switcher) {
  show(root.dataset.theme ?? "auto");
  switcher.onclick = () => {
    let mode = modes[(modes.indexOf(root.dataset.theme) + 1 || 1) % 3];
    show(mode);
    keep("localStorage", "tp-theme", mode);
    live.textContent = switcher.title;
  };
}
