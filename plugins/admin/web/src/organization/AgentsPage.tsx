import { Link, useMe, useTexts } from "@portico/app-shell";
import { ActionIcon, Button } from "@mantine/core";
import { Card, Chip, Confirm, Dialog, Empty, Form, useDeed } from "@portico/ui";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { Bot, Pencil, Plus, Trash2 } from "lucide-react";
import { useState } from "react";
import { Row, Rows, When } from "../parts.tsx";
import { most, rank, roles, useIdentity, useMembers, whole, type Role, type User } from "../service.ts";
import { OrganizationFrame } from "./Frame.tsx";
import page from "@portico/ui/page.module.css";

/** Programs that work in the organization as somebody of their own. */
export default function AgentsPage() {
  return <OrganizationFrame path="/organization/agents">{(id) => <Agents key={id} id={id} />}</OrganizationFrame>;
}

interface Values {
  name: string;
  ownerUserId: string | null;
  role: string | null;
}

function Agents({ id }: { id: string }) {
  const { t } = useTexts();
  const api = useIdentity();
  const client = useQueryClient();
  const me = useMe();
  const { run } = useDeed();
  const [edited, setEdited] = useState<User | "new" | null>(null);
  const [removed, setRemoved] = useState<User | null>(null);
  const key = ["/api/auth/organizations", id, "agents"];
  const agents = useQuery({ queryKey: key, queryFn: async ({ signal }) => (await whole(api.get("/api/auth/organizations/{organizationId}/agents", { path: { organizationId: id }, query: { limit: most }, signal }))).items });
  const members = useMembers(edited !== null)?.filter((each) => each.status === "active" && !agents.data?.some((agent) => agent.id === each.userId));
  const again = () => client.invalidateQueries({ queryKey: key });
  const mine = (me.answer["user"] as { platformRole?: unknown }).platformRole ? roles.length : rank(me.role);
  const save = async ({ name, ownerUserId, role }: Values, idempotencyKey: string): Promise<void> => {
    const body = { name, role: role as Role };
    if (edited === "new") await api.post("/api/auth/organizations/{organizationId}/agents", { path: { organizationId: id }, body: { ...body, ownerUserId: ownerUserId ?? "" }, idempotencyKey });
    else if (edited) await api.patch("/api/auth/organizations/{organizationId}/agents/{agentId}", { path: { organizationId: id, agentId: edited.id }, body: { ...body, ...(ownerUserId && { ownerUserId }) }, version: edited.version });
    setEdited(null);
    await again();
  };
  const remove = () => {
    const agent = removed;
    setRemoved(null);
    if (agent) void run(() => api.delete("/api/auth/organizations/{organizationId}/agents/{agentId}", { path: { organizationId: id, agentId: agent.id } }).then(again), t("agents.removed", { name: agent.displayName }));
  };
  const add = (
    <Button leftSection={<Plus size={16} aria-hidden />} onClick={() => setEdited("new")}>
      {t("agents.add")}
    </Button>
  );
  const [before, after = ""] = t("agents.keys", { link: "\n" }).split("\n");
  return (
    <Card title={t("agents.title")} text={t("agents.text")} tools={agents.data?.length ? add : undefined}>
      <Rows query={agents} empty={<Empty icon={Bot} title={t("agents.none")} text={t("agents.noneText")} action={add} />}>
        {(each) => (
          <Row key={each.id} name={each.displayName} sign={<Chip>{t(`role.${each.role}`)}</Chip>} more={<>{t("general.created")} <When at={each.createdAt} /></>}>
            <ActionIcon aria-label={t("act.changeWhat", { what: each.displayName })} onClick={() => setEdited(each)}>
              <Pencil size={16} aria-hidden />
            </ActionIcon>
            <ActionIcon aria-label={t("act.removeWhat", { what: each.displayName })} onClick={() => setRemoved(each)}>
              <Trash2 size={16} aria-hidden />
            </ActionIcon>
          </Row>
        )}
      </Rows>
      <p className={page["muted"]}>
        {before}
        <Link to="/api-keys">{t("keys.title")}</Link>
        {after}
      </p>
      <Dialog open={edited !== null} title={edited === "new" ? t("agents.add") : t("agents.change", { name: edited?.displayName ?? "" })} onClose={() => setEdited(null)}>
        {edited && (
          <Form<Values>
            fields={[
              { name: "name", label: t("agents.name") },
              { name: "ownerUserId", label: t("agents.owner"), kind: "choice", options: (members ?? []).map((each) => ({ value: each.userId, label: each.user.displayName || (each.user.email ?? each.userId) })), ...(edited !== "new" && { hint: t("agents.ownerKept") }) },
              { name: "role", label: t("members.role"), kind: "choice", hint: t("agents.roleHint"), options: (["guest", "member"] as const).filter((each) => rank(each) <= mine).map((value) => ({ value, label: t(`role.${value}`) })) },
            ]}
            initial={edited === "new" ? { name: "", ownerUserId: me.user.id, role: mine < rank("member") ? "guest" : "member" } : { name: edited.displayName, ownerUserId: null, role: edited.role }}
            schema={{ required: ["name", "role", ...(edited === "new" ? ["ownerUserId"] : [])], properties: { name: { maxLength: 120 } } }}
            {...(edited === "new" && { act: t("agents.add") })}
            submit={save}
            onCancel={() => setEdited(null)}
          />
        )}
      </Dialog>
      <Confirm open={removed !== null} title={t("agents.remove", { name: removed?.displayName ?? "" })} text={t("agents.removeText")} act={t("act.remove")} onClose={() => setRemoved(null)} onConfirm={remove} />
    </Card>
  );
}
