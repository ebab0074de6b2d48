import { useQuery } from "@tanstack/react-query";
import { useTitles } from "./titles.ts";
import { useIdentity, useServices, whole, type Permission, type Service } from "../service.ts";

/** What can be done at a service, in words. */
export interface ServiceCatalog {
  readonly service: Service;
  readonly permissions: readonly Permission[];
}

/** What can be done at the services that there are; undefined while it is read. Services without permissions are left out. */
export function useCatalog(): readonly ServiceCatalog[] | undefined {
  const api = useIdentity();
  const services = useServices();
  const { titleOf } = useTitles();
  const { data, isPending } = useQuery({
    queryKey: ["/api/auth/permissions"],
    staleTime: 300_000,
    queryFn: async ({ signal }) => (await whole(api.get("/api/auth/permissions", { signal }))).items as Permission[],
  });
  if (isPending) return undefined;
  return services?.flatMap((service) => {
    const permissions = (data ?? []).filter(({ permission }) => permission.startsWith(`${service.service_id}.`)).map((each) => ({ ...each, title: titleOf(each) }));
    return permissions.length ? [{ service, permissions }] : [];
  });
}

/** "Export contacts", by `crm.contacts:export`; the name itself where nobody says more. */
export const titleOf = (catalog: readonly ServiceCatalog[] | undefined, permission: string): string => catalog?.flatMap(({ permissions }) => permissions).find((each) => each.permission === permission)?.title ?? permission;
