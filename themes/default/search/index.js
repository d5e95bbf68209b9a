// The index: fetched piece by piece, asked for words, ranked by page and section.
// The last is more than words can weigh: a page with more of them is always before one with fewer.
const [SLOT, PAGES, PREFIXES, ALL] = [8, 6, 60, 1e9];

const json = async (asked) => {
  const answer = await asked;
  if (!answer.ok) throw answer;
  return answer.json();
};


export const makeIndex = (entry, address, misspelt) => {
  const files = {};
  const load = (name, hash) => (files[name] ??= json(fetch(new URL(`search/${name}.${hash}.json`, address))).catch((error) => {
    delete files[name];
    throw error;
  }));
  const stop = new Set(entry.stop);
  const pageOf = entry.slots.flatMap((slots, page) => Array(slots).fill(page));
  const placeOf = (term) => Math.max(0, entry.keys.findLastIndex((key) => key <= term));
  const fileOf = (term) => (stop.has(term) ? entry.keys.length : placeOf(term));
  const termsIn = (file) => (entry.terms[file] ? load(`t${file}`, entry.terms[file]) : {});
  const rowsOf = async (files) => Object.assign({ __proto__: null }, ...await Promise.all([...new Set(files)].map(termsIn)));
  // Where terms are that begin so: a few letters do not ask for the whole index.
  const filesFrom = (start) => [0, 1, 2].map((step) => placeOf(start) + step).filter((file) => file <= placeOf(`${start}\uffff`));

  const corrections = () => Promise.all([load("w", entry.words), import(misspelt).catch((error) => {
    // Browsers keep that a script could not be had; under another address they ask again.
    misspelt += "?";
    throw error;
  })]);

  // Everything in the index that a word may mean, with how well it fits: as it is, as its beginning, misspelt.
  const meant = async ({ raw, term, last, extra, compound }) => {
    const found = new Map();
    const read = (more) => rowsOf([fileOf(term), fileOf(raw), ...(more ? filesFrom(raw) : [])]);
    let rows = await read(last && raw[1]);
    const add = (name, fit, row = rows[name]) => { if (row && !(found.get(name)?.fit >= fit)) found.set(name, { row, fit }); };
    add(term, extra || 1);
    // Titles and headings that have the very word, not only another form of it, weigh a little more.
    if (!compound && raw !== term && rows[raw] && rows[term]) found.set(raw, { row: rows[raw], fit: 1, of: rows[term] });
    if (extra < 1 && !last) return found;
    // Both at once: what does not begin like that may be misspelt.
    const unsure = !found.size && raw[3] && !extra;
    if (!found.size) [rows] = await Promise.all([read(1), unsure && corrections()]);
    const names = Object.keys(rows).filter((name) => name[0] !== "!");
    if (last || !found.size) {
      const starts = [raw, raw.length - term.length < 2 ? term : raw, raw.replace(/(?<=...)in?$/, "")];
      const longer = names.filter((name) => name !== term && starts.some((start) => name.startsWith(start)));
      longer.sort((one, other) => one.length - other.length);
      for (const name of longer.slice(0, PREFIXES)) add(name, (0.6 * raw.length) / Math.max(name.length, raw.length));
    }
    if (found.size || !unsure) return found;
    // Words of headings with their endings, and what else begins alike.
    const [words, { corrected }] = await corrections();
    const listed = [...words.split(" ").map((word) => [word, stem(word)]), ...names.map((name) => [name, name])];
    const { split, names: nearest = [] } = corrected({ raw, term }, listed, stem);
    if (split) return { split };
    await Promise.all(nearest.map(async (name) => add(name, 0.4, (await termsIn(fileOf(name)))[name])));
    return found;
  };

  // The weight of a word in each section that has it. A list that was cut may lack any section: `floor` is for those.
  const weigh = (found) => {
    const weights = new Map();
    let floor = 0;
    for (const { row, fit, of } of found.values()) {
      const rarity = fit * Math.log(1 + entry.n / ((of ?? row)[0] + 1));
      let [number, least] = [0, Infinity];
      for (let at = 1; at < row.length; at += 2) {
        number += row[at];
        least = Math.min(least, row[at + 1]);
        const weight = rarity * row[at + 1];
        const before = weights.get(number) ?? 0;
        weights.set(number, of ? before + weight : Math.max(before, weight));
      }
      if (row.length < 2 * row[0]) floor = Math.max(floor, (rarity * least) / 2);
    }
    return { weights, floor };
  };

  // All titles that begin with what was typed, as if they were one more word.
  const titled = async (title) => {
    const rows = title ? await rowsOf(filesFrom(title)) : {};
    const begun = Object.keys(rows).filter((name) => name.startsWith(title));
    return new Map(begun.map((name) => [name, { row: rows[name], fit: name === title ? 9 : 1 }]));
  };

  const ahead = (one, other) => other.score - one.score || one.at - other.at;
  const rank = (asked, weighed) => {
    const found = {};
    const cover = (got) => asked.reduce((sum, { extra }, at) => sum + (!extra && got[at] > 0), 0);
    const total = (got) => got.reduce((sum, weight) => sum + weight, 0) * cover(got) ** 3;
    for (const number of new Set(weighed.flatMap(({ weights }) => [...weights.keys()]))) {
      const at = pageOf[Math.floor(number / SLOT)];
      const got = weighed.map(({ weights, floor }) => weights.get(number) ?? floor);
      const page = (found[at] ??= { at, best: got, sections: [] });
      page.best = got.map((weight, word) => weight || page.best[word]);
      page.sections.push({ at: number, score: total(got) });
    }
    const pages = Object.values(found);
    for (const page of pages) {
      page.sections.sort(ahead);
      // Who types a title or its beginning wants that, before all that is found by its words.
      page.score = ALL * (cover(page.best) + 99 * page.best[0]) + page.sections[0].score;
    }
    return pages.sort(ahead);
  };

  // Of a page that is not shown for its beginning, its name says enough.
  const shown = async ({ at, best: [level], sections }, typed) => {
    const file = Math.floor(at / entry.per);
    const [url, title, texts] = (await load(`d${file}`, entry.docs[file]))[at % entry.per];
    const rows = sections.filter(({ score }) => score >= sections[0].score / 4).map((section) => texts[section.at - SLOT * pageOf.indexOf(at)]);
    // After titles, headings that are what was typed.
    const same = level ? [texts[0]] : rows.filter(([, heading]) => whole(heading) === typed);
    const first = [...new Set([...same, ...rows])].filter(([anchor], at) => anchor || !at);
    return { url, title, level: level || same.length / ALL, sections: first.slice(0, 4) };
  };

  const search = async (query, words, from) => {
    const typed = whole(query);
    const asked = [{ extra: 0.1 }, ...words];
    const found = await Promise.all([titled(typed), ...words.map(meant)]);
    if (found.some(({ split }) => split)) return search(query, words.flatMap((word, at) => found[at + 1].split ?? word), from);
    const weighed = found.map(weigh);
    const pages = rank(asked, weighed);
    const results = await Promise.all(pages.slice(from, from + PAGES).map((page) => shown(page, typed)));
    results.sort((one, other) => other.level - one.level);
    // Of a word that is everywhere, the index does not have every page.
    const total = pages.length + (weighed.some(({ floor }) => floor) ? "+" : "");
    return { results, total, terms: new Set(found.flatMap((each, at) => (asked[at].extra < 1 ? [] : [...each.keys()]))) };
  };
  return (query, from) => search(query, wanted(query, stop), from);
};
