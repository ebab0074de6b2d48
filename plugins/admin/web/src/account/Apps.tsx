import { useTexts } from "@portico/app-shell";
import { Button } from "@mantine/core";
import { Card, Confirm, useDeed } from "@portico/ui";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { Row, Rows, Used, When } from "../parts.tsx";
import { most, useIdentity, whole, type Consent, type LinkedAccount } from "../service.ts";

/** Apps of others that may see something of the person, and accounts elsewhere that sign them in. */
export function Apps() {
  const { t, has } = useTexts();
  const api = useIdentity();
  const client = useQueryClient();
  const { run } = useDeed();
  const [asked, setAsked] = useState<{ consent: Consent } | { account: LinkedAccount } | null>(null);
  const consents = useQuery({
    queryKey: ["/api/auth/consents"],
    queryFn: async ({ signal }) => (await whole(api.get("/api/auth/consents", { query: { limit: most }, signal }))).items,
  });
  const linked = useQuery({
    queryKey: ["/api/auth/linked-accounts"],
    queryFn: async ({ signal }) => (await whole(api.get("/api/auth/linked-accounts", { query: { limit: most }, signal }))).items,
  });
  const withdraw = () => {
    if (!asked) return;
    setAsked(null);
    if ("consent" in asked)
      void run(
        () =>
          api
            .delete("/api/auth/consents/{client_id}", { path: { client_id: asked.consent.client_id } })
            .then(() => client.invalidateQueries({ queryKey: ["/api/auth/consents"] })),
        t("apps.withdrawn", { name: asked.consent.name }),
      );
    else
      void run(
        () =>
          api
            .delete("/api/auth/linked-accounts/{id}", { path: { id: asked.account.id } })
            .then(() => client.invalidateQueries({ queryKey: ["/api/auth/linked-accounts"] })),
        t("apps.unlinked", { name: asked.account.name }),
      );
  };
  const name = asked ? ("consent" in asked ? asked.consent.name : asked.account.name) : "";
  return (
    <>
      <Card title={t("apps.title")} text={t("apps.text")}>
        <Rows query={consents} lines={1} empty={t("apps.none")}>
          {(each) => (
            <Row
              key={each.client_id}
              name={each.name}
              more={
                <>
                  {t("apps.sees", { scopes: each.scopes.map((scope) => (has(`scope.${scope}`) ? t(`scope.${scope}`) : scope)).join(", ") })}{" "}
                  · <When at={each.createdAt} />
                </>
              }
            >
              <Button onClick={() => setAsked({ consent: each })}>{t("apps.withdraw")}</Button>
            </Row>
          )}
        </Rows>
      </Card>
      {linked.data && linked.data.length > 0 && (
        <Card title={t("linked.title")} text={t("linked.text")}>
          <Rows query={linked} empty="">
            {(each) => (
              <Row
                key={each.id}
                name={each.name}
                more={
                  <>
                    <bdi>{each.subjectMasked}</bdi> · <Used at={each.lastUsedAt} />
                  </>
                }
              >
                <Button onClick={() => setAsked({ account: each })}>{t("linked.unlink")}</Button>
              </Row>
            )}
          </Rows>
        </Card>
      )}
      <Confirm
        open={asked !== null}
        title={t("apps.withdrawTitle", { name })}
        text={t("apps.withdrawText", { name })}
        act={t("apps.withdraw")}
        onClose={() => setAsked(null)}
        onConfirm={withdraw}
      />
    </>
  );
}
