// The index: fetched piece by piece, asked for words, ranked by page and section.
// The last is more than words can weigh: a page with more of them is always before one with fewer.
let [SLOT, PREFIXES, ALL] = [8, 60, 1e9];

let json = async (asked) => {
  let answer = await asked;
  if (!answer.ok) throw answer;
  return answer.json();
};

// Browsers keep that a script could not be had; under another address they ask again.
let retry = "";
let script = (address) => import(address + retry).catch((error) => {
  retry += "?";
  throw error;
});

export let makeIndex = (entry, address, misspelt) => {
  let files = {};
  let load = (name, hash) => (files[name] ??= json(fetch(new URL(`search/${name}.${hash}.json`, address))).catch((error) => {
    delete files[name];
    throw error;
  }));
  let stop = new Set(entry.stop);
  let pageOf = entry.slots.flatMap((slots, page) => Array(slots).fill(page));
  let placeOf = (term) => Math.max(0, entry.keys.findLastIndex((key) => key <= term));
  let fileOf = (term) => (stop.has(term) ? entry.keys.length : placeOf(term));
  let termsIn = (file, hash = entry.terms.slice(8 * file, 8 * file + 8)) => (hash ? load(`t${file}`, hash) : {});
  let rowsOf = async (files) => Object.assign({ __proto__: null }, ...await Promise.all([...new Set(files)].map((file) => termsIn(file))));
  // Where terms are that begin so: a few letters do not ask for the whole index.
  let filesFrom = (start) => [0, 1, 2, 3, 4].map((step) => placeOf(start) + step).filter((file) => file <= placeOf(`${start}\uffff`));

  // Where excerpts are cut from twins, what does it comes along with the first terms.
  let pages = async () => entry.pages && (await script(new URL(entry.script, address))).reader(entry.pages, address, load);
  let corrections = () => Promise.all([load("w", entry.words), script(misspelt)]);

  // Everything in the index that a word may mean, with how well it fits: as it is, as its beginning, misspelt.
  let meant = async ({ raw, term, last, extra, compound }) => {
    let found = new Map();
    let read = (more) => rowsOf([fileOf(term), fileOf(raw), ...(more ? filesFrom(raw) : [])]);
    let rows = await read(last && raw[1]);
    let add = (name, fit, row = rows[name]) => { if (row && !(found.get(name)?.fit >= fit)) found.set(name, { row, fit }); };
    add(term, extra || 1);
    // Titles and headings that have the very word, not only another form of it, weigh a little more.
    if (!compound && raw !== term && rows[raw] && rows[term]) found.set(raw, { row: rows[raw], fit: 1, of: rows[term] });
    if (extra < 1 && !last) return found;
    // Both at once: what does not begin like that may be misspelt.
    let unsure = !found.size && raw[3] && !extra;
    if (!found.size) [rows] = await Promise.all([read(1), unsure && corrections()]);
    let names = Object.keys(rows).filter((name) => name[0] !== "!");
    if (last || !found.size) {
      let starts = [raw, raw.length - term.length < 2 ? term : raw, raw.replace(/(?<=...)in?$/, "")];
      let longer = names.filter((name) => name !== term && starts.some((start) => name.startsWith(start)));
      longer.sort((one, other) => one.length - other.length);
      for (let name of longer.slice(0, PREFIXES)) add(name, (0.6 * raw.length) / Math.max(name.length, raw.length));
    }
    if (found.size || !unsure) return found;
    // Words of headings with their endings, and what else begins alike.
    let [words, { corrected }] = await corrections();
    let listed = [...words.split(" ").map((word) => [word, stem(word)]), ...names.map((name) => [name, name])];
    let { split, names: nearest = [] } = corrected({ raw, term }, listed, stem);
    if (split) return { split };
    await Promise.all(nearest.map(async (name) => add(name, 0.4, (await termsIn(fileOf(name)))[name])));
    return found;
  };

  // The weight of a word in each section that has it. A list that was cut may lack any section: `floor` is for those.
  let weigh = (found) => {
    let weights = new Map();
    let floor = 0;
    for (let { row, fit, of } of found.values()) {
      let rarity = fit * Math.log(1 + entry.n / ((of ?? row)[0] + 1));
      let [number, least] = [0, Infinity];
      for (let at = 1; at < row.length; at += 2) {
        number += row[at];
        least = Math.min(least, row[at + 1]);
        let weight = rarity * row[at + 1];
        let before = weights.get(number) ?? 0;
        weights.set(number, of ? before + weight : Math.max(before, weight));
      }
      if (row.length < 2 * row[0]) floor = Math.max(floor, (rarity * least) / 2);
    }
    return { weights, floor };
  };

  // All titles that begin with what was typed, as if they were one more word.
  let titled = async (title) => {
    let rows = title ? await rowsOf(filesFrom(title)) : {};
    let begun = Object.keys(rows).filter((name) => name.startsWith(title));
    return new Map(begun.map((name) => [name, { row: rows[name], fit: name === title ? 9 : 1 }]));
  };

  let ahead = (one, other) => other.score - one.score || one.at - other.at;
  let sum = (each, of) => each.reduce((whole, one, at) => whole + of(one, at), 0);
  let total = (got) => sum(got, (weight) => weight);
  let rank = (asked, weighed) => {
    let found = {};
    for (let number of new Set(weighed.flatMap(({ weights }) => [...weights.keys()]))) {
      let at = pageOf[Math.floor(number / SLOT)];
      let got = weighed.map(({ weights, floor }) => weights.get(number) ?? floor);
      let page = (found[at] ??= { at, best: got, sections: [] });
      page.best = got.map((weight, word) => Math.max(weight, page.best[word]));
      page.sections.push({ at: number, got });
    }
    let pages = Object.values(found);
    // In a question some words are there by chance: rare ones count more, and none has to be met.
    let asks = asked[5] && asked.filter(({ extra }) => !extra)[2];
    let values = asked.map(({ extra }, word) =>
      (extra ? 0 : asks ? Math.log(1 + entry.slots.length / (1 + pages.filter(({ best }) => best[word]).length)) : 1));
    let whole = asks ? total(values) : 1;
    let cover = (got) => sum(values, (value, word) => (got[word] ? value / whole : 0));
    for (let page of pages) {
      let { best, sections } = page;
      for (let section of sections) section.score = total(section.got) * cover(section.got) ** (asks ? 1 : 3);
      sections.sort(ahead);
      let [{ score }] = sections;
      // Who types a title or its beginning wants that, before all that is found by its words.
      page.score = ALL * 99 * best[0] + (asks ? 0.8 * score + 0.2 * total(best) * cover(best) : ALL * cover(best) + score);
    }
    return pages.sort(ahead);
  };

  // Of a page that is not shown for its beginning, its name says enough.
  let shown = async ({ at, best: [level], sections }, typed, page) => {
    let file = Math.floor(at / entry.per);
    let [url, title, texts] = page ? await page(at) : (await load(`d${file}`, entry.docs[file]))[at % entry.per];
    let rows = sections.filter(({ score }) => score >= sections[0].score / 4).map((section) => texts[section.at - SLOT * pageOf.indexOf(at)] ?? texts[0]);
    // After titles, headings that are what was typed.
    let same = level ? [texts[0]] : rows.filter(([, heading]) => whole(heading) === typed);
    let first = [...new Set([...same, ...rows])].filter(([anchor], at) => anchor || !at);
    return { url, title, level: level || same.length / ALL, sections: first.slice(0, 4) };
  };

  let search = async (query, words, from) => {
    let typed = whole(query);
    let asked = [{ extra: 0.1 }, ...words];
    let [page, ...found] = await Promise.all([pages(), titled(typed), ...words.map(meant)]);
    if (found.some(({ split }) => split)) return search(query, words.flatMap((word, at) => found[at + 1].split ?? word), from);
    let weighed = found.map(weigh);
    let ranked = rank(asked, weighed);
    // The first answer is short: each page of it may be a request.
    let results = await Promise.all(ranked.slice(from, from + (from ? 6 : 4)).map((each) => shown(each, typed, page)));
    results.sort((one, other) => other.level - one.level);
    // Of a word that is everywhere, the index does not have every page.
    let total = ranked.length + (weighed.some(({ floor }) => floor) ? "+" : "");
    return { results, total, terms: new Set(found.flatMap((each, at) => (asked[at].extra < 1 ? [] : [...each.keys()]))) };
  };
  return (query, from) => search(query, wanted(query, stop), from);
};
