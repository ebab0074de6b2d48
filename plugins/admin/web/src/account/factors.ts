import { useQuery } from "@tanstack/react-query";
import { useIdentity, whole } from "../service.ts";

/** Key of the query that several parts of the page read. */
export const factorsKey = ["/api/auth/mfa"] as const;

/** The second factors of the person. */
export function useFactors() {
  const api = useIdentity();
  return useQuery({ queryKey: factorsKey, queryFn: ({ signal }) => whole(api.get("/api/auth/mfa", { signal })) });
}

export function useRecovery() {
  const api = useIdentity();
  return useQuery({
    queryKey: ["/api/auth/me/recovery-email"],
    queryFn: ({ signal }) => whole(api.get("/api/auth/me/recovery-email", { signal })),
  });
}
