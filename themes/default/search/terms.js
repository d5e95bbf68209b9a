// Words as the index has them: the same as builder/search/terms.py does to what authors write.
let PIECES = /(?![:+~%])[\p{L}\p{M}\p{N}\-./:_@#$%+~]*[\p{L}\p{M}\p{N}_#$+]/gu;
let piecesOf = (text) => text.match(PIECES) ?? [];
// Characters of a query that are looked at, wherever it comes from.
let LONGEST = 200;
let PARTS = /[^-./:_@#$%+~]+/g;
let RUNS = /([\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af\uf900-\ufaff]+)|[^\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af\uf900-\ufaff]+/g;
let LETTERS = { ß: "ss", æ: "ae", œ: "oe", ø: "o", ł: "l", đ: "d", ı: "i", ς: "σ" };
let fold = (text) => {
  if (!/[^\x00-\x7f]/.test(text)) return text.toLowerCase();
  let bare = text.normalize("NFKD").replace(/[\u0300-\u036f\u0591-\u05c7\u0640\u064b-\u065f]/g, "");
  return bare.normalize("NFKC").toLowerCase().replace(/[^\x00-\x7f]/g, (letter) => LETTERS[letter] ?? letter);
};
let stem = (word) => {
  let [, found, ending] = (!word.endsWith("ss") && /^([a-z]*?[aeiouy][a-z]*?)(?<=[a-z]{3})(ings?|ies|e[sd]?|s)$/.exec(word)) || [];
  if (ending === "ies") return `${found}y`;
  return ending && /ing|ed/.test(ending) ? found.replace(/([b-df-hjkmnp-rtvwxz])\1$/, "$1") : found ?? word;
};

// What was found out once is kept: most words come again.
let kept = (make) => {
  let known = new Map();
  return (key) => known.get(key) ?? known.set(key, make(key)).get(key);
};
// The terms of a word without symbols, each with what was written, and where it begins and ends in it.
let termsOf = kept((part) => {
  let folded = fold(part);
  // Folded, a word may be a little longer than it was written: a mark never leaves the word.
  let found = (raw, term, from) => ({ raw, term, from, to: Math.min(from + raw.length, part.length) });
  return [...folded.matchAll(RUNS)].flatMap(({ 0: raw, 1: cjk, index }) => {
    if (!cjk) return raw.length > 1 || /\d/.test(raw) ? found(raw, stem(raw), index) : [];
    return [...(raw.slice(1) || raw)].map((_, at) => found(raw.slice(at, at + 2), raw.slice(at, at + 2), index + at));
  });
});
let symbolOf = kept((piece) => {
  let parts = piece.match(PARTS) ?? [];
  return { symbol: fold(piece), parts, compound: piece !== (parts[0] ?? piece) };
});
// All words of a text as one term, a mark before each that no other term has.
let whole = (text) => piecesOf(fold(text)).flatMap((piece) => symbolOf(piece).parts.map((part) => `!${part}`)).join("");

// What a reader asks for: words, and symbols as they stand, which weigh more but need not be met (`extra`).
// Beside others, words that say nothing weigh little, and need not be met either: headings have them.
let wanted = (query, stop) => {
  let idle = ({ term }) => stop.has(term);
  let found = new Map();
  let pieces = piecesOf(query.slice(0, LONGEST).normalize("NFKC"));
  pieces.forEach((piece, index) => {
    let { symbol, parts, compound } = symbolOf(piece);
    let last = !pieces[index + 1] && !/\s$/.test(query);
    let words = parts.flatMap(termsOf);
    let extra = words.every(idle) ? undefined : 10;
    if (compound || (!words.length && !pieces[1])) words.unshift({ raw: symbol, term: symbol, extra });
    for (let word of words) if (!found.has(word.term)) found.set(word.term, { ...word, last, compound });
  });
  let all = [...found.values()];
  return all.every(idle) ? all : all.map((word) => (idle(word) ? { ...word, extra: 0.3 } : word));
};
