import { describe, expect, it } from "vitest";
import style from "../src/style.css?raw";
import tokens from "../../tokens/tokens.css?raw";

/** The tokens that are colours, as a theme has them. */
function colours(theme: "light" | "dark"): Record<string, string> {
  const block = theme === "light" ? /^:root \{([^}]*)\}/m : /:root\[data-theme="dark"\] \{([^}]*)\}/;
  return Object.fromEntries(
    [...(block.exec(tokens)?.[1] ?? "").matchAll(/--portico-([\w-]+): (#\w{6});/g)].map(([, name, value]) => [name ?? "", value ?? ""]),
  );
}

function luminance(colour: string): number {
  const [r = 0, g = 0, b = 0] = [1, 3, 5]
    .map((at) => Number.parseInt(colour.slice(at, at + 2), 16) / 255)
    .map((part) => (part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4));
  return 0.2126 * r + 0.7152 * g + 0.0722 * b;
}

function contrast(a: string, b: string): number {
  const [dark = 0, light = 0] = [luminance(a), luminance(b)].sort((one, other) => one - other);
  return (light + 0.05) / (dark + 0.05);
}

const SURFACES = ["background", "surface", "surface-sunken", "hover", "selected"];
const PAIRS: [text: string, on: string, least: number][] = [
  ...SURFACES.flatMap((on): [string, string, number][] => [
    ["text", on, 4.5],
    ["text-muted", on, 4.5],
    ["accent", on, 4.5],
    ["border-control", on, 3],
    ["focus", on, 3],
  ]),
  ...["background", "surface", "hover"].map((on): [string, string, number] => ["danger", on, 4.5]),
  ["on-accent", "accent", 4.5],
  ["on-accent", "accent-strong", 4.5],
  ["surface", "danger", 4.5],
  ["danger", "danger-surface", 4.5],
  ["success", "success-surface", 4.5],
  ["success", "surface", 4.5],
  ["warning", "warning-surface", 4.5],
  ["warning", "surface", 4.5],
  ["text", "warning-surface", 4.5],
];

describe.each(["light", "dark"] as const)("the %s theme", (theme) => {
  const found = colours(theme);
  it.each(PAIRS)("%s on %s has %d : 1", (text, on, least) => {
    expect([text, on].map((name) => found[name])).not.toContain(undefined);
    expect(contrast(found[text] ?? "", found[on] ?? "")).toBeGreaterThanOrEqual(least);
  });
});

it("has the same colours for who asks for dark and whose system does", () => {
  const system = /prefers-color-scheme: dark\) \{\s*:root[^{]*\{([^}]*)\}/.exec(tokens)?.[1] ?? "";
  const asked = /:root\[data-theme="dark"\] \{\s*color-scheme: dark;([^}]*)\}/.exec(tokens)?.[1] ?? "";
  const lines = (text: string): string[] =>
    text
      .split("\n")
      .map((line) => line.trim())
      .filter(Boolean);
  expect(lines(system)).toEqual(lines(asked));
  expect(lines(system).length).toBeGreaterThan(15);
});

it("says every variable that Mantine's parts read", async () => {
  const paths = [...style.matchAll(/@import "(@mantine[^"]+)"/g)].map(([, path]) => `${path}?raw`);
  const parts = (await Promise.all(paths.map((path) => import(/* @vite-ignore */ path) as Promise<{ default: string }>)))
    .map((each) => each.default)
    .join("\n");
  const read = new Set([...parts.matchAll(/var\((--mantine-[\w-]+)\)/g)].map(([, name]) => name));
  expect(read.size).toBeGreaterThan(20);
  expect([...read].filter((name) => !style.includes(`${name}:`))).toEqual([]);
});
