// Renew the page of a job each second, part by part: focus and scroll stay where they are.
async function renew() {
  try {
    const answer = await fetch(location.pathname);
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
    document.title = now.title;
    if (!now.querySelector("[data-renew]")) return;
  } catch {
    // The service cannot be reached: perhaps in a second.
  }
  setTimeout(renew, 1000);
}
if (document.querySelector("[data-renew]")) setTimeout(renew, 1000);
