/**
 * Whether a list of permissions holds one. Those that are held may have wildcards, in three forms: `crm.*:*`, `crm.contacts:*`, `crm.*:read`; the
 * one that is asked for is a whole one (`crm.contacts:read`), and anything else is not held.
 *
 * @example
 * console.log(allows(["crm.contacts:*"], "crm.contacts:write")); // true
 * console.log(allows(["crm.*:read"], "crm.contacts:write")); // false
 */
export function allows(held: Iterable<string>, wanted: string): boolean {
  const [, service, resource, action] = /^([a-z][a-z0-9-]*)\.([^:*\s]+):([^:*\s]+)$/.exec(wanted) ?? [];
  if (!service) return false;
  const fits = new Set([wanted, `${service}.*:*`, `${service}.${resource}:*`, `${service}.*:${action}`]);
  for (const each of held) if (fits.has(each)) return true;
  return false;
}
