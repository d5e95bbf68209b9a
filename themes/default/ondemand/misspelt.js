// What a word may mean that nothing begins with: words a typing error or two away, or two words that are written as one.
let NEAREST = 6;

// Whether so many edits make one word of the other; neighbours that change places are one edit.
let near = (one, other, edits) => {
  if (Math.abs(one.length - other.length) > edits) return false;
  let at = 0;
  while (at < one.length && one[at] === other[at]) at++;
  let [a, b] = [one.slice(at), other.slice(at)];
  if (!a || !b) return true;
  let after = (i, j) => near(a.slice(i), b.slice(j), edits - 1);
  return edits > 0 && (after(1, 1) || after(1, 0) || after(0, 1) || (a[0] === b[1] && a[1] === b[0] && after(2, 2)));
};

// `listed` are words as they are written, each with its term. The answer has terms, or the two words.
export let corrected = ({ raw, term }, listed, stem) => {
  let alike = (edits) => listed.filter(([word]) => word.length > 2 && (near(raw, word, edits) || near(term, word, edits)));
  let found = alike(1);
  for (let at = 3; !found.length && at < raw.length - 2; at++) {
    let split = [raw.slice(0, at), raw.slice(at)].map((part) => ({ raw: part, term: stem(part) }));
    if (split.every(({ raw: part }) => listed.some(([word]) => word === part))) return { split };
  }
  if (!found.length && raw.length > 7) found = alike(2);
  // Few mistake the first letter.
  let same = ([word]) => word[0] === raw[0];
  found.sort((one, other) => same(other) - same(one));
  return { names: found.slice(0, NEAREST).map(([, name]) => name) };
};
