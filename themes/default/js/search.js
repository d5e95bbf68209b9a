// The search is loaded when it is first asked for: with its button, with / or with Ctrl+K.
const searcher = find(".tp-search");
let loading;
const ask = async (query) => {
  const { search, style, index } = searcher.dataset;
  loading ??= import(search).then(({ start }) => start({ ...kit, style, index }, fetch(index, { cache: "no-cache" })));
  try {
    (await loading)(query);
  } catch {
    loading = undefined;
    live.textContent = words.search_failed;
  }
};
if (searcher) {
  searcher.onclick = () => ask();
  addEventListener("keydown", (event) => {
    const { key, target } = event;
    const command = event.ctrlKey || event.metaKey;
    const slash = key === "/" && !command && !event.altKey && !target.closest?.("input, textarea, select");
    if (slash || (command && key === "k")) {
      event.preventDefault();
      ask();
    }
  });
  const query = new URLSearchParams(location.search).get("q");
  if (query) ask(query);
}
