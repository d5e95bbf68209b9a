// Passkeys: the browser's own dialogue, between a question of the service and its answer.
const bytes = (text) => Uint8Array.from(atob(text.replaceAll("-", "+").replaceAll("_", "/")), (sign) => sign.charCodeAt(0));
const text = (data) => data ? btoa(String.fromCharCode(...new Uint8Array(data))).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "") : null;
const known = (list) => (list || []).map((one) => ({ ...one, id: bytes(one.id) }));

async function post(path, value) {
  const answer = await fetch(path, { method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify(value) });
  const found = await answer.json().catch(() => ({ error: "The service did not answer as expected. Reload the page." }));
  if (found.error) throw new Error(found.error);
  return found;
}

async function create() {
  const label = document.getElementById("label").value;
  const asked = await post("/account/passkeys/ask", {});
  const made = await navigator.credentials.create({ publicKey: {
    ...asked, challenge: bytes(asked.challenge), user: { ...asked.user, id: bytes(asked.user.id) },
    excludeCredentials: known(asked.excludeCredentials) } });
  return post("/account/passkeys", { label, answer: { id: made.id, rawId: text(made.rawId), type: made.type, response: {
    clientDataJSON: text(made.response.clientDataJSON), attestationObject: text(made.response.attestationObject) } } });
}

async function sign(button) {
  const asked = await post("/sign-in/passkey/ask", {});
  const signed = await navigator.credentials.get({ publicKey: {
    ...asked, challenge: bytes(asked.challenge), allowCredentials: known(asked.allowCredentials) } });
  const next = encodeURIComponent(button.dataset.next || "/");
  return post(`/sign-in/passkey?next=${next}`, { id: signed.id, rawId: text(signed.rawId), type: signed.type, response: {
    clientDataJSON: text(signed.response.clientDataJSON), authenticatorData: text(signed.response.authenticatorData),
    signature: text(signed.response.signature), userHandle: text(signed.response.userHandle) } });
}

const said = (error) => error.name === "InvalidStateError" ? "This device has a passkey for this account already."
  : error.name === "NotAllowedError" ? "The passkey was not given. Try again, or use your password." : error.message;

for (const button of document.querySelectorAll("[data-passkey]")) {
  const wrong = button.closest(".needs-script").querySelector(".error");
  if (!window.PublicKeyCredential) {
    button.disabled = true;
    wrong.textContent = "This browser knows no passkeys here: they need HTTPS, or localhost.";
    wrong.hidden = false;
  }
  button.addEventListener("click", async () => {
    button.disabled = true;
    wrong.hidden = true;
    try {
      location.assign((await (button.dataset.passkey === "create" ? create : sign)(button)).next);
    } catch (error) {
      wrong.textContent = said(error);
      wrong.hidden = false;
      button.disabled = false;
    }
  });
}
