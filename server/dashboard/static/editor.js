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

  const count = (marked) => {
    const lines = area.value.split("\n").length;
    area.rows = lines + 1;
    numbers.replaceChildren(...Array.from({ length: lines }, (_, at) => {
      const item = document.createElement("li");
      item.textContent = at + 1;
      if (marked.has(at + 1)) item.className = "at";
      return item;
    }));
  };

  const line = (finding) => {
    const item = document.createElement("li");
    const inner = item.appendChild(document.createElement("div"));
    const state = inner.appendChild(document.createElement("span"));
    state.className = `state ${finding.level === "error" ? "bad" : "warn"}`;
    state.textContent = finding.level === "error" ? "Error" : "Warning";
    if (finding.line) {
      const link = document.createElement("a");
      link.href = "#source";
      link.textContent = `Line ${finding.line}`;
      link.dataset.line = finding.line;
      inner.append(" ", link);
    }
    const hint = finding.hint ? `: ${finding.hint}` : "";
    const text = `${finding.message}${hint}.`;
    inner.appendChild(document.createElement("p")).textContent = text[0].toUpperCase() + text.slice(1);
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
    title.textContent = found.length ? `${found.length} ${found.length === 1 ? "remark" : "remarks"}` : "Nothing is wrong";
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
  form.addEventListener("submit", () => { saved = area.value; });
  addEventListener("beforeunload", (event) => {
    if (area.value !== saved) event.preventDefault();
  });
});
