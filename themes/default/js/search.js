// The dialog of the search opens at once. What fills it is loaded when a pointer comes near, or a key asks for it.
const searcher = find(".tp-search");
const box = find(".tp-search-box");
let loading;
const load = async () => {
  const data = searcher.dataset;
  loading ??= Promise.all([import(data.search), fetch(data.index, { cache: "no-cache" })]);
  try {
    const [{ start }, answer] = await loading;
    start(kit, answer);
  } catch {
    loading = undefined;
    // Browsers keep that a script could not be had; under another address they ask again.
    data.search += "?";
    find("p", box).textContent = words.search_failed;
  }
};
const ask = () => {
  if (!box.open) box.showModal();
  find("input", box).select();
  load();
};
if (searcher) {
  searcher.onclick = ask;
  searcher.onpointerenter = box.oninput = box.onkeydown = load;
  addEventListener("keydown", (event) => {
    const { key, target } = event;
    const typed = event.altKey || target.closest("input, textarea, select");
    if (event.ctrlKey || event.metaKey ? key === "k" : key === "/" && !typed) {
      event.preventDefault();
      ask();
    }
  });
  if (/[?&]q=./.test(location.search)) ask();
}
