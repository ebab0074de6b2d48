// The page talks to the same interface as everybody else: sign in, list, add, delete.
const element = (id) => document.getElementById(id);
let token = null; // in memory only: it ends with the page
let cursor = null;

function showSignedIn(signedIn) {
  if (!signedIn) token = cursor = null;
  element("sign-in").hidden = signedIn;
  element("notes").hidden = !signedIn;
  element("list").replaceChildren();
}

async function call(method, path, body) {
  const headers = { ...(token && { Authorization: `Bearer ${token}` }), ...(body && { "Content-Type": "application/json" }) };
  const response = await fetch(path, { method, headers, body: body && JSON.stringify(body) });
  const answer = response.status === 204 ? null : await response.json();
  if (response.status === 401) showSignedIn(false); // the token has run out
  if (!response.ok)
    throw new Error(answer.errors?.map((each) => `${each.field}: ${each.message}`).join(", ") || answer.detail || answer.title);
  return answer;
}

/// What was typed, as the API takes it; what is empty is left out.
function valuesOf(form) {
  const values = {};
  for (const { name, type, value, checked } of form.elements) {
    if (!name || (value === "" && type !== "checkbox")) continue;
    values[name] = type === "checkbox" ? checked : type === "number" ? Number(value) : value;
  }
  return values;
}

function show(note, first) {
  const item = document.createElement("li");
  const title = item.appendChild(document.createElement("h2"));
  const text = item.appendChild(document.createElement("p"));
  const remove = item.appendChild(document.createElement("button"));
  title.textContent = note.title; // never as HTML: people write what they like
  text.textContent = note.text;
  remove.textContent = "Delete";
  remove.setAttribute("aria-label", `Delete ${note.title}`);
  remove.addEventListener(
    "click",
    tell(async () => {
      await call("DELETE", `/api/notes/${note.id}`);
      item.remove();
    }),
  );
  if (first) element("list").prepend(item);
  else element("list").append(item);
}

async function load() {
  const page = await call("GET", `/api/notes?limit=50${cursor ? `&cursor=${encodeURIComponent(cursor)}` : ""}`);
  page.items.forEach((note) => show(note, false));
  cursor = page.nextCursor;
  element("more").hidden = cursor === null;
}

/// Runs what an event asks for; what goes wrong is said on the page.
function tell(work) {
  return async (event) => {
    event.preventDefault();
    element("problem").hidden = true;
    try {
      await work(event.currentTarget ?? event.target);
    } catch (error) {
      element("problem").textContent = error.message;
      element("problem").hidden = false;
    }
  };
}

element("sign-in").addEventListener(
  "submit",
  tell(async (form) => {
    const credentials = { ...Object.fromEntries(new FormData(form)), service_id: document.body.dataset.service };
    token = (await call("POST", "/api/auth/login", credentials)).access_token;
    form.reset();
    showSignedIn(true);
    await load();
  }),
);

element("write").addEventListener(
  "submit",
  tell(async (form) => {
    show(await call("POST", "/api/notes", valuesOf(form)), true);
    form.reset();
  }),
);

element("more").addEventListener("click", tell(load));
