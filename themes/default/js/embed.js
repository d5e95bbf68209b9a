// Embeds load when asked for.
for (const { dataset, firstElementChild: box } of all(".tp-embed")) {
  const button = make("button", { type: "button", className: "tp-button tp-load", ariaLabel: fitted(words.load_title, dataset.title) }, words.load);
  button.onclick = () => {
    const frame = make("iframe", { title: dataset.title, allow: "fullscreen" });
    frame.sandbox = "allow-scripts allow-same-origin allow-popups allow-presentation allow-forms";
    frame.referrerPolicy = "strict-origin-when-cross-origin";
    frame.src = dataset.embed;
    box.replaceChildren(frame);
    frame.focus();
  };
  box.append(button);
}
