// What readers seldom do: copy the page or the address of a heading, load an embed, and dismiss an announcement.
let style = new CSSStyleSheet();
style.replaceSync(
  "@layer tp-components {" +
  ".tp-toast { background: var(--tp-text); border-radius: var(--tp-radius); box-shadow: 0 0.5rem 1.5rem var(--tp-shadow);" +
  " color: var(--tp-bg); font-size: 0.9375rem; inset-block-end: 1.5rem; inset-inline: 0; margin-inline: auto;" +
  " inline-size: fit-content; max-inline-size: calc(100% - 2rem); padding: 0.5rem 1rem; pointer-events: none; position: fixed; z-index: 20; }" +
  "@media print { .tp-toast { display: none; } }" +
  "@media (prefers-reduced-motion: no-preference) {" +
  ".tp-toast { transition: opacity 0.15s, translate 0.15s; @starting-style { opacity: 0; translate: 0 0.5rem; } } } }",
);
document.adoptedStyleSheets.push(style);

// The element that speaks to screen readers is shown for a moment.
let timer;
let toast = (live, text) => {
  clearTimeout(timer);
  live.className = "tp-toast";
  live.textContent = text;
  timer = setTimeout(() => {
    live.className = "tp-hidden";
    live.textContent = "";
  }, 2000);
};

// Some browsers let a page write what is still being fetched only when it is promised within the click.
let copyFetched = async (text, copy) => {
  try {
    let blob = text.then((got) => new Blob([got], { type: "text/plain" }));
    await navigator.clipboard.write([new ClipboardItem({ "text/plain": blob })]);
  } catch {
    await copy(await text);
  }
};
let fetched = async (address) => {
  let answer = await fetch(address);
  if (!answer.ok) throw new Error(answer.statusText);
  return answer.text();
};

let TOOLS = {
  // The twin can be read where it cannot be copied.
  page: async ({ dataset: { twin } }, { copy, live, words }) => {
    try {
      await copyFetched(fetched(twin), copy);
      toast(live, words.copied);
    } catch {
      location.assign(twin);
    }
  },
  heading: async (link, { copy, live, words }) => {
    // The keyboard goes on from here, whatever copying does to the focus.
    link.focus({ preventScroll: true });
    try {
      await copy(link.href);
      toast(live, words.link_copied);
    } catch { /* The address is in the browser's bar. */ }
  },
  embed: (button, { make }) => {
    let { embed, title } = button.closest(".tp-embed").dataset;
    let frame = make("iframe", { title, allow: "fullscreen" });
    frame.sandbox = "allow-scripts allow-same-origin allow-popups allow-presentation allow-forms";
    frame.referrerPolicy = "strict-origin-when-cross-origin";
    frame.src = embed;
    button.parentElement.replaceChildren(frame);
    frame.focus();
  },
  // The page remembers which announcement it was: another one is shown again.
  dismiss: (_, { find, keep, root }) => {
    keep("localStorage", "tp-note", root.dataset.note);
    root.classList.add("tp-noted");
    find("main").focus({ preventScroll: true });
  },
};
export let use = (element, kit) => TOOLS[element.dataset.tool ?? "heading"](element, kit);
