import { expect, test } from "vitest";
import { match } from "../src/router.tsx";

test.each([
  ["/contacts", "/contacts", {}],
  ["/contacts", "/contacts/", {}],
  ["/contacts/:id", "/contacts/con_1", { id: "con_1" }],
  ["/contacts/:id", "/contacts/a%2Fb", { id: "a/b" }],
  ["/contacts/:id", "/contacts/%E0%A4%A", { id: "%E0%A4%A" }],
  ["/settings/*", "/settings/tags/7", { "*": "tags/7" }],
  ["/settings/*", "/settings", { "*": "" }],
  ["/contacts/:id", "/contacts/", null],
  ["/contacts", "/contacts/con_1", null],
  ["/contacts/:id", "/pipeline/con_1", null],
])("%s and %s", (pattern, path, members) => expect(match(pattern, path)).toEqual(members));
