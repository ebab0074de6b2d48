import { useMe } from "@portico/app-shell";
import { useQuery } from "@tanstack/react-query";
import { useIdentity } from "./identity.ts";

const shownMembers = 200;
const minutes = 5 * 60_000;

export interface Person {
  readonly userId: string;
  readonly name: string;
}

/** The members of the active organization whose name or address contains the text, at most 200; undefined where the user may not read them. */
export function useMembers(text = ""): readonly Person[] | undefined {
  const api = useIdentity();
  const { organizationId } = useMe();
  const q = text.trim();
  return useQuery({
    queryKey: ["members", organizationId, q],
    enabled: organizationId !== null,
    staleTime: minutes,
    retry: false,
    queryFn: async ({ signal }) => {
      const { items } = await api.get("/api/auth/organizations/{organizationId}/members", {
        path: { organizationId: organizationId ?? "" },
        query: { limit: shownMembers, ...(q && { q }) },
        signal,
      });
      return items.map(({ userId, user }) => ({ userId, name: user?.displayName || userId }));
    },
  }).data;
}
