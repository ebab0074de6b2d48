// Sends requests from the page and shows what comes back.

import { copyButton, element, highlight } from "./dom.js";
import { example } from "./schema.js";

function credentialHeaders(credential) {
  if (!credential.value) return {};
  return credential.kind === "key" ? { "X-Api-Key": credential.value } : { Authorization: `Bearer ${credential.value}` };
}

const usesCookies = (operation) => (operation.security ?? []).some((scheme) => "cookie" in scheme);

// Method, address, headers and body of what the form says now.
function assemble(operation, fields, credential) {
  let path = operation.path;
  const query = new URLSearchParams();
  const headers = operation.security?.length === 0 ? {} : credentialHeaders(credential);
  if (usesCookies(operation)) headers["X-Platform-Auth"] = "1";
  for (const { parameter, input } of fields.parameters) {
    const value = input.value.trim();
    if (parameter.in === "path") path = path.replace(`{${parameter.name}}`, encodeURIComponent(value));
    else if (value && parameter.in === "query") query.set(parameter.name, value);
    else if (value && parameter.in === "header") headers[parameter.name] = value;
  }
  let body;
  if (fields.file) body = fields.file.files[0];
  else if (fields.body) body = fields.body.value;
  if (fields.body) headers["Content-Type"] = "application/json";
  const search = query.toString();
  return { method: operation.method.toUpperCase(), url: path + (search ? `?${search}` : ""), headers, body };
}

const shellQuote = (text) => `'${text.replaceAll("'", "'\\''")}'`;

function asCurl(request) {
  const lines = [`curl -X ${request.method} ${shellQuote(location.origin + request.url)}`];
  // The credential stays out of what is copied: clipboards and shell histories keep secrets too long.
  for (const [name, value] of Object.entries(request.headers)) {
    const shown =
      name === "Authorization"
        ? '"Authorization: Bearer $TOKEN"'
        : name === "X-Api-Key"
          ? '"X-Api-Key: $KEY"'
          : shellQuote(`${name}: ${value}`);
    lines.push(`-H ${shown}`);
  }
  if (request.body instanceof File) lines.push(`--data-binary @${shellQuote(request.body.name)}`);
  else if (request.body) lines.push(`-d ${shellQuote(request.body)}`);
  return lines.join(" \\\n  ");
}

function parameterField(parameter, resolve, prefix) {
  const schema = resolve(parameter.schema);
  const id = `${prefix}-${parameter.in}-${parameter.name}`;
  const input = schema.enum
    ? element(
        "select",
        { id },
        !parameter.required && element("option", { value: "" }, "—"),
        schema.enum.map((value) => element("option", { value }, String(value))),
      )
    : element("input", { id, required: parameter.required, spellcheck: "false", autocomplete: "off", placeholder: schema.default ?? "" });
  const label = element(
    "label",
    { for: id },
    element("code", {}, parameter.name),
    element("span", { class: "muted" }, ` ${parameter.in}`),
    parameter.required && element("span", { class: "flag required" }, "required"),
  );
  return { parameter, input, view: element("div", { class: "field" }, label, input) };
}

function prettyBody(text, type) {
  if (!type.includes("json")) return [text];
  try {
    return highlight(JSON.stringify(JSON.parse(text), null, 2));
  } catch {
    return [text];
  }
}

async function describeAnswer(response, millis) {
  const type = response.headers.get("Content-Type") ?? "";
  const textual = /json|text|xml|javascript/.test(type) || type === "";
  const text = textual ? await response.text() : `${(await response.blob()).size} bytes of ${type}`;
  const headers = [...response.headers].map(([name, value]) => `${name}: ${value}`).join("\n");
  const family = Math.floor(response.status / 100);
  return [
    element(
      "div",
      { class: "answer-head" },
      element("span", { class: `status status-${family}` }, `${response.status} ${response.statusText}`),
      element("span", { class: "muted" }, `${Math.round(millis)} ms`),
      text && copyButton(text),
    ),
    text &&
      element("pre", { class: "code", tabindex: "0", "aria-label": "Body of the answer" }, element("code", {}, prettyBody(text, type))),
    element(
      "details",
      { class: "answer-headers" },
      element("summary", {}, "Headers"),
      element("pre", { class: "code", tabindex: "0" }, headers),
    ),
  ].filter(Boolean);
}

async function send(request, answer, button) {
  button.disabled = true;
  answer.setAttribute("aria-busy", "true");
  const started = performance.now();
  try {
    const response = await fetch(request.url, {
      method: request.method,
      headers: request.headers,
      body: request.body,
      credentials: "same-origin",
      redirect: "manual",
    });
    if (response.type === "opaqueredirect")
      answer.replaceChildren(element("p", { class: "notice" }, "The answer is a redirect. Browsers do not show a page where it leads to."));
    else answer.replaceChildren(...(await describeAnswer(response, performance.now() - started)));
  } catch (error) {
    answer.replaceChildren(element("p", { class: "notice failed" }, `Nothing came back: ${error.message}`));
  } finally {
    button.disabled = false;
    answer.removeAttribute("aria-busy");
  }
}

function bodyField(operation, resolve, prefix) {
  const content = operation.requestBody?.content;
  if (!content) return {};
  const id = `${prefix}-body`;
  if (!content["application/json"]) {
    const file = element("input", { id, type: "file" });
    return { file, view: element("div", { class: "field" }, element("label", { for: id }, "Body"), file) };
  }
  // Changes merge into the record: one begins empty, because whatever stands in it is written.
  const start = ["put", "patch"].includes(operation.method) ? {} : example(content["application/json"].schema, resolve);
  const text = JSON.stringify(start, null, 2);
  const body = element("textarea", { id, spellcheck: "false", rows: Math.min(18, text.split("\n").length + 1) });
  body.value = text;
  return {
    body,
    view: element(
      "div",
      { class: "field" },
      element("label", { for: id }, "Body", element("span", { class: "muted" }, " application/json")),
      body,
    ),
  };
}

export function tryIt(operation, resolve, credential) {
  const prefix = `try-${operation.operationId}`;
  const parameters = (operation.parameters ?? []).map((parameter) => parameterField(parameter, resolve, prefix));
  const { view: bodyView, ...body } = bodyField(operation, resolve, prefix);
  const fields = { parameters, ...body };
  const answer = element("div", { class: "answer", "aria-live": "polite" });
  const button = element("button", { type: "submit", class: "primary" }, "Send");
  const copyCurl = copyButton(() => asCurl(assemble(operation, fields, credential)));
  copyCurl.textContent = "Copy as curl";
  return element(
    "form",
    {
      class: "try",
      onsubmit: (event) => {
        event.preventDefault();
        send(assemble(operation, fields, credential), answer, button);
      },
    },
    element("h4", {}, "Try it"),
    parameters.length > 0 &&
      element(
        "div",
        { class: "fields" },
        parameters.map((field) => field.view),
      ),
    bodyView,
    element("div", { class: "actions" }, button, copyCurl),
    answer,
  );
}
