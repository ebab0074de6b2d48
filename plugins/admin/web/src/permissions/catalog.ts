import { useQueries } from "@tanstack/react-query";
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
  return useQueries({
    queries: (services ?? []).map((service) => ({
      queryKey: ["/api/auth/services", service.service_id, "permissions"],
      staleTime: 300_000,
      queryFn: async ({ signal }: { signal: AbortSignal }): Promise<ServiceCatalog> => ({
        service,
        permissions: (await whole(api.get("/api/auth/services/{service_id}/permissions", { path: { service_id: service.service_id }, signal }))).items as Permission[],
      }),
    })),
    combine: (found) => (services && found.every(({ isPending }) => !isPending) ? found.flatMap(({ data }) => (data && data.permissions.length ? [{ ...data, permissions: data.permissions.map((each) => ({ ...each, title: titleOf(each) })) }] : [])) : undefined),
  });
}

/** "Export contacts", by `crm.contacts:export`; the name itself where nobody says more. */
export const titleOf = (catalog: readonly ServiceCatalog[] | undefined, permission: string): string => catalog?.flatMap(({ permissions }) => permissions).find((each) => each.permission === permission)?.title ?? permission;
