// Escape closes what a word says, until the reader comes back to it.
export let run = (_, { all, find }) => {
  let words = all(".tp-tooltip");
  let close = ({ key }) => {
    if (key === "Escape") for (let word of words) word.dataset.closed = "";
  };
  addEventListener("keydown", close);
  for (let word of words) {
    let open = () => delete word.dataset.closed;
    word.onmouseleave = open;
    find("button", word).onblur = open;
    // Some browsers do not give the focus to a button that is clicked.
    find("button", word).onclick = ({ target }) => target.closest("button").focus();
  }
};
