// What readers see of the search: a dialog with a field, and a list of sections under their pages.
const RECENT = 6;

export const start = async ({ make, find, all, words, fitted, recall, keep, style, index }, answer) => {
  const address = new URL(index, location.href);
  const site = address.pathname.slice(0, address.pathname.indexOf("/_tp/"));
  const sheet = make("link", { rel: "stylesheet", href: style });
  const styled = new Promise((done) => { sheet.onload = sheet.onerror = done; });
  document.head.append(sheet);

  let opened;
  const begin = async () => {
    const got = await (answer ?? fetch(index, { cache: "no-cache" }));
    answer = undefined;
    if (!got.ok) throw new Error(got.status);
    return makeIndex(await got.json(), address);
  };
  const search = async (query) => {
    try {
      return await (await (opened ??= begin()))(query);
    } catch {
      // The site may have been published anew: its files have other names then.
      opened = begin();
      return (await opened)(query);
    }
  };

  const field = make("input", { type: "text", role: "combobox", ariaLabel: words.search, placeholder: words.search, autocomplete: "off", spellcheck: false, maxLength: 200, ariaAutoComplete: "list", ariaExpanded: "false" });
  field.setAttribute("aria-controls", "tp-found");
  const close = make("button", { type: "button", ariaLabel: words.search_close }, "×");
  const status = make("p", { className: "tp-search-status", role: "status" });
  const list = make("div", { id: "tp-found", role: "listbox", ariaLabel: words.search });
  const dialog = make("dialog", { className: "tp-search-box", ariaLabel: words.search }, make("div", { className: "tp-search-field" }, field, close), status, list);
  document.body.append(dialog);

  const options = () => all("[role=option]", list);
  const choose = (option) => {
    for (const other of options()) other.ariaSelected = other === option;
    field.setAttribute("aria-activedescendant", option?.id ?? "");
    option?.scrollIntoView({ block: "nearest" });
  };
  const recent = () => { try { return JSON.parse(recall("localStorage", `tp-recent ${site}`)) ?? []; } catch { return []; } };
  const remember = (entry) => {
    const others = recent().filter(({ href }) => href !== entry.href);
    keep("localStorage", `tp-recent ${site}`, JSON.stringify([entry, ...others].slice(0, RECENT)));
  };
  const option = (entry, ...content) => {
    const link = make("a", { role: "option", href: entry.href, tabIndex: -1, ariaSelected: "false" }, ...content);
    link.onclick = () => {
      remember(entry);
      dialog.close();
    };
    link.onpointermove = () => link.ariaSelected === "true" || choose(link);
    return link;
  };
  const about = (className, text, terms) => make("span", { className }, ...marked(text, marksIn(text, terms)));
  const group = ({ url, title, sections }, terms) => {
    const name = about("tp-search-page", title, terms);
    const rows = sections.map(({ anchor, heading, text }) => option(
      { href: site + url + (anchor && `#${encodeURIComponent(anchor)}`), title, heading },
      anchor ? about("tp-search-heading", heading, terms) : name,
      make("span", { className: "tp-search-text" }, ...excerpt(text, terms)),
    ));
    return make("div", { role: "group", ariaLabel: title }, ...(sections[0].anchor ? [about("tp-search-page", title, terms)] : []), ...rows);
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
  const showRecent = () => {
    const kept = recent().filter(({ href }) => href?.startsWith(`${site}/`));
    const none = new Set();
    const rows = kept.map((entry) => option(entry, about("tp-search-page", entry.heading || entry.title, none), about("tp-search-text", entry.heading && entry.title, none)));
    show(kept.length ? words.search_recent : "", rows);
  };

  let turn = 0;
  const run = async () => {
    const [query, now] = [field.value, ++turn];
    if (!query.trim()) return showRecent();
    try {
      const { results, terms } = await search(query);
      if (now !== turn) return;
      const count = results.reduce((sum, { sections }) => sum + sections.length, 0);
      show(fitted(count ? words.search_results : words.search_none, count || query), results.map((page) => group(page, terms)));
    } catch {
      if (now === turn) show(words.search_failed, []);
    }
  };
  field.oninput = run;
  field.onkeydown = (event) => {
    const every = options();
    const at = every.findIndex((each) => each.ariaSelected === "true");
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (event.isComposing) return;
    if (event.key === "Enter") every[at]?.click();
    else if (step && every.length) choose(every.at((at + step) % every.length));
    else return;
    event.preventDefault();
  };
  close.onclick = () => dialog.close();
  dialog.onclick = ({ target }) => { if (target === dialog) dialog.close(); };
  await styled;

  const open = (query) => {
    if (!dialog.open) dialog.showModal();
    if (query) field.value = query;
    field.focus();
    field.select();
    run();
  };
  return Object.assign(open, { search });
};
