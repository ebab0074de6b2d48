import { useTexts } from "@portico/app-shell";
import type { Permission, ServiceScopes } from "../service.ts";

const keyOf = (permission: string): string => `permission.${permission}`;

/**
 * What permissions, and scopes of keys, open: in the person's language where the catalog names them, as it does for the services that come with Portico,
 * else in the words of the service itself.
 */
export function useTitles() {
  const { t, has } = useTexts();
  return {
    titleOf: ({ permission, title }: Pick<Permission, "permission" | "title">): string => (has(keyOf(permission)) ? t(keyOf(permission)) : title || permission),
    scopeOf: ({ scope, title, permissions }: ServiceScopes["scopes"][number]): string => (permissions.length && permissions.every((each) => has(keyOf(each))) ? permissions.map((each) => t(keyOf(each))).join(", ") : title || scope),
  };
}
