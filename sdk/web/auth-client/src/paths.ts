const longestPath = 2_000;
/** What one path may not hold, as it stands and decoded: another host, a backslash, control characters. */
const unsafe = /^[^/]|^\/[/\\]|[\\\u0000-\u001f\u007f]/;

/**
 * `value` when it is a path of this origin (`/contacts?q=ada`), else `home`: what came in an address decides only where in the app one lands. Also
 * dropped: paths of more than 2,000 characters, and paths that lead elsewhere once they are decoded, once or twice, or once their dot segments are resolved.
 *
 * @example
 * console.log(localPath("/contacts/con_1", "/dashboard")); // "/contacts/con_1"
 * console.log(localPath("//evil.example", "/dashboard")); // "/dashboard"
 */
export function localPath(value: string | null | undefined, home = "/"): string {
  if (!value || value.length > longestPath || unsafe.test(value)) return home;
  let path = value.split(/[?#]/, 1)[0] ?? "";
  for (let times = 0; times < 3; ++times) {
    try {
      // The browser makes `//x` of `/.//x`.
      if (unsafe.test(path) || new URL(path, "https://here.invalid").pathname.startsWith("//")) return home;
      path = decodeURIComponent(path);
    } catch {
      return home;
    }
  }
  return value;
}
