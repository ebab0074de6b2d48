import { Link, useMe, useTexts } from "@portico/app-shell";
import { Button } from "@mantine/core";
import { Chip, Empty, type ListOptions, ListView, Text, useList } from "@portico/ui";
import { UserPlus, Users } from "lucide-react";
import { useMemo } from "react";
import { When } from "../parts.tsx";
import { membersOf, roles, useRights, type Membership } from "../service.ts";
import { OrganizationFrame } from "./Frame.tsx";
import classes from "../page.module.css";

/** Who belongs to the organization. */
export default function MembersPage() {
  const { t } = useTexts();
  const may = useRights();
  const invite = may?.("invitations:manage") && (
    <Button component={Link} to="/organization/invitations" variant="filled" leftSection={<UserPlus size={16} aria-hidden />}>
      {t("invitations.act")}
    </Button>
  );
  return (
    <OrganizationFrame path="/organization/members" wide tools={invite}>
      {(id) => <Members key={id} id={id} />}
    </OrganizationFrame>
  );
}

function Members({ id }: { id: string }) {
  const { t } = useTexts();
  const { user } = useMe();
  const options = useMemo(
    (): ListOptions<Membership> => ({
      label: t("members.title"),
      path: membersOf(id),
      id: ({ userId }) => userId,
      name: (row) => row.user.displayName || (row.user.email ?? row.userId),
      href: ({ userId }) => `/organization/members/${userId}`,
      columns: [
        {
          key: "name",
          label: t("members.name"),
          width: 240,
          cell: (row) => (
            <Text>{row.userId === user.id ? t("members.you", { name: row.user.displayName }) : row.user.displayName || row.userId}</Text>
          ),
        },
        { key: "email", label: t("members.email"), width: 260, cell: (row) => <Text>{row.user.email ?? ""}</Text> },
        { key: "role", label: t("members.role"), width: 170, cell: (row) => t(`role.${row.role}`) },
        {
          key: "status",
          label: t("members.status"),
          width: 140,
          cell: (row) => <Chip kind={row.status === "active" ? "good" : "warn"}>{t(`membership.${row.status}`)}</Chip>,
        },
        { key: "joinedAt", label: t("members.joined"), width: 140, cell: (row) => <When at={row.joinedAt} /> },
      ],
      filters: [
        { key: "role", label: t("members.role"), kind: "choice", options: roles.map((value) => ({ value, label: t(`role.${value}`) })) },
        {
          key: "status",
          label: t("members.status"),
          kind: "choice",
          options: ["active", "suspended", "removed"].map((value) => ({ value, label: t(`membership.${value}`) })),
        },
      ],
    }),
    [id, t, user.id],
  );
  const list = useList(options);
  return (
    <div className={classes["list"]}>
      <ListView list={list} empty={<Empty icon={Users} title={t("members.none")} />} />
    </div>
  );
}
