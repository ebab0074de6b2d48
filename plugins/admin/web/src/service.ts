import { useApi, useMe } from "@portico/app-shell";
import type { Api } from "@portico/api";
import { useQuery } from "@tanstack/react-query";
import type { components, paths } from "./identity.d.ts";

type Schemas = components["schemas"];

/** An answer holds every member; the schemas say what may be left out of what is sent. */
export type Whole<T> = T extends readonly (infer E)[]
  ? Whole<E>[]
  : T extends object
    ? { [K in keyof T]-?: Whole<Exclude<T[K], undefined>> }
    : T;

export type Agent = Whole<Schemas["Agent"]>;
export type ApiKey = Whole<Schemas["ApiKey"]>;
export type AuditEvent = Whole<Schemas["AuditEvent"]>;
export type Consent = Whole<Schemas["Consent"]>;
export type Domain = Whole<Schemas["OrganizationDomain"]>;
export type Explanation = Whole<Schemas["PermissionExplanation"]>;
export type Inspection = Whole<Schemas["PermissionInspection"]>;
export type Invitation = Whole<Schemas["Invitation"]>;
export type LinkedAccount = Whole<Schemas["LinkedAccount"]>;
export type Membership = Whole<Schemas["Membership"]>;
export type OAuthClient = Whole<Schemas["OAuthClient"]>;
export type Organization = Whole<Schemas["Organization"]>;
export type Override = Whole<Schemas["PermissionOverride"]>;
export type Passkey = Whole<Schemas["Passkey"]>;
export type Permission = Whole<Schemas["Permission"]>;
export type RecoveryEmail = Whole<Schemas["RecoveryEmailView"]>;
export type Role = Schemas["Role"];
export type Service = Whole<Schemas["Service"]>;
export type ServiceAccess = Whole<Schemas["ServiceAccess"]>;
export type ServiceScopes = Whole<Schemas["ServiceScopes"]>;
export type Session = Whole<Schemas["Session"]>;
export type User = Whole<Schemas["User"]>;
export type Webhook = Whole<Schemas["WebhookEndpoint"]>;
export type WebhookDelivery = Whole<Schemas["WebhookDelivery"]>;

/** identity's rows as this origin has them: all below `/api/auth/`. */
type Gateway = {
  [K in keyof paths as K extends `/api/auth/${string}` ? K : K extends `/api/${infer Rest}` ? `/api/auth/${Rest}` : never]: paths[K];
};

/** The calls of identity, by way of this origin. */
export const useIdentity = (): Api<Gateway> => useApi<Gateway>();

/** An answer as what it is; see `Whole`. */
export const whole = <T>(answer: Promise<T>): Promise<Whole<T>> => answer as Promise<Whole<T>>;

/** Roles of an organization, the least first. */
export const roles: readonly Role[] = ["guest", "member", "admin", "super_admin", "owner"];
export const rank = (role: string): number => roles.indexOf(role as Role);

const minute = 60_000;
/** The most that a list gives at once; what an organization has more of is searched for. */
export const most = 200;

/** The rights of the person at identity in the active organization, as they are read. An operator has them all. */
export function useReadRights() {
  const api = useIdentity();
  const { user, organizationId, revision } = useMe();
  return useQuery<Inspection, Error, (permission: string) => boolean>({
    // The shell asks for the same.
    queryKey: ["rights", user.id, organizationId, revision, "identity"],
    staleTime: 5 * minute,
    // What stands on a page stays while rights are read anew: nothing that is typed goes with them.
    placeholderData: (before, query) => (query?.queryKey[1] === user.id && query.queryKey[2] === organizationId ? before : undefined),
    queryFn: ({ signal }) =>
      whole(api.get("/api/auth/users/{userId}/permissions", { path: { userId: user.id }, query: { service_id: "identity" }, signal })),
    select:
      ({ effectivePermissions }) =>
      (permission: string) =>
        effectivePermissions.includes(`identity.${permission}`),
  });
}

/** The rights where they decide on a part of a page; `undefined` until they are read. */
export const useRights = (): ((permission: string) => boolean) | undefined => useReadRights().data;

/** The services that there are as they are read, by their names. */
export function useReadServices() {
  const api = useIdentity();
  return useQuery({
    queryKey: ["/api/auth/services"],
    staleTime: 5 * minute,
    queryFn: async ({ signal }) =>
      (await whole(api.get("/api/auth/services", { query: { limit: most }, signal }))).items.sort((a, b) => a.name.localeCompare(b.name)),
  });
}
export const useServices = (): readonly Service[] | undefined => useReadServices().data;

/** The members of the active organization, where they may be read. */
export function useMembers(wanted = true): readonly Membership[] | undefined {
  const api = useIdentity();
  const { organizationId } = useMe();
  const path = membersOf(organizationId ?? "");
  return useQuery({
    queryKey: [path, "names"],
    staleTime: minute,
    enabled: wanted && organizationId !== null,
    queryFn: async ({ signal }) =>
      (
        await whole(
          api.get("/api/auth/organizations/{organizationId}/members", {
            path: { organizationId: organizationId ?? "" },
            query: { limit: most },
            signal,
          }),
        )
      ).items,
  }).data;
}

export const membersOf = (organizationId: string): string => `/api/auth/organizations/${organizationId}/members`;

export const clientsPath = "/api/auth/oauth-clients";
