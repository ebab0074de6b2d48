import type { NativeApp } from "@portico/app-shell";

/**
 * What a mobile shell puts into the page as `window.PorticoShell` before any script of the page runs. Version 1 has these functions, later versions
 * keep them. Service ids, paths, a scope and a number cross it, never a token or a code.
 */
interface PorticoShell {
  readonly version: number;
  launch(serviceId: string, returnTo: string | null): void;
  signOut(scope: "browser" | "everywhere"): void;
  badge(openActions: number): void;
}

const found = (globalThis as { PorticoShell?: Partial<PorticoShell> }).PorticoShell;
const bridge = typeof found?.version === "number" && found.version >= 1 ? (found as PorticoShell) : undefined;

/** The mobile shell around the pages, if there is one. */
export const native: NativeApp | undefined = bridge && {
  launch: (service, returnTo) => bridge.launch(service, returnTo || null),
  signedOut: (scope) => bridge.signOut(scope),
};

/** Shows the number of open actions on the icon of the mobile shell. */
export const showBadge = (openActions: number): void => bridge?.badge(openActions);
