// What was found, marked in the text that has it.
const WINDOW = 160;

// Where a text has one of these terms: pairs of beginning and end, in order, none within another.
const marksIn = (text, terms) => {
  const marks = [];
  const add = (from, to) => {
    const last = marks.at(-1);
    if (last && from <= last[1]) last[1] = Math.max(last[1], to);
    else marks.push([from, to]);
  };
  for (const { 0: piece, index } of text.matchAll(PIECES)) {
    if (terms.has(symbolOf(piece).symbol)) add(index, index + piece.length);
    else for (const part of piece.matchAll(PARTS)) {
      for (const { term, from, to } of termsOf(part[0])) if (terms.has(term)) add(index + part.index + from, index + part.index + to);
    }
  }
  return marks;
};

// A text as nodes, its marks as <mark>. It is only ever text: nothing in it is read as HTML.
const marked = (text, marks, from = 0, to = text.length) => {
  const nodes = [];
  for (const [start, end] of marks) {
    if (start < from || end > to) continue;
    const mark = document.createElement("mark");
    mark.textContent = text.slice(start, end);
    nodes.push(text.slice(from, start), mark);
    from = end;
  }
  return [...nodes, text.slice(from, to)];
};

// The piece of a text around the place with the most that is marked: a symbol is more than its parts.
const excerpt = (text, terms) => {
  const marks = marksIn(text, terms);
  const within = ([start]) => marks.reduce((sum, [from, to]) => sum + (from >= start && from < start + WINDOW / 2 && to - from), 0);
  const centre = marks.reduce((best, mark) => (within(best) >= within(mark) ? best : mark), [0])[0];
  let from = Math.min(centre - WINDOW / 2, text.length - WINDOW);
  from = from > 0 ? text.indexOf(" ", from - 1) + 1 || from : 0;
  if (from > centre) from = Math.max(0, centre - WINDOW / 4);
  let to = from + WINDOW;
  if (to < text.length) to = Math.max(text.lastIndexOf(" ", to), from + WINDOW / 2);
  return [from > 0 ? "… " : "", ...marked(text, marks, from, to), to < text.length ? " …" : ""];
};
