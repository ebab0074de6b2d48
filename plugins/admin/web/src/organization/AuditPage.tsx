import { useTexts } from "@portico/app-shell";
import { Button } from "@mantine/core";
import { Chip, Empty, type ListOptions, ListView, Note, saveAs, Text, useAddress, useDeed, useList } from "@portico/ui";
import { BadgeCheck, Download, ScrollText } from "lucide-react";
import { useMemo, useState } from "react";
import { When } from "../parts.tsx";
import { useIdentity, useMembers, whole, type AuditEvent } from "../service.ts";
import { OrganizationFrame } from "./Frame.tsx";
import page from "@portico/ui/page.module.css";
import classes from "../page.module.css";

/** What was done in the organization, by whom: a chain of which nothing can be taken out unseen. */
export default function AuditPage() {
  return (
    <OrganizationFrame path="/organization/audit" wide>
      {(id) => <Audit key={id} id={id} />}
    </OrganizationFrame>
  );
}

const path = "/api/auth/audit-events";

function Audit({ id }: { id: string }) {
  const { t, has } = useTexts();
  const api = useIdentity();
  const members = useMembers();
  const [, query] = useAddress();
  const { busy, run } = useDeed();
  const [chain, setChain] = useState<{ ok: boolean; entries: number; firstBroken: number | null } | null>(null);
  const options = useMemo((): ListOptions<AuditEvent> => {
    const nameOf = (user: string) => members?.find(({ userId }) => userId === user)?.user.displayName ?? user;
    return {
      label: t("audit.title"),
      path,
      fixed: { organizationId: id },
      search: false,
      id: (row) => row.id,
      name: (row) => row.type,
      columns: [
        { key: "type", label: t("audit.what"), width: 260, cell: (row) => <code>{row.type}</code> },
        { key: "at", label: t("audit.at"), width: 150, cell: (row) => <When at={row.at} /> },
        { key: "actor", label: t("audit.actor"), width: 190, cell: (row) => <Text>{nameOf(row.actor.id) || row.actor.type}</Text> },
        { key: "target", label: t("audit.target"), width: 230, cell: (row) => <Text>{nameOf(row.target)}</Text> },
        {
          key: "outcome",
          label: t("audit.outcome"),
          width: 120,
          cell: (row) => (
            <Chip kind={row.outcome === "success" ? "good" : "bad"}>
              {has(`audit.outcome.${row.outcome}`) ? t(`audit.outcome.${row.outcome}`) : row.outcome}
            </Chip>
          ),
        },
        { key: "details", label: t("audit.details"), width: 260, cell: (row) => <Text>{JSON.stringify(row.details ?? {})}</Text> },
        { key: "ip", label: t("audit.ip"), width: 140, optional: true, cell: (row) => <Text>{row.actor.ip}</Text> },
      ],
      filters: [
        { key: "type", label: t("audit.what"), kind: "text" },
        {
          key: "actor",
          label: t("audit.actor"),
          kind: "choice",
          options: (members ?? []).map(({ userId, user }) => ({ value: userId, label: user.displayName || userId })),
        },
      ],
    };
  }, [id, members, t, has]);
  const list = useList(options);
  const save = () =>
    void run(async () => {
      const wanted = new URLSearchParams(query);
      wanted.delete("columns");
      wanted.set("organizationId", id);
      const blob = await (await api.raw(`${path}/export?${wanted}`)).blob();
      saveAs(blob, "audit.ndjson");
    });
  const verify = () =>
    void run(async () => setChain(await whole(api.get("/api/auth/audit-events/verify", { query: { organizationId: id } }))));
  return (
    <div className={`${page["page"]} ${classes["list"]}`}>
      {chain && (
        <Note kind={chain.ok ? "good" : "bad"} alert>
          {chain.ok ? t("audit.whole", { count: chain.entries }) : t("audit.broken", { at: chain.firstBroken ?? 0 })}
        </Note>
      )}
      <ListView
        list={list}
        empty={<Empty icon={ScrollText} title={t("audit.none")} />}
        tools={
          <>
            <Button leftSection={<BadgeCheck size={16} aria-hidden />} loading={busy} onClick={verify}>
              {t("audit.verify")}
            </Button>
            <Button leftSection={<Download size={16} aria-hidden />} disabled={busy} onClick={save}>
              {t("audit.export")}
            </Button>
          </>
        }
      />
    </div>
  );
}
