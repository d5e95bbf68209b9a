// The editor with script: line numbers and what is wrong, as one types. Without it, saving tells the same.
addEventListener("DOMContentLoaded", () => {
  const form = document.querySelector("[data-editor]");
  if (!form) return;
  const area = form.elements.text;
  const numbers = document.getElementById("numbers");
  const list = document.getElementById("findings-list");
  const title = document.getElementById("findings-title");
  let saved = area.value;
  let timer = 0;
  let asked = 0;

  const count = (places) => {
    const lines = area.value.split("\n").length;
    area.rows = lines + 1;
    numbers.replaceChildren(...Array.from({ length: lines }, (_, at) => {
      const item = document.createElement("li");
      item.textContent = at + 1;
      if (places.has(at + 1)) item.className = "at";
      return item;
    }));
  };

  const icon = (name) => {
    const copy = document.querySelector(".icon").cloneNode(true);
    const use = copy.firstElementChild;
    use.setAttribute("href", use.getAttribute("href").replace(/#.*/, `#${name}`));
    return copy;
  };

  // Pieces between backticks are code.
  const marked = (text) => text.split(/`([^`]+)`/).map((piece, at) => {
    if (at % 2 === 0) return piece;
    const code = document.createElement("code");
    code.textContent = piece;
    return code;
  });

  const counted = (found, word) => found.length ? [`${found.length} ${word}${found.length === 1 ? "" : "s"}`] : [];

  const tally = (found) => [
    ...counted(found.filter((each) => each.level === "error"), "error"),
    ...counted(found.filter((each) => each.level !== "error"), "warning"),
  ].join(", ") || "Nothing is wrong";

  const line = (finding) => {
    const item = document.createElement("li");
    const inner = item.appendChild(document.createElement("div"));
    const state = inner.appendChild(document.createElement("span"));
    state.className = `state ${finding.level === "error" ? "bad" : "warn"}`;
    const isError = finding.level === "error";
    state.append(icon(isError ? "octagon-alert" : "triangle-alert"), isError ? "Error" : "Warning");
    if (finding.line) {
      const link = document.createElement("a");
      link.href = "#source";
      link.textContent = `Line ${finding.line}`;
      link.dataset.line = finding.line;
      inner.append(" ", link);
    }
    const hint = finding.hint ? `: ${finding.hint}` : "";
    // A path at the beginning stays as it is.
    const text = `${finding.message}${hint}`.replace(/^[a-z]+(?=[ ,:;]|\.? |\.?$)/, (word) => word[0].toUpperCase() + word.slice(1));
    inner.appendChild(document.createElement("p")).append(...marked(/[.?]$/.test(text) ? text : `${text}.`));
    return item;
  };

  const check = async () => {
    const mine = ++asked;
    const body = JSON.stringify({ path: form.elements.path.value, format: form.elements.format.value, text: area.value });
    const headers = { "Content-Type": "application/json" };
    const answer = await fetch(form.dataset.editor, { method: "POST", headers, body, redirect: "error" }).catch(() => null);
    if (mine !== asked || !answer || !answer.ok) return;
    const { wrong: found, preview } = await answer.json();
    const frame = document.getElementById("preview");
    if (frame && preview) frame.src = preview;
    list.replaceChildren(...found.map(line));
    title.textContent = tally(found);
    count(new Set(found.map((each) => each.line)));
  };

  area.addEventListener("input", () => {
    count(new Set());
    clearTimeout(timer);
    timer = setTimeout(check, 400);
  });
  area.addEventListener("keydown", (event) => {
    if ((event.ctrlKey || event.metaKey) && event.key === "s") {
      event.preventDefault();
      form.requestSubmit();
    }
  });
  form.addEventListener("formdata", () => { saved = area.value; });
  // Behind a link to a line with a finding, which is on the list below.
  const [, place] = location.hash.match(/^#line-(\d+)$/) || [];
  if (place) addEventListener("load", () => list.querySelector(`[data-line="${place}"]`)?.click());
  addEventListener("beforeunload", (event) => {
    if (area.value !== saved) event.preventDefault();
  });
});
