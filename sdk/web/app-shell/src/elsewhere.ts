import { useQuery } from "@tanstack/react-query";
import { problemOf } from "@portico/api";
import { allows, type Me } from "@portico/auth-client";
import { useShell, type Section } from "./core.tsx";

/**
 * Whether the person may see a section; undefined while what they may at another service, which its permission names (`identity.members:read`), is read.
 * Where a server fails to say it, the section is there and says so itself; what is refused is not theirs.
 */
export function useMaySee(me: Me): (section: Section) => boolean | undefined {
  const { app, api } = useShell();
  const others = [...new Set(app.sections.flatMap(({ permission }) => (permission?.includes(".") ? [permission.slice(0, permission.indexOf("."))] : [])))].filter((each) => each !== app.service);
  const elsewhere = useQuery({
    queryKey: ["rights elsewhere", me.user.id, me.organizationId, me.revision, ...others],
    enabled: others.length > 0,
    staleTime: 300_000,
    queryFn: async ({ signal }) => {
      const of = async (service: string): Promise<readonly string[]> => {
        const answer = await api.raw(`/api/auth/users/${encodeURIComponent(me.user.id)}/permissions?service_id=${encodeURIComponent(service)}`, { signal });
        return ((await answer.json()) as { effectivePermissions?: readonly string[] }).effectivePermissions ?? [];
      };
      return (await Promise.all(others.map(of))).flat();
    },
  });
  return ({ permission }) => {
    if (!permission) return true;
    const [name, here] = permission.includes(".") ? [permission, permission.startsWith(`${app.service}.`)] : [`${app.service}.${permission}`, true];
    if (here) return allows(me.permissions, name);
    if (elsewhere.isPending) return undefined;
    return (elsewhere.isError && ![403, 404].includes(problemOf(elsewhere.error).status)) || allows(elsewhere.data ?? [], name);
  };
}
