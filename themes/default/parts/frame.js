// An image alone, in the browser's own dialog: Escape, the button and a click on the image close it.
export let run = (_, { all, find, make }) => {
  let show = (link, close) => {
    let { src, alt, naturalWidth, naturalHeight } = find("img", link);
    let image = make("img", { src, alt });
    if (naturalWidth) Object.assign(image, { width: naturalWidth, height: naturalHeight });
    let button = make("button", { type: "button", textContent: close });
    let dialog = make("dialog", { className: "tp-zoomed", ariaLabel: alt }, image, button);
    dialog.onclick = () => dialog.close();
    dialog.onclose = () => dialog.remove();
    document.body.append(dialog);
    dialog.showModal();
  };
  for (let frame of all(".tp-frame")) {
    for (let link of all(".tp-zoom", frame)) {
      link.ariaHasPopup = "dialog";
      link.onclick = (event) => {
        if (event.ctrlKey || event.metaKey || event.shiftKey || event.altKey) return;
        event.preventDefault();
        show(link, frame.dataset.close);
      };
    }
  }
};
