import { useCan, useTexts } from "@portico/app-shell";
import { Card, Chip, useDeed } from "@portico/ui";
import { Button } from "@mantine/core";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { Row, Rows, When } from "../parts.tsx";
import { most, useIdentity, useServices, whole } from "../service.ts";
import { OrganizationFrame } from "./Frame.tsx";

/** Which services the organization may use. Operators of the platform say so; others see it. */
export default function AccessPage() {
  return <OrganizationFrame path="/organization/services">{(id) => <Access key={id} id={id} />}</OrganizationFrame>;
}

function Access({ id }: { id: string }) {
  const { t } = useTexts();
  const api = useIdentity();
  const client = useQueryClient();
  const services = useServices();
  const operates = useCan("system:operate");
  const { busy, run } = useDeed();
  const key = ["/api/auth/organizations", id, "service-access"];
  const access = useQuery({
    queryKey: key,
    queryFn: async ({ signal }) =>
      (await whole(api.get("/api/auth/organizations/{id}/service-access", { path: { id }, query: { limit: most }, signal }))).items,
  });
  const set = (service: string, status: "active" | "suspended") =>
    void run(
      () =>
        api
          .put("/api/auth/organizations/{id}/service-access/{service_id}", { path: { id, service_id: service }, body: { status } })
          .then(() => client.invalidateQueries({ queryKey: key })),
      t("access.set"),
    );
  const others = operates
    ? (services ?? []).filter(
        (each) => each.contexts.includes("organization") && !access.data?.some(({ service_id: service }) => service === each.service_id),
      )
    : [];
  return (
    <Card title={t("access.title")} text={t(operates ? "access.textOperator" : "access.text")}>
      <Rows query={access} empty={t("access.none")}>
        {(each) => (
          <Row
            key={each.service_id}
            name={each.name || each.service_id}
            sign={<Chip kind={each.status === "active" ? "good" : "warn"}>{t(`access.${each.status}`)}</Chip>}
            more={
              <>
                {each.plan && `${each.plan} · `}
                {t("access.since")} <When at={each.grantedAt} />
              </>
            }
          >
            {operates && (
              <Button disabled={busy} onClick={() => set(each.service_id, each.status === "active" ? "suspended" : "active")}>
                {t(each.status === "active" ? "access.suspend" : "access.give")}
              </Button>
            )}
          </Row>
        )}
      </Rows>
      {others.length > 0 && access.data && (
        <Rows query={{ data: others, error: null, refetch: () => undefined }} empty="">
          {(each) => (
            <Row key={each.service_id} name={each.name} sign={<Chip>{t("access.not")}</Chip>}>
              <Button disabled={busy} onClick={() => set(each.service_id, "active")}>
                {t("access.give")}
              </Button>
            </Row>
          )}
        </Rows>
      )}
    </Card>
  );
}
