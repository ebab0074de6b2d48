import { useQuery } from "@tanstack/react-query";
import { useTitles } from "./titles.ts";
import { useIdentity, useReadServices, whole, type Permission, type Service } from "../service.ts";

/** What can be done at a service, in words. */
export interface ServiceCatalog {
  readonly service: Service;
  readonly permissions: readonly Permission[];
}

/** Reads what can be done at each service. Services without permissions are left out; `refetch` reads again whatever failed. */
export function useCatalog(): { data: readonly ServiceCatalog[] | undefined; error: unknown; refetch: () => void } {
  const api = useIdentity();
  const services = useReadServices();
  const { titleOf } = useTitles();
  const permissions = useQuery({
    queryKey: ["/api/auth/permissions"],
    staleTime: 300_000,
    queryFn: async ({ signal }) => (await whole(api.get("/api/auth/permissions", { signal }))).items as Permission[],
  });
  const failed = [services, permissions].filter(({ data, error }) => !data && error);
  const data =
    services.data && permissions.data
      ? services.data.flatMap((service) => {
          const list = permissions.data
            .filter(({ permission }) => permission.startsWith(`${service.service_id}.`))
            .map((each) => ({ ...each, title: titleOf(each) }));
          return list.length ? [{ service, permissions: list }] : [];
        })
      : undefined;
  return { data, error: failed[0]?.error, refetch: () => failed.forEach(({ refetch }) => void refetch()) };
}

/** "Export contacts", by `crm.contacts:export`; the name itself where nobody says more. */
export const titleOf = (catalog: readonly ServiceCatalog[] | undefined, permission: string): string =>
  catalog?.flatMap(({ permissions }) => permissions).find((each) => each.permission === permission)?.title ?? permission;
