// What fills the dialog of the search: a list of sections under their pages.
const RECENT = 6;

let begun;
export const start = (kit, answer) => (begun ??= begin(kit, answer))();

const begin = ({ make, find, all, words, fitted, recall, keep }, answer) => {
  const { index, style } = find(".tp-search").dataset;
  const address = new URL(index, location.href);
  const site = index.split("/_tp/")[0];
  const box = find(".tp-search-box");
  const [field, status, list] = ["input", "p", "#tp-found"].map((part) => find(part, box));
  const sheet = make("link", { rel: "stylesheet", href: style });
  const styled = new Promise((done) => { sheet.onload = sheet.onerror = done; });
  document.head.append(sheet);

  let opened;
  const fetched = async () => {
    const got = await (answer ?? fetch(index, { cache: "no-cache" }));
    answer = undefined;
    if (!got.ok) throw new Error(got.status);
    return makeIndex(await got.json(), address);
  };
  const search = async (query) => {
    try {
      return await (await (opened ??= fetched()))(query);
    } catch {
      // The site may have been published anew: its files have other names then.
      opened = fetched();
      return (await opened)(query);
    }
  };

  const options = () => all("[role=option]", list);
  const choose = (option) => {
    for (const other of options()) other.ariaSelected = other === option;
    field.setAttribute("aria-activedescendant", option?.id ?? "");
    option?.scrollIntoView({ block: "nearest" });
  };
  // What was kept may be anything: what are no links of this site is as if it were not there, until it is overwritten.
  const own = ({ href, title, heading }) =>
    href.startsWith(`${site}/`) && new URL(href, location).host === location.host && title.trim() + heading?.trim();
  const recent = () => { try { return JSON.parse(recall("localStorage", `tp-recent ${site}`)).filter(own); } catch { return []; } };
  const remember = (entry) => {
    const others = recent().filter(({ href }) => href !== entry.href);
    keep("localStorage", `tp-recent ${site}`, JSON.stringify([entry, ...others].slice(0, RECENT)));
  };
  // Who has closed the search, or gone on, does not want it again with the page.
  const forget = () => {
    const here = new URL(location);
    if (here.searchParams.has("q")) here.searchParams.delete("q"), history.replaceState(null, "", here);
  };
  const option = (entry, ...content) => {
    const link = make("a", { role: "option", href: entry.href, tabIndex: -1, ariaSelected: "false" }, ...content);
    link.onclick = ({ ctrlKey, metaKey, shiftKey }) => {
      remember(entry);
      if (ctrlKey || metaKey || shiftKey) return;
      forget();
      box.close();
    };
    link.onpointermove = () => link.ariaSelected === "true" || choose(link);
    return link;
  };
  const about = (className, text, terms) => make("span", { className }, ...marked(text, marksIn(text, terms)));
  const group = ({ url, title, sections }, terms) => {
    const name = about("tp-search-page", title, terms);
    const rows = sections.map(([anchor, heading, text]) => option(
      { href: site + url + (anchor && `#${encodeURIComponent(anchor)}`), title, heading },
      anchor ? about("tp-search-heading", heading, terms) : name,
      make("span", { className: "tp-search-text" }, ...excerpt(text, terms)),
    ));
    return make("div", { role: "group", ariaLabel: title }, ...(sections[0][0] ? [about("tp-search-page", title, terms)] : []), ...rows);
  };
  const show = (said, groups) => {
    status.textContent = said;
    list.replaceChildren(...groups);
    options().forEach((each, at) => { each.id = `tp-found-${at}`; });
    field.ariaExpanded = groups.length > 0;
    list.hidden = !groups.length;
    choose(options()[0]);
    list.scrollTop = 0;
  };
  // Pages that this tab was on, by their names in the menu; the browser knows them, so nothing is kept for it.
  const visited = () => (window.navigation?.entries() ?? []).reverse().flatMap(({ url }) => {
    const href = new URL(url).pathname;
    const title = href !== location.pathname && find(`.tp-tree a[href="${CSS.escape(href)}"]`)?.textContent;
    return title ? { href, title } : [];
  });
  const showRecent = () => {
    const each = [...new Map([...visited(), ...recent()].map((entry) => [entry.href, entry])).values()].slice(0, RECENT);
    const line = (className, text) => make("span", { className }, text);
    show(each.length ? words.search_recent : "", each.map((entry) => option(
      entry,
      line("tp-search-page", entry.heading || entry.title),
      line("tp-search-text", entry.heading ? entry.title : ""),
    )));
  };

  let turn = 0;
  const run = async () => {
    const [query, now] = [field.value, ++turn];
    if (!query.trim()) return styled.then(() => now === turn && showRecent());
    try {
      const { results, terms } = await search(query);
      if (now !== turn) return;
      const count = results.reduce((sum, { sections }) => sum + sections.length, 0);
      show(fitted(count ? words.search_results : words.search_none, count || query), results.map((page) => group(page, terms)));
    } catch {
      if (now === turn) show(words.search_failed, []);
    }
  };
  let ran;
  const again = () => (ran = run());
  // Enter goes to what was found for all that was typed, also when that is not there yet.
  const enter = async (event) => {
    await ran;
    const chosen = find("[aria-selected=true]", list);
    if (!chosen) again();
    else if (box.open) chosen.dispatchEvent(new MouseEvent("click", event));
  };
  box.onkeydown = (event) => {
    const every = options();
    const at = every.findIndex((each) => each.ariaSelected === "true");
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    // What an input method takes, and keys on the button, are not ours.
    if (event.keyCode === 229 || event.target !== field) return;
    if (event.key === "Enter") enter(event);
    else if (step && every.length) choose(every.at((at + step) % every.length));
    else return;
    event.preventDefault();
  };
  box.onclick = ({ target }) => { if (target === box) box.close(); };
  field.value ||= new URLSearchParams(location.search).get("q")?.slice(0, field.maxLength) ?? "";
  box.onclose = forget;
  return again;
};
