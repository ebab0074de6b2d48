import { useTexts } from "@portico/app-shell";
import { Button } from "@mantine/core";
import { Card, Chip, Confirm, Copied, Facts, Form, useDeed, useUi } from "@portico/ui";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { Plus } from "lucide-react";
import { useState } from "react";
import { Row, Rows } from "../parts.tsx";
import { most, useIdentity, whole, type Domain, type Role } from "../service.ts";
import { OrganizationFrame } from "./Frame.tsx";
import classes from "../page.module.css";

/** Domains that are the organization's: who has an address there may join by themselves. */
export default function DomainsPage() {
  return <OrganizationFrame path="/organization/domains">{(id) => <Domains key={id} id={id} />}</OrganizationFrame>;
}

function Domains({ id }: { id: string }) {
  const { t } = useTexts();
  const { notices } = useUi();
  const api = useIdentity();
  const client = useQueryClient();
  const { busy, run } = useDeed();
  const [adding, setAdding] = useState(false);
  const [removed, setRemoved] = useState("");
  const key = ["/api/auth/organizations", id, "domains"];
  const path = { organizationId: id };
  const domains = useQuery({
    queryKey: key,
    queryFn: async ({ signal }) =>
      (await whole(api.get("/api/auth/organizations/{organizationId}/domains", { path, query: { limit: most }, signal }))).items,
  });
  const again = () => client.invalidateQueries({ queryKey: key });
  const add = async ({ domain, autoJoinRole }: { domain: string; autoJoinRole: string | null }): Promise<void> => {
    await api.post("/api/auth/organizations/{organizationId}/domains", {
      path,
      body: { domain, autoJoinRole: (autoJoinRole || null) as Role | null },
    });
    setAdding(false);
    await again();
  };
  const verify = (domain: string) =>
    void run(async () => {
      const { status } = await whole(
        api.post("/api/auth/organizations/{organizationId}/domains/{domain}/verify", { path: { ...path, domain }, body: {} }),
      );
      notices.tell(
        status === "verified" ? { kind: "done", text: t("domains.verifiedOne", { domain }) } : { kind: "info", text: t("domains.notYet") },
      );
      await again();
    });
  const remove = () => {
    setRemoved("");
    void run(
      () => api.delete("/api/auth/organizations/{organizationId}/domains/{domain}", { path: { ...path, domain: removed } }).then(again),
      t("domains.removed", { domain: removed }),
    );
  };
  return (
    <Card
      title={t("domains.title")}
      text={t("domains.text")}
      tools={
        !adding && (
          <Button leftSection={<Plus size={16} aria-hidden />} onClick={() => setAdding(true)}>
            {t("domains.add")}
          </Button>
        )
      }
    >
      <div className={classes["stack"]}>
        {adding && (
          <Form
            fields={[
              { name: "domain", label: t("domains.domain"), hint: t("domains.domainHint") },
              {
                name: "autoJoinRole",
                label: t("domains.join"),
                hint: t("domains.joinHint"),
                kind: "choice",
                options: ["guest", "member"].map((value) => ({ value, label: t(`role.${value}`) })),
              },
            ]}
            initial={{ domain: "", autoJoinRole: null as string | null }}
            schema={{ required: ["domain"] }}
            act={t("domains.add")}
            submit={add}
            onCancel={() => setAdding(false)}
          />
        )}
        <div className={classes["wide"]}>
          <Rows query={domains} empty={t("domains.none")}>
            {(each) => (
              <Row
                key={each.domain}
                name={each.domain}
                sign={
                  <Chip kind={each.status === "verified" ? "good" : "warn"}>
                    {t(each.status === "verified" ? "domains.verified" : "domains.pending")}
                  </Chip>
                }
                more={<Details domain={each} />}
              >
                {each.status !== "verified" && (
                  <Button loading={busy} onClick={() => verify(each.domain)}>
                    {t("domains.verify")}
                  </Button>
                )}
                <Button aria-label={t("act.removeWhat", { what: each.domain })} onClick={() => setRemoved(each.domain)}>
                  {t("act.remove")}
                </Button>
              </Row>
            )}
          </Rows>
        </div>
      </div>
      <Confirm
        open={removed !== ""}
        title={t("domains.remove", { domain: removed })}
        text={t("domains.removeText")}
        act={t("act.remove")}
        onClose={() => setRemoved("")}
        onConfirm={remove}
      />
    </Card>
  );
}

/** The record of the name server that proves whose the domain is. */
function Details({ domain }: { domain: Domain }) {
  const { t } = useTexts();
  const joins = domain.autoJoinRole && t("domains.joins", { role: t(`role.${domain.autoJoinRole}`) });
  if (domain.status === "verified") return joins;
  return (
    <span className={classes["stack"]}>
      {joins && <span>{joins}</span>}
      <span>{t("domains.record")}</span>
      <Facts
        list={[
          [t("domains.recordType"), domain.dnsRecord.type],
          [t("domains.recordName"), <Copied key="name" text={domain.dnsRecord.name} label={t("domains.recordName")} />],
          [t("domains.recordValue"), <Copied key="value" text={domain.dnsRecord.value} label={t("domains.recordValue")} />],
        ]}
      />
    </span>
  );
}
