import { useCallback } from "react";
import type { Auth } from "@portico/auth-client";
import { useShell } from "./core.tsx";
import { createStore, useStore } from "./store.ts";
import { setDensity, setTheme, type Theme } from "./theme.ts";

type Values = Readonly<Record<string, unknown>>;
interface Preferences {
  readonly shared: Values;
  readonly services: Readonly<Record<string, Values>>;
}

const address = "/api/auth/me/preferences";
const preferences = createStore<Preferences>({ shared: {}, services: {} });
const record = (value: unknown): Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value) ? (value as Record<string, unknown>) : {};

/** Reads what the person has set; what this browser remembers of the theme follows. Where it cannot be read, what was set before stays. */
export async function loadPreferences(auth: Auth): Promise<void> {
  const response = await auth.fetch(address, { cache: "no-store" }).catch(() => null);
  if (!response?.ok) return;
  take(await response.json().catch(() => null));
}

function take(answer: unknown): void {
  const { shared, services } = record(answer);
  preferences.set({ shared: record(shared), services: record(services) as Record<string, Values> });
  show();
}

/** Lets theme and density follow what is set. */
function show(): void {
  const { theme, density } = preferences.value.shared;
  if (theme === "light" || theme === "dark" || theme === "system") setTheme(theme);
  if (typeof density === "string") setDensity(density);
}

/**
 * Something that the person has set, and follows them to every device: of this app, or with `shared` of all apps. It is set at once here, and at the
 * server when it answers; what it refuses is put back.
 *
 * @example
 * const Columns = () => {
 *   const [wide, setWide] = usePreference("wide", false);
 *   return <button type="button" aria-pressed={wide} onClick={() => setWide(!wide)} />;
 * };
 * console.log(typeof Columns);
 */
export function usePreference<T>(name: string, fallback: T, { shared = false } = {}): [T, (value: T) => void] {
  const { app, auth } = useShell();
  const all = useStore(preferences);
  const found = (shared ? all.shared : (all.services[app.service] ?? {}))[name];
  const value = typeof found === typeof fallback || (fallback === null && found !== undefined) ? (found as T) : fallback;
  const set = useCallback(
    (next: T) => {
      const before = preferences.value;
      const services = { ...before.services, [app.service]: { ...before.services[app.service], [name]: next } };
      preferences.set(shared ? { ...before, shared: { ...before.shared, [name]: next } } : { ...before, services });
      show();
      const change = shared ? { shared: { [name]: next } } : { services: { [app.service]: { [name]: next } } };
      auth.fetch(address, { method: "PATCH", body: JSON.stringify(change), headers: { "Content-Type": "application/json" } }).then(
        (response) => !response.ok && response.status < 500 && (preferences.set(before), show()),
        () => undefined,
      );
    },
    [app, auth, name, shared],
  );
  return [value, set];
}

/**
 * Sets the theme here and on all devices.
 *
 * @example
 * const Dark = () => {
 *   const choose = useThemeChoice();
 *   return <button type="button" onClick={() => choose("dark")} />;
 * };
 * console.log(typeof Dark);
 */
export const useThemeChoice = (): ((theme: Theme) => void) => usePreference<Theme>("theme", "system", { shared: true })[1];
