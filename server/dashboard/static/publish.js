// Renew a page each second while something is under way, part by part: focus and scroll stay where they are.
// A part may say where its news are, as they come with another page.
async function renew() {
  try {
    const place = document.querySelector("[data-renew]")?.dataset.renew || location.href;
    const answer = await fetch(place);
    const now = new DOMParser().parseFromString(await answer.text(), "text/html");
    if (!now.getElementById("job-said")) return location.reload();
    now.querySelectorAll("time[datetime*=T]").forEach(toOwnTime);
    for (const part of document.querySelectorAll("[id^=job-]")) {
      const html = now.getElementById(part.id).innerHTML;
      if (part.innerHTML === html) continue;
      const focused = part.contains(document.activeElement);
      part.innerHTML = html;
      if (focused) document.getElementById("main").focus({ preventScroll: true });
    }
    if (place === location.href) document.title = now.title;
    if (!now.querySelector("[data-renew]")) return;
  } catch {
    // The service cannot be reached: perhaps in a second.
  }
  setTimeout(renew, 1000);
}
if (document.querySelector("[data-renew]")) setTimeout(renew, 1000);
