/** Reading values of foreign make without believing them. */

export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

export const textOf = (value: unknown): string => (typeof value === "string" ? value : "");

export const numberOf = (value: unknown): number => (typeof value === "number" && Number.isFinite(value) ? value : 0);

export const textsOf = (value: unknown): string[] => (Array.isArray(value) ? value.filter((each) => typeof each === "string") : []);

export function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Random bytes as base64url. `crypto.randomUUID` is for secure contexts only, this is for all. */
export function randomText(bytes: number): string {
  return base64url(crypto.getRandomValues(new Uint8Array(bytes)));
}

export function base64url(bytes: Uint8Array): string {
  return btoa(String.fromCharCode(...bytes))
    .replaceAll("+", "-")
    .replaceAll("/", "_")
    .replaceAll("=", "");
}
