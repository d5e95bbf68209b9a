// The index: fetched piece by piece, asked for words, ranked by page and section.
// The last is more than words can weigh: a page with more of them is always before one with fewer.
const [SLOT, PAGES, PREFIXES, NEAREST, ALL] = [8, 6, 60, 6, 1e9];

// Whether so many edits make one word of the other; neighbours that change places are one edit.
const near = (one, other, edits) => {
  if (Math.abs(one.length - other.length) > edits) return false;
  let at = 0;
  while (at < one.length && one[at] === other[at]) at++;
  const [a, b] = [one.slice(at), other.slice(at)];
  if (!a || !b) return true;
  const after = (i, j) => near(a.slice(i), b.slice(j), edits - 1);
  return edits > 0 && (after(1, 1) || after(1, 0) || after(0, 1) || (a[0] === b[1] && a[1] === b[0] && after(2, 2)));
};

const json = async (asked) => {
  const answer = await asked;
  if (!answer.ok) throw answer;
  return answer.json();
};

// A text as its words alone.
const plain = (text) => piecesOf(fold(text)).flatMap((piece) => symbolOf(piece).parts).join(" ");

export const makeIndex = (entry, address) => {
  const files = {};
  const load = (name, hash) => (files[name] ??= json(fetch(new URL(`search/${name}.${hash}.json`, address))).catch((error) => {
    delete files[name];
    throw error;
  }));
  const stop = new Set(entry.stop);
  const pageOf = entry.slots.flatMap((slots, page) => Array(slots).fill(page));
  const fileOf = (term) => (stop.has(term) ? entry.keys.length : Math.max(0, entry.keys.findLastIndex((key) => key <= term)));
  const termsIn = (file) => (entry.terms[file] ? load(`t${file}`, entry.terms[file]) : {});

  // Everything in the index that a word may mean, with how well it fits: as it is, as its beginning, misspelt.
  const meant = async ({ raw, term, last, extra, compound }) => {
    const found = new Map();
    const [from, to] = [raw, `${raw}\uffff`].map(fileOf);
    const read = async (most) => {
      const numbers = [fileOf(term), from, from + 1, from + 2].filter((file, at) => at < 2 || file <= most);
      return Object.assign({ __proto__: null }, ...await Promise.all([...new Set(numbers)].map(termsIn)));
    };
    let rows = await read(last && raw[1] && to);
    const add = (name, fit, row = rows[name]) => { if (row && !(found.get(name)?.fit >= fit)) found.set(name, { row, fit }); };
    add(term, extra || 1);
    // Titles and headings that have the very word, not only another form of it, weigh a little more.
    if (!compound && raw !== term && rows[raw] && rows[term]) found.set(raw, { row: rows[raw], fit: 1, of: rows[term] });
    if (extra < 1) return found;
    // Both at once: what does not begin like that may be misspelt.
    if (!found.size) [rows] = await Promise.all([read(to), load("w", entry.words)]);
    if (last || !found.size) {
      const starts = [raw, raw.length - term.length < 2 ? term : raw, raw.replace(/(?<=...)in?$/, "")];
      const longer = Object.keys(rows).filter((name) => name !== term && starts.some((start) => name.startsWith(start)));
      longer.sort((one, other) => one.length - other.length);
      for (const name of longer.slice(0, PREFIXES)) add(name, (0.6 * raw.length) / Math.max(name.length, raw.length));
    }
    if (found.size || raw.length < 4 || extra) return found;
    // Words of headings with their endings, and what else begins alike.
    const listed = (await load("w", entry.words)).split(" ").map((word) => [word, stem(word)]);
    for (const name in rows) listed.push([name, name]);
    const alike = (edits) => listed.filter(([word]) => word.length > 2 && (near(raw, word, edits) || near(term, word, edits)));
    let names = alike(1);
    for (let at = 3; !names.length && at < raw.length - 2; at++) {
      const split = [raw.slice(0, at), raw.slice(at)].map((part) => ({ raw: part, term: stem(part) }));
      if (split.every(({ raw }) => listed.some(([word]) => word === raw))) return { split };
    }
    if (!names.length && raw.length > 7) names = alike(2);
    names.sort(([word]) => (word[0] === raw[0] ? -1 : 1));
    await Promise.all(names.slice(0, NEAREST).map(async ([, name]) => add(name, 0.4, (await termsIn(fileOf(name)))[name])));
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
      page.score = ALL * cover(page.best) + page.sections[0].score;
    }
    return pages.sort(ahead);
  };

  // Of a page that is not shown for its beginning, its name says enough.
  const shown = async ({ at, sections }, typed) => {
    const file = Math.floor(at / entry.per);
    const [url, title, texts] = (await load(`d${file}`, entry.docs[file]))[at % entry.per];
    const rows = sections.filter(({ score }) => score >= sections[0].score / 4).map((section) => texts[section.at - SLOT * pageOf.indexOf(at)]);
    // Who types a title, its beginning or a heading wants that, before all that was found by its words.
    const begun = plain(title).startsWith(typed);
    const wanted = ([anchor, heading]) => (begun ? !anchor : plain(heading) === typed);
    const level = begun ? 2 + (plain(title) === typed) : rows.some(wanted);
    rows.sort((one, other) => wanted(other) - wanted(one));
    return { url, title, level, sections: rows.filter(([anchor], at) => anchor || !at).slice(0, 4) };
  };

  const search = async (query, asked, from) => {
    const found = await Promise.all(asked.map(meant));
    if (found.some(({ split }) => split)) return search(query, asked.flatMap((word, at) => found[at].split ?? word), from);
    const weighed = found.map(weigh);
    const pages = rank(asked, weighed);
    const results = await Promise.all(pages.slice(from, from + PAGES).map((page) => shown(page, plain(query))));
    results.sort((one, other) => other.level - one.level);
    // Of a word that is everywhere, the index does not have every page.
    const total = pages.length + (weighed.some(({ floor }) => floor) ? "+" : "");
    return { results, total, terms: new Set(found.flatMap((each, at) => (asked[at].extra < 1 ? [] : [...each.keys()]))) };
  };
  return (query, from) => search(query, wanted(query, stop), from);
};
