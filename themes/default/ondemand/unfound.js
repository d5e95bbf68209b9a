// Tells the server what was searched for in vain, when somebody has typed to the end: loaded only where the owner of
// the site wants to know.
let [LONGEST, PAUSE] = [100, 2000];

let [told, waiting, later] = [new Set(), ""];
let tell = () => {
  if (waiting && !told.has(waiting)) told.add(waiting), navigator.sendBeacon(new URL("searches", import.meta.url), waiting);
  waiting = "";
};
addEventListener("pagehide", tell);

// An empty text says that something was found.
export let note = (query) => {
  clearTimeout(later);
  waiting = query.trim().length > LONGEST ? "" : query.trim();
  later = setTimeout(tell, PAUSE);
};
