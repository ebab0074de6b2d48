import { Link, navigate, useMe, useTexts } from "@portico/app-shell";
import { Button } from "@mantine/core";
import { Card, Chip, Dialog, Empty, Form, type Option } from "@portico/ui";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { Bot, Plus } from "lucide-react";
import { useState } from "react";
import { Row, Rows, When } from "../parts.tsx";
import { most, useIdentity, useMembers, whole, type Agent, type Membership, type Role } from "../service.ts";
import { OrganizationFrame } from "./Frame.tsx";
import page from "@portico/ui/page.module.css";

/** Programs that work in the organization as somebody of their own. */
export default function AgentsPage() {
  return <OrganizationFrame path="/organization/agents">{(id) => <Agents key={id} id={id} />}</OrganizationFrame>;
}

export const agentPage = (agentId: string): string => `/organization/agents/${agentId}`;
export const agentsOf = (id: string): string => `/api/auth/organizations/${id}/agents`;

function useAgents(id: string) {
  const api = useIdentity();
  return useQuery({
    queryKey: [agentsOf(id), "list"],
    queryFn: async ({ signal }) =>
      (
        await whole(
          api.get("/api/auth/organizations/{organizationId}/agents", { path: { organizationId: id }, query: { limit: most }, signal }),
        )
      ).items,
  });
}

export const personOf = ({ id, displayName, email }: Membership["user"]): string => displayName || email || id;

/** Who may answer for an agent: the people among the members. */
export function usePeople(id: string): Option[] {
  const agents = useAgents(id).data;
  const members = useMembers();
  return (agents && members ? members : [])
    .filter(({ status, userId }) => status === "active" && !agents?.some((each) => each.id === userId))
    .map(({ user }) => ({ value: user.id, label: personOf(user) }));
}

/** What an agent may be, as it is typed. */
export function useAgentFields(people: readonly Option[]) {
  const { t } = useTexts();
  return [
    { name: "name", label: t("agents.name") },
    { name: "ownerUserId", label: t("agents.owner"), kind: "choice", options: people },
    {
      name: "role",
      label: t("members.role"),
      kind: "choice",
      hint: t("agents.roleHint"),
      options: (["guest", "member"] as const).map((value) => ({ value, label: t(`role.${value}`) })),
    },
  ] as const;
}

export const agentSchema = { required: ["name", "ownerUserId", "role"], properties: { name: { maxLength: 120 } } };

function Agents({ id }: { id: string }) {
  const { t } = useTexts();
  const [adding, setAdding] = useState(false);
  const agents = useAgents(id);
  const add = (
    <Button leftSection={<Plus size={16} aria-hidden />} onClick={() => setAdding(true)}>
      {t("agents.add")}
    </Button>
  );
  const [before, after = ""] = t("agents.keys", { link: "\n" }).split("\n");
  return (
    <Card title={t("agents.title")} text={t("agents.text")} tools={agents.data?.length ? add : undefined}>
      <Rows query={agents} empty={<Empty icon={Bot} title={t("agents.none")} text={t("agents.noneText")} action={add} />}>
        {(each) => (
          <Row
            key={each.id}
            name={
              <Link to={agentPage(each.id)}>
                <bdi>{each.name}</bdi>
              </Link>
            }
            sign={<Chip>{t(`role.${each.role}`)}</Chip>}
            more={
              <>
                {t("agents.owner")}: <bdi>{personOf(each.owner)}</bdi> · {t("general.created")} <When at={each.createdAt} />
              </>
            }
          />
        )}
      </Rows>
      <p className={page["muted"]}>
        {before}
        <Link to="/api-keys">{t("keys.title")}</Link>
        {after}
      </p>
      <Dialog open={adding} title={t("agents.add")} onClose={() => setAdding(false)}>
        {adding && <NewAgent id={id} onCancel={() => setAdding(false)} />}
      </Dialog>
    </Card>
  );
}

function NewAgent({ id, onCancel }: { id: string; onCancel: () => void }) {
  const { t } = useTexts();
  const api = useIdentity();
  const client = useQueryClient();
  const { user } = useMe();
  const fields = useAgentFields(usePeople(id));
  const make = async (values: Pick<Agent, "name" | "ownerUserId"> & { role: Role }, idempotencyKey: string): Promise<void> => {
    const made = await whole(
      api.post("/api/auth/organizations/{organizationId}/agents", { path: { organizationId: id }, body: values, idempotencyKey }),
    );
    await client.invalidateQueries({ queryKey: [agentsOf(id)] });
    navigate(agentPage(made.id));
  };
  return (
    <Form
      first="name"
      fields={fields}
      initial={{ name: "", ownerUserId: user.id, role: "member" as Role }}
      schema={agentSchema}
      act={t("agents.add")}
      submit={make}
      onCancel={onCancel}
    />
  );
}
