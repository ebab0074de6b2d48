import { useMe, useTexts } from "@portico/app-shell";
import { Choice } from "../parts.tsx";
import { rank, roles, type Role } from "../service.ts";

/** How high somebody stands in the active organization; operators above all. */
export function useMyRank(): number {
  const { answer, role } = useMe();
  return (answer["user"] as { platformRole?: unknown }).platformRole ? roles.length : rank(role);
}

/** A role to give: those above one's own are seen, off, with the reason. */
export function RoleChoice({ value, off, onChange }: { value: Role; off?: string | undefined; onChange: (role: Role) => void }) {
  const { t } = useTexts();
  const mine = useMyRank();
  const above = roles.filter((each) => rank(each) > mine && each !== value);
  return (
    <Choice
      label={t("members.role")}
      value={value}
      off={off}
      hint={above.length ? t("members.aboveOwn", { roles: above.map((each) => t(`role.${each}`)).join(", ") }) : undefined}
      options={roles.map((each) => [each, t(`role.${each}`), above.includes(each)] as const)}
      onChange={(role) => onChange(role as Role)}
    />
  );
}
