// What was found, marked in the text that has it.
let WINDOW = 160;

// Where a text has one of these terms: pairs of beginning and end, in order, none within another.
let marksIn = (text, terms) => {
  let marks = [];
  let add = (from, to) => {
    let last = marks.at(-1);
    if (last && from <= last[1]) last[1] = Math.max(last[1], to);
    else marks.push([from, to]);
  };
  for (let { 0: piece, index } of text.matchAll(PIECES)) {
    if (terms.has(symbolOf(piece).symbol)) add(index, index + piece.length);
    else for (let part of piece.matchAll(PARTS)) {
      for (let { term, from, to } of termsOf(part[0])) if (terms.has(term)) add(index + part.index + from, index + part.index + to);
    }
  }
  return marks;
};

// A text as nodes, its marks as <mark>. It is only ever text: nothing in it is read as HTML.
let marked = (text, marks, from = 0, to = text.length) => {
  let nodes = [];
  for (let [start, end] of marks) {
    if (start < from || end > to) continue;
    let mark = document.createElement("mark");
    mark.textContent = text.slice(start, end);
    nodes.push(text.slice(from, start), mark);
    from = end;
  }
  return [...nodes, text.slice(from, to)];
};

// The piece of a text around the place with the most that is marked: a symbol is more than its parts.
let excerpt = (text, terms) => {
  let marks = marksIn(text, terms);
  let within = ([start]) => marks.reduce((sum, [from, to]) => sum + (from >= start && from < start + WINDOW / 2 && to - from), 0);
  let centre = marks.reduce((best, mark) => (within(best) >= within(mark) ? best : mark), [0])[0];
  let from = Math.min(centre - WINDOW / 2, text.length - WINDOW);
  from = from > 0 ? text.indexOf(" ", from - 1) + 1 || from : 0;
  if (from > centre) from = Math.max(0, centre - WINDOW / 4);
  let to = from + WINDOW;
  if (to < text.length) to = Math.max(text.lastIndexOf(" ", to), from + WINDOW / 2);
  return [from > 0 ? "… " : "", ...marked(text, marks, from, to), to < text.length ? " …" : ""];
};
