import { navigate, useTexts, type PageProps } from "@portico/app-shell";
import { Button } from "@mantine/core";
import { Card, Confirm, Facts, Fields, useDeed, usePageName, useRecord } from "@portico/ui";
import { useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { When } from "../parts.tsx";
import { useIdentity, type Agent } from "../service.ts";
import { agentSchema, agentsOf, personOf, useAgentFields, usePeople } from "./AgentsPage.tsx";
import { OrganizationFrame } from "./Frame.tsx";
import classes from "../page.module.css";

/** One agent: what it is called, who answers for it, its role and its end. */
export default function AgentPage({ params }: PageProps) {
  const agentId = params["id"] ?? "";
  return (
    <OrganizationFrame path="/organization/agents">{(id) => <One key={`${id} ${agentId}`} id={id} agentId={agentId} />}</OrganizationFrame>
  );
}

function One({ id, agentId }: { id: string; agentId: string }) {
  const { t } = useTexts();
  const api = useIdentity();
  const client = useQueryClient();
  const { busy, run } = useDeed();
  const [removing, setRemoving] = useState(false);
  const record = useRecord<Agent>(`${agentsOf(id)}/${encodeURIComponent(agentId)}`);
  const { data } = record;
  const name = data?.name ?? "";
  usePageName(name);
  const people = usePeople(id);
  // Who answers for it now may have left, or be beyond the first names that are read.
  const fields = useAgentFields(
    data && !people.some(({ value }) => value === data.ownerUserId)
      ? [...people, { value: data.owner.id, label: personOf(data.owner) }]
      : people,
  );
  const remove = () => {
    setRemoving(false);
    void run(
      async () => {
        await api.delete("/api/auth/organizations/{organizationId}/agents/{agentId}", { path: { organizationId: id, agentId } });
        navigate("/organization/agents");
        await client.invalidateQueries({ queryKey: [agentsOf(id), "list"] });
      },
      t("agents.removed", { name }),
    );
  };
  return (
    <>
      <Card title={data?.name ?? t("agents.one")}>
        <div className={classes["stack"]}>
          <div className={classes["wide"]}>
            <Fields record={record} fields={fields} schema={agentSchema} />
          </div>
          {data && <Facts list={[[t("general.created"), <When key="created" at={data.createdAt} />]]} />}
        </div>
      </Card>
      {data && (
        <Card
          danger
          title={t("agents.removeIt")}
          text={t("agents.removeText")}
          tools={
            <Button color="red" loading={busy} onClick={() => setRemoving(true)}>
              {t("act.remove")}
            </Button>
          }
        />
      )}
      <Confirm
        open={removing}
        title={t("agents.remove", { name })}
        text={t("agents.removeText")}
        act={t("act.remove")}
        onClose={() => setRemoving(false)}
        onConfirm={remove}
      />
    </>
  );
}
