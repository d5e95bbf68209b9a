// A page that opens at its top is painted before what is below the window is styled and laid out. That follows at once, a
// little in each frame. Where the browser has a place to find again, all is laid out before.
let timed = (type) => performance.getEntriesByType(type)[0];
let arrival = timed("navigation");
if (arrival?.type === "navigate" && !(arrival.name + location.hash).includes("#") && !timed("paint")) {
  let room = 2 * screen.height;
  let fits = ({ textContent }) => (room -= textContent.length) > 0;
  let parts = all(".tp-prose > :not(.tp-endpoint), .tp-endpoint-body > *").filter((part) => !fits(part));
  let turn = (part) => part.toggleAttribute("data-later");
  parts.map(turn);
  let layOut = () => {
    room = 500;
    let part;
    do (part = parts.shift()) && turn(part); while (part && fits(part));
    if (part) requestAnimationFrame(layOut);
  };
  new PerformanceObserver(() => requestAnimationFrame(layOut)).observe({ type: "paint" });
  // Who is quicker moves in a page that has its full height. What a script has scrolled to stays where it is.
  let now = () => {
    if (!parts[0]) return;
    let seen = parts.find((part) => topOf(part) > 0) ?? root;
    let top = topOf(seen);
    parts.splice(0).map(turn);
    scrollBy(0, topOf(seen) - top);
  };
  for (let type of ["keydown", "pointerdown", "touchstart", "wheel", "scroll"]) addEventListener(type, now, { once: true, passive: true });
}
