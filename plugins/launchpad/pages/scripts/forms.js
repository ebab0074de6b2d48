// Solves the challenge of a form when it is sent, and writes times in the zone of the browser.

// PBKDF2 over the nonce and a counter until the key has the wanted prefix.
const bytes = (hex) => Uint8Array.from(hex.match(/../g) ?? [], (two) => parseInt(two, 16));

const solve = async ({ parameters, signature }) => {
  const nonce = bytes(parameters.nonce),
    salt = bytes(parameters.salt);
  for (let counter = 0; ; ++counter) {
    const password = new Uint8Array(nonce.length + 4);
    password.set(nonce);
    new DataView(password.buffer).setUint32(nonce.length, counter);
    const key = await crypto.subtle.importKey("raw", password, "PBKDF2", false, ["deriveBits"]);
    const work = { name: "PBKDF2", hash: "SHA-256", salt, iterations: parameters.cost };
    const bits = await crypto.subtle.deriveBits(work, key, parameters.keyLength * 8);
    const derivedKey = Array.from(new Uint8Array(bits), (byte) => byte.toString(16).padStart(2, "0")).join("");
    if (derivedKey.startsWith(parameters.keyPrefix))
      return btoa(JSON.stringify({ challenge: { parameters, signature }, solution: { counter, derivedKey } }));
  }
};

const proofFor = async (purpose) => {
  const answer = await fetch(`/api/auth/human-verification?purpose=${purpose}&format=altcha`);
  if (!answer.ok) throw new Error(`status ${answer.status}`);
  return solve(await answer.json());
};

/** Shows the provider's widget, which tells the token of its visitor. */
const showWidget = (form, fail) => {
  const script = document.createElement("script"),
    keep = (token) => {
      form.elements.provider.value = "turnstile";
      form.elements.proof.value = token;
    };
  script.src = form.dataset.widget;
  script.onerror = fail;
  script.onload = () =>
    turnstile.render(form.querySelector("[data-widget-place]"), {
      sitekey: form.dataset.siteKey,
      action: form.dataset.purpose,
      language: document.documentElement.lang,
      callback: keep,
      "expired-callback": () => keep(""),
      "error-callback": fail,
    });
  document.head.append(script);
};

for (const form of document.querySelectorAll("form[data-purpose]")) {
  const button = form.querySelector("button[type=submit]"),
    problem = form.querySelector("[data-problem]");
  const wait = (waiting) => {
    button.disabled = waiting;
    form.setAttribute("aria-busy", String(waiting));
  };
  const fail = () => {
    problem.textContent = form.dataset.failed;
    problem.hidden = false;
    wait(false);
  };
  form.addEventListener("submit", async (event) => {
    event.preventDefault();
    wait(true);
    problem.hidden = true;
    try {
      if (!form.dataset.widget) form.elements.proof.value = await proofFor(form.dataset.purpose);
      if (!form.elements.proof.value) return fail();
      form.submit();
    } catch {
      fail();
    }
  });
  if (form.dataset.widget) showWidget(form, fail);
  addEventListener("pageshow", () => wait(false));
  wait(false);
  if (form.elements.timezone) form.elements.timezone.value = Intl.DateTimeFormat().resolvedOptions().timeZone;
  const shown = new Intl.DateTimeFormat(document.documentElement.lang, { dateStyle: "full", timeStyle: "short" });
  for (const option of form.querySelectorAll('select[name=slot] option[value]:not([value=""])'))
    option.textContent = shown.format(new Date(option.value));
}

const written = new Intl.DateTimeFormat(document.documentElement.lang, { dateStyle: "medium", timeStyle: "short" });
for (const time of document.querySelectorAll("time[datetime]")) time.textContent = written.format(new Date(time.dateTime));
