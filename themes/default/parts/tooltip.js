// Escape closes what a word says, until the reader comes back to it. What it says stays within the window, and does not
// cover the word.
export let run = (_, { all, find, root }) => {
  let words = all(".tp-tooltip");
  addEventListener("keydown", ({ key }) => {
    if (key === "Escape") for (let word of words) word.dataset.closed = "";
  });
  for (let word of words) {
    let tip = find(".tp-tooltip-tip", word);
    let fit = () => {
      tip.style.translate = "";
      tip.removeAttribute("data-above");
      let { left, right, top } = tip.getBoundingClientRect();
      tip.toggleAttribute("data-above", word.getBoundingClientRect().bottom > top + 8);
      let over = Math.max(right - root.clientWidth + 8, 0) || Math.min(left - 8, 0);
      if (over) tip.style.translate = `${-over}px`;
    };
    let open = () => {
      delete word.dataset.closed;
      fit();
    };
    word.onmouseenter = open;
    word.addEventListener("focusin", open);
    // Some browsers do not give the focus to a button that is clicked.
    find("button", word).onclick = ({ target }) => target.closest("button").focus();
  }
};
