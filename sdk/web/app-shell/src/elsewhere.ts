import { useQueries } from "@tanstack/react-query";
import { problemOf } from "@portico/api";
import { allows, type Me } from "@portico/auth-client";
import { useShell, type Section } from "./core.tsx";

/**
 * Whether the person may see a section; undefined while what they may at another service, which its permission names (`identity.members:read`), is read.
 * Where a server fails to say it, the section is there and says so itself; what is refused is not theirs.
 */
export function useMaySee(me: Me): (section: Section) => boolean | undefined {
  const { app, api } = useShell();
  const others = [
    ...new Set(app.sections.flatMap(({ permission }) => (permission?.includes(".") ? [permission.slice(0, permission.indexOf("."))] : []))),
  ].filter((each) => each !== app.service);
  // An app that asks for the same rights shares the answer by this key.
  const elsewhere = useQueries({
    queries: others.map((service) => ({
      queryKey: ["rights", me.user.id, me.organizationId, me.revision, service],
      staleTime: 300_000,
      queryFn: async ({ signal }: { signal: AbortSignal }) => {
        const answer = await api.raw(
          `/api/auth/users/${encodeURIComponent(me.user.id)}/permissions?service_id=${encodeURIComponent(service)}`,
          { signal },
        );
        return (await answer.json()) as { effectivePermissions?: readonly string[] };
      },
    })),
    combine: (read) => ({
      isPending: read.some(({ isPending }) => isPending),
      error: read.find(({ error }) => error)?.error,
      list: read.flatMap(({ data }) => data?.effectivePermissions ?? []),
    }),
  });
  return ({ permission }) => {
    if (!permission) return true;
    const [name, here] = permission.includes(".")
      ? [permission, permission.startsWith(`${app.service}.`)]
      : [`${app.service}.${permission}`, true];
    if (here) return allows(me.permissions, name);
    if (elsewhere.isPending) return undefined;
    return (elsewhere.error && ![403, 404].includes(problemOf(elsewhere.error).status)) || allows(elsewhere.list, name);
  };
}
