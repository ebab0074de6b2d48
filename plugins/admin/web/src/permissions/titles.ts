import { useTexts } from "@portico/app-shell";
import { useServices, type Permission, type ServiceScopes } from "../service.ts";

/** What permissions, and scopes of keys, open: in the person's language where the service says it in that, else in its English. */
export function useTitles() {
  const { locale } = useTexts();
  const services = useServices();
  const said = (service: string, list: "permissions" | "apiKeyScopes", name: string): string | undefined => {
    const texts = services?.find((each) => each.service_id === service)?.texts ?? {};
    return (texts[locale] ?? texts[locale.split("-")[0] ?? ""])?.[list]?.[name]?.title;
  };
  const permission = (name: string) => said(name.slice(0, name.indexOf(".")), "permissions", name);
  return {
    titleOf: (each: Pick<Permission, "permission" | "title">): string => permission(each.permission) || each.title || each.permission,
    scopeOf: (service: string, { scope, title, permissions }: ServiceScopes["scopes"][number]): string => {
      const named = permissions.map(permission);
      return said(service, "apiKeyScopes", scope) || (named.length && named.every(Boolean) ? named.join(", ") : title || scope);
    },
  };
}
