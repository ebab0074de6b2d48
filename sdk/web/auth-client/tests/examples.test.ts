/// <reference types="vite/client" />
import { afterEach, expect, test, vi } from "vitest";
import { answers, serverOf } from "./server.ts";

// Written by examples.mjs from the comments.
const examples = import.meta.glob("../examples/*.ts");

afterEach(() => vi.unstubAllGlobals());

test("every exported name has an example", () => expect(Object.keys(examples).length).toBeGreaterThan(15));

test.each(Object.keys(examples))("%s runs", async (path) => {
  vi.stubGlobal("location", new URL("http://crm.localhost:8080/"));
  vi.stubGlobal("fetch", serverOf(answers()));
  vi.spyOn(console, "log").mockImplementation(() => undefined);
  await examples[path]?.();
});
