// @vitest-environment jsdom
import { expect, test, vi } from "vitest";

// Written by examples.mjs from the comments.
const examples = import.meta.glob("../examples/*.tsx");

test("every exported name has an example", () => expect(Object.keys(examples).length).toBeGreaterThan(60));

test.each(Object.keys(examples))("%s runs", async (path) => {
  vi.spyOn(console, "log").mockImplementation(() => undefined);
  await examples[path]?.();
});
