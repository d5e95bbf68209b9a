// The dialog of the search opens at once. What fills it is loaded when a pointer comes near, or a key asks for it.
let searcher = find(".tp-search");
let box = find(".tp-search-box");
let loading;
let load = async (event) => {
  let waiting = loading && event;
  loading ??= Promise.all([import(location.origin + searcher.dataset.search), fetch(searcher.dataset.index, { cache: "no-cache" })]);
  try {
    let [{ start }, answer] = await loading;
    start(kit, answer, waiting);
  } catch {
    loading = undefined;
    // Browsers keep that a script could not be had; under another address they ask again.
    searcher.dataset.search += "?";
    find("p", box).textContent = words.search_failed;
  }
};
let ask = () => {
  box.open || box.showModal();
  find("input", box).select();
  load();
};
if (searcher) {
  searcher.onclick = ask;
  searcher.onpointerenter = box.oninput = box.onkeydown = load;
  addEventListener("keydown", (event) => {
    // Where a key has no Latin letter, its place counts; the slash of some alphabets is a full stop.
    let key = event.key + event.code;
    let typed = event.altKey || event.target.closest("input, textarea, select");
    if (event.ctrlKey || event.metaKey ? !event.shiftKey && /^(k|[^!-~]KeyK)/i.test(key) : /^(\/|[^!-~]Slash|\.S)/.test(key) && !typed) {
      event.preventDefault();
      ask();
    }
  });
  if (/[?&]q=./.test(location.search)) ask();
}
