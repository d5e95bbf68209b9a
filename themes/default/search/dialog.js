// What fills the dialog of the search: a list of sections under their pages.
let RECENT = 6;

let begun;
export let start = (kit, answer, event) => (begun ??= begin(kit, answer))(event);

let begin = ({ make, find, all, words, fitted, recall, keep }, answer) => {
  let { index, style, misspelt, unfound } = find(".tp-search").dataset;
  let site = index.split("/_tp/")[0];
  let box = find(".tp-search-box");
  let [field, status, list] = ["input", "p", "#tp-found"].map((part) => find(part, box));
  let styled = new Promise((done) => document.head.append(make("link", { rel: "stylesheet", href: style, onload: done, onerror: done })));

  let opened;
  let fetched = async () => {
    let asked = answer ?? fetch(index, { cache: "no-cache" });
    answer = undefined;
    return makeIndex(await json(asked), new URL(index, location), misspelt);
  };
  let search = async (...asked) => {
    try {
      return await (await (opened ??= fetched()))(...asked);
    } catch {
      // The site may have been published anew: its files have other names then.
      return (await (opened = fetched()))(...asked);
    }
  };

  let options = () => all("[role=option]", list);
  let chosen;
  let choose = (option) => {
    chosen = option;
    for (let other of options()) other.ariaSelected = other === option;
    field.setAttribute("aria-activedescendant", option?.id ?? "");
    option?.scrollIntoView({ block: "nearest" });
  };
  // What was kept may be anything: what are no links of this site is as if it were not there, until it is overwritten.
  let own = ({ href, title, heading }) =>
    href.startsWith(`${site}/`) && new URL(href, location).host === location.host && title.trim() + heading?.trim();
  let recent = () => { try { return JSON.parse(recall("localStorage", `tp-recent ${site}`)).filter(own); } catch { return []; } };
  let remember = (entry) => {
    let every = [entry, ...recent().filter(({ href }) => href !== entry.href)];
    keep("localStorage", `tp-recent ${site}`, JSON.stringify(every.slice(0, RECENT)));
  };
  // Who has closed the search, or gone on, does not want it again with the page.
  let forget = () => {
    let here = new URL(location);
    if (here.searchParams.has("q")) here.searchParams.delete("q"), history.replaceState(null, "", here);
  };
  let count = 0;
  let option = (properties, ...content) => {
    let made = make("a", { role: "option", id: `tp-found-${++count}`, ...properties }, ...content);
    made.onpointermove = () => chosen === made || choose(made);
    return made;
  };
  let link = (entry, ...content) => option({
    href: entry.href,
    tabIndex: -1,
    onclick({ ctrlKey, metaKey, shiftKey }) {
      remember(entry);
      if (!ctrlKey && !metaKey && !shiftKey) forget(), box.close();
    },
  }, ...content);
  let line = (className, ...content) => make("span", { className }, ...content);
  let about = (className, text, terms) => line(className, ...marked(text, marksIn(text, terms)));
  let group = ({ url, title, sections }, terms) => {
    let name = () => about("tp-search-page", title, terms);
    let rows = sections.map(([anchor, heading, text]) => link(
      { href: site + url + (anchor && `#${encodeURIComponent(anchor)}`), title, heading },
      anchor ? about("tp-search-heading", heading, terms) : name(),
      line("tp-search-text", ...excerpt(text, terms)),
    ));
    return make("div", { role: "group", ariaLabel: title }, sections[0][0] ? name() : "", ...rows);
  };
  // So many pages of those that are shown stay where they are.
  let show = (said, groups, from = 0) => {
    status.textContent = said;
    while (list.children[from]) list.lastChild.remove();
    let at = options().length;
    list.append(...groups);
    list.hidden = !list.children[0];
    field.ariaExpanded = !list.hidden;
    choose(options()[at]);
    if (!at) list.scrollTop = 0;
  };
  // The focus stays in the field whatever a pointer does.
  let more = (from) => option({
    onmousedown: () => false,
    onclick({ target }) {
      target.textContent = "…";
      run(from);
    },
  }, words.search_more);
  // Pages that this tab was on, by their names in the menu; the browser knows them, so nothing is kept for it.
  let visited = () => (window.navigation?.entries() ?? []).reverse().flatMap(({ url }) => {
    // An address may be kept back: `null`.
    let href = url && new URL(url).pathname;
    let title = href && href !== location.pathname && find(`.tp-tree a[href="${CSS.escape(href)}"]`)?.textContent;
    return title ? { href, title } : [];
  });
  let showRecent = () => {
    let each = [...new Map([...visited(), ...recent()].map((entry) => [entry.href, entry])).values()].slice(0, RECENT);
    show(each.length ? words.search_recent : "", each.map((entry) => link(
      entry,
      line("tp-search-page", entry.heading || entry.title),
      line("tp-search-text", entry.heading ? entry.title : ""),
    )));
  };

  let turn = 0;
  let run = async (from = 0) => {
    let [query, now] = [field.value, ++turn];
    if (!query.trim()) return styled.then(() => now === turn && showRecent());
    try {
      let { results, total, terms } = await search(query, from);
      if (now !== turn) return;
      let to = from + results.length;
      if (unfound) import(unfound).then(({ note }) => note(to ? "" : query));
      let said = to ? fitted(words.search_results, to).replace("{total}", total) : fitted(words.search_none, query);
      show(said, [...results.map((page) => group(page, terms)), to < parseInt(total) ? more(to) : ""], from);
    } catch {
      if (now === turn) show(words.search_failed, [from ? more(from) : ""], from);
    }
  };
  let ran;
  let again = () => (ran = run());
  // Enter goes to what was found for all that was typed, also when that is not there yet.
  let enter = async (event) => {
    let asked = turn;
    await ran;
    // Who has typed on asks for something else: what is chosen is still of what was typed before.
    if (turn !== asked) return;
    if (!chosen) again();
    else if (box.open) chosen.dispatchEvent(new MouseEvent("click", event));
  };
  box.onkeydown = (event) => {
    let every = options();
    let step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    // What an input method takes, and keys on the button, are not ours.
    if (event.keyCode === 229 || event.target !== field) return;
    if (event.key === "Enter") event.repeat || enter(event);
    else if (step && chosen) choose(every.at((every.indexOf(chosen) + step) % every.length));
    else return;
    event.preventDefault();
  };
  box.onclick = ({ target }) => { if (target === box) box.close(); };
  field.value ||= new URL(location).searchParams.get("q")?.slice(0, field.maxLength) ?? "";
  box.onclose = forget;
  // A key that was pressed while this was on its way counts.
  return (event) => {
    again();
    if (event?.key) box.onkeydown(event);
    return ran;
  };
};
