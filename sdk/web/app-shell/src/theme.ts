import { createMemory } from "@portico/auth-client";
import { createStore, useStore } from "./store.ts";

/**
 * What the person wants; `system` follows the computer.
 *
 * @example
 * const theme: Theme = "dark";
 * console.log(theme);
 */
export type Theme = "light" | "dark" | "system";

const dark = typeof matchMedia === "undefined" ? null : matchMedia("(prefers-color-scheme: dark)");
const memory = createMemory("portico.", () => localStorage);
const kept = memory.read("theme");
const theme = createStore<Theme>(kept === "light" || kept === "dark" ? kept : "system");
const resolved = (): "light" | "dark" => (theme.value === "system" ? (dark?.matches ? "dark" : "light") : theme.value);
const shown = createStore(resolved());
dark?.addEventListener("change", show);

function show(): void {
  shown.set(resolved());
  const { dataset } = document.documentElement;
  dataset["theme"] = dataset["mantineColorScheme"] = shown.value;
}

export function setTheme(next: Theme): void {
  theme.set(next);
  memory.write("theme", next === "system" ? "" : next);
  show();
}

export function setDensity(density: string): void {
  memory.write("density", density === "comfortable" ? "" : density);
  if (density === "comfortable") delete document.documentElement.dataset["density"];
  else document.documentElement.dataset["density"] = density;
}

/**
 * Returns the chosen theme, and which of the two is shown; the component follows.
 *
 * @example
 * const Shown = () => <span data-theme={useTheme().shown} />;
 * console.log(typeof Shown);
 */
export const useTheme = (): { theme: Theme; shown: "light" | "dark" } => ({ theme: useStore(theme), shown: useStore(shown) });
