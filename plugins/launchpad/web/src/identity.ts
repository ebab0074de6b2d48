import { useApi } from "@portico/app-shell";
import type { Api } from "@portico/api";
import { useQuery } from "@tanstack/react-query";

/** The rows of identity that the settings use, by way of this origin (`/api/auth/`). */
interface Operation<Response, Path = undefined, Body = undefined, Query = undefined> {
  parameters: { path: Path; query?: Query };
  requestBody: Body extends undefined ? undefined : { content: { "application/json": Body } };
  responses: { 200: { content: { "application/json": Response } } };
}

interface Page<T> {
  items: T[];
}

export interface RecoveryEmail {
  status: "missing" | "pending" | "verified";
  maskedEmail: string | null;
  pendingMaskedEmail: string | null;
  verifiedAt: string | null;
  resendAvailableAt: string | null;
}

export interface ApiKey {
  id: string;
  name: string;
  prefix: string;
  last4: string;
  owner_type: "user" | "organization";
  status: "active" | "rotating" | "disabled" | "revoked" | "expired" | "blocked";
  grants: { service_id: string; scopes: string[] }[];
  expiresAt: string | null;
  lastUsedAt: string | null;
}

export type HouseholdRole = "manager" | "adult" | "child" | "viewer";

export interface HouseholdMember {
  userId: string;
  displayName: string;
  role: HouseholdRole;
  version: number;
}

export interface Household {
  id: string;
  name: string;
  myRole: HouseholdRole;
  memberCount: number;
  members: HouseholdMember[];
  version: number;
}

export interface HouseholdInvitation {
  id: string;
  email: string;
  role: HouseholdRole;
  status: string;
  expiresAt: string;
}

interface Rows {
  "/api/auth/me/recovery-email": {
    get: Operation<RecoveryEmail>;
    put: Operation<RecoveryEmail, undefined, { email: string }>;
    delete: Operation<undefined>;
  };
  "/api/auth/me/recovery-email/verify": { post: Operation<RecoveryEmail, undefined, { code: string }> };
  "/api/auth/me/recovery-email/resend": { post: Operation<RecoveryEmail, undefined, object> };
  "/api/api-keys": {
    get: Operation<Page<ApiKey>, undefined, undefined, { limit?: number; service_id?: string }>;
    post: Operation<
      { apiKey: ApiKey; key: string },
      undefined,
      {
        name: string;
        environment: "live";
        owner_type: string;
        owner_id: string;
        grants: { service_id: string; scopes: string[]; resources: [] }[];
        expiresAt: string | null;
      }
    >;
  };
  "/api/api-keys/{id}": { delete: Operation<undefined, { id: string }> };
  "/api/households": { get: Operation<Page<Household>>; post: Operation<Household, undefined, { name: string }> };
  "/api/households/{householdId}": {
    get: Operation<Household, { householdId: string }>;
    patch: Operation<Household, { householdId: string }, { name: string }>;
    delete: Operation<undefined, { householdId: string }>;
  };
  "/api/households/{householdId}/invitations": {
    get: Operation<Page<HouseholdInvitation>, { householdId: string }>;
    post: Operation<HouseholdInvitation, { householdId: string }, { email: string; role: HouseholdRole }>;
  };
  "/api/households/{householdId}/invitations/{invitationId}": {
    delete: Operation<undefined, { householdId: string; invitationId: string }>;
  };
  "/api/households/{householdId}/members/{userId}": {
    patch: Operation<HouseholdMember, { householdId: string; userId: string }, { role: HouseholdRole }>;
    delete: Operation<undefined, { householdId: string; userId: string }>;
  };
  "/api/auth/organizations/{organizationId}/members": {
    get: Operation<
      Page<{ userId: string; user: { displayName: string } | null }>,
      { organizationId: string },
      undefined,
      { limit?: number; q?: string }
    >;
  };
  "/api/auth/invitations/{id}/accept": { post: Operation<{ organizationId: string }, { id: string }, object> };
  "/api/auth/invitations/{id}/decline": { post: Operation<undefined, { id: string }, object> };
  "/api/household-invitations/{token}/accept": { post: Operation<{ householdId: string }, { token: string }, object> };
  "/api/household-selection": { put: Operation<{ selectedHouseholdId: string | null }, undefined, { selectedHouseholdId: string | null }> };
}

/** The calls of identity. */
export const useIdentity = (): Api<Rows> => useApi<Rows>();

export const recoveryKey = ["/api/auth/me/recovery-email"];

export function useRecoveryEmail() {
  const api = useIdentity();
  return useQuery({ queryKey: recoveryKey, queryFn: ({ signal }) => api.get("/api/auth/me/recovery-email", { signal }) });
}

export const householdsKey = ["/api/households"];
