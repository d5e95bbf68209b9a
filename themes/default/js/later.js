// A page that opens at its top is painted before what is below the window is styled and laid out. That follows at once, a
// little in each frame. Where the browser has a place to find again, all is laid out before.
const timed = (type) => performance.getEntriesByType(type)[0];
const arrival = timed("navigation");
if (arrival?.type === "navigate" && !(arrival.name + location.hash).includes("#") && !timed("paint")) {
  let room = 2 * screen.height;
  const fits = ({ textContent }) => (room -= textContent.length) > 0;
  const parts = all(".tp-prose > :not(.tp-endpoint), .tp-endpoint-body > *").filter((part) => !fits(part));
  for (const { style } of parts) style.cssText = "content-visibility:auto;contain-intrinsic-size:auto 20rem";
  const layOut = () => {
    room = 500;
    let part;
    do (part = parts.shift())?.removeAttribute("style"); while (part && fits(part));
    if (part) requestAnimationFrame(layOut);
  };
  new PerformanceObserver(() => requestAnimationFrame(layOut)).observe({ type: "paint" });
  // Who is quicker moves in a page that has its full height.
  const now = () => parts.splice(0).map((part) => part.removeAttribute("style"));
  for (const type of ["keydown", "pointerdown", "touchstart", "wheel"]) addEventListener(type, now, { capture: true, once: true, passive: true });
}
