// One operation of the document as a card that opens.

import { element, prose } from "./dom.js";
import { limits, schemaView, typeText } from "./schema.js";
import { tryIt } from "./tryit.js";

function accessChips(operation) {
  const schemes = (operation.security ?? []).map((scheme) => Object.keys(scheme)[0]);
  if (schemes.length === 0) return [element("span", { class: "chip open" }, "open")];
  const names = { bearer: "token", apiKey: "API key", cookie: "cookie" };
  return [
    ...schemes.map((scheme) => element("span", { class: "chip" }, names[scheme] ?? scheme)),
    operation["x-permission"] && element("span", { class: "chip permission", title: "Permission" }, operation["x-permission"]),
    operation["x-scope"] && element("span", { class: "chip scope", title: "Scope of an API key" }, operation["x-scope"]),
  ];
}

function parameterTable(parameters, resolve) {
  const row = (parameter) =>
    element(
      "tr",
      {},
      element(
        "td",
        {},
        element("code", { class: "member" }, parameter.name),
        parameter.required && element("span", { class: "flag required" }, "required"),
      ),
      element("td", {}, parameter.in),
      element(
        "td",
        {},
        element("span", { class: "type" }, typeText(parameter.schema, resolve)),
        parameter.description && element("p", { class: "member-text" }, prose(parameter.description)),
        limits(resolve(parameter.schema)) && element("p", { class: "member-text muted" }, limits(resolve(parameter.schema))),
      ),
    );
  return [
    element("h4", {}, "Parameters"),
    element(
      "div",
      { class: "table" },
      element(
        "table",
        {},
        element(
          "thead",
          {},
          element(
            "tr",
            {},
            ["Name", "In", "Type"].map((title) => element("th", { scope: "col" }, title)),
          ),
        ),
        element("tbody", {}, parameters.map(row)),
      ),
    ),
  ];
}

function responseList(operation, resolve) {
  const item = ([status, given]) => {
    const response = resolve(given);
    const [type, media] = Object.entries(response.content ?? {})[0] ?? [];
    const failed = status === "default" || status >= "4";
    return element(
      "details",
      { class: "response" },
      element(
        "summary",
        {},
        element("span", { class: `status status-${failed ? 4 : 2}` }, status === "default" ? "error" : status),
        element("span", {}, response.description ?? ""),
        type && element("span", { class: "muted small" }, type),
      ),
      media?.schema ? schemaView(media.schema, resolve) : element("p", { class: "muted" }, "No body."),
    );
  };
  const problems = operation["x-problems"] ?? [];
  return [
    element("h4", {}, "Answers"),
    Object.entries(operation.responses ?? {}).map(item),
    problems.length > 0 &&
      element(
        "p",
        { class: "problems" },
        "Errors of this operation: ",
        problems.map((problem) => element("code", { class: "chip" }, problem)),
      ),
  ];
}

function bodyParts(operation, resolve) {
  const [type, media] = Object.entries(operation.requestBody?.content ?? {})[0] ?? [];
  if (!type) return [];
  return [
    element("h4", {}, "Body", element("span", { class: "muted small" }, ` ${type}`)),
    operation.requestBody.description && element("p", { class: "muted" }, prose(operation.requestBody.description)),
    media.schema && Object.keys(media.schema).length > 0 && schemaView(media.schema, resolve),
  ];
}

function details(operation, resolve, credential) {
  const about = element(
    "div",
    { class: "about" },
    operation.description && element("p", {}, prose(operation.description)),
    operation.parameters?.length > 0 && parameterTable(operation.parameters, resolve),
    bodyParts(operation, resolve),
    responseList(operation, resolve),
  );
  return element("div", { class: "operation-body" }, about, tryIt(operation, resolve, credential));
}

export function operationCard(operation, resolve, credential) {
  const card = element(
    "details",
    { class: "operation", id: operation.operationId },
    element(
      "summary",
      {},
      element("span", { class: `method ${operation.method}` }, operation.method.toUpperCase()),
      element(
        "span",
        { class: "path" },
        operation.path.split(/(\{[^}]+\})/).map((part) => (part.startsWith("{") ? element("em", {}, part) : part)),
      ),
      element("span", { class: "summary-text" }, operation.summary && operation.summary !== operation.operationId ? operation.summary : ""),
      element("span", { class: "chips" }, accessChips(operation)),
    ),
  );
  // Hundreds of operations: each is made when it is first opened.
  card.addEventListener("toggle", () => {
    if (card.open && card.children.length === 1) card.append(details(operation, resolve, credential));
    if (card.open && location.hash !== `#${card.id}`) history.replaceState(null, "", `#${card.id}`);
  });
  return card;
}
