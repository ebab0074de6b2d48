import { useTexts } from "@portico/app-shell";
import { Card, Chip, Confirm, useDeed } from "@portico/ui";
import { Button } from "@mantine/core";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { Laptop, Smartphone, Terminal } from "lucide-react";
import { useState } from "react";
import { deviceOf, networkOf, Row, Rows, When } from "../parts.tsx";
import { most, useIdentity, useServices, whole, type Session } from "../service.ts";
import page from "@portico/ui/page.module.css";

const path = "/api/auth/sessions";

/** Where one is signed in: this place marked, each other one can be ended. */
export function Sessions() {
  const { t } = useTexts();
  const api = useIdentity();
  const client = useQueryClient();
  const services = useServices();
  const { busy, run } = useDeed();
  const [asking, setAsking] = useState(false);
  const sessions = useQuery({
    queryKey: [path],
    queryFn: async ({ signal }) =>
      (await whole(api.get(path, { query: { limit: most }, signal }))).items.sort(
        (a, b) => Number(b.current) - Number(a.current) || b.lastSeenAt.localeCompare(a.lastSeenAt),
      ),
  });
  const again = () => client.invalidateQueries({ queryKey: [path] });
  const end = (session: Session) =>
    void run(
      () => api.delete("/api/auth/sessions/{id}", { path: { id: session.id } }).then(again),
      t("sessions.ended", { device: deviceOf(session, t) }),
    );
  const endOthers = () => {
    setAsking(false);
    void run(() => api.delete(path, { query: { except: "current" } }).then(again), t("sessions.othersEnded"));
  };
  const others = sessions.data?.filter(({ current }) => !current).length ?? 0;
  return (
    <Card
      title={t("sessions.title")}
      text={t("sessions.text")}
      tools={
        others > 0 && (
          <Button color="red" loading={busy} onClick={() => setAsking(true)}>
            {t("sessions.endOthers")}
          </Button>
        )
      }
    >
      <Rows query={sessions} lines={3} empty={t("sessions.none")}>
        {(each) => {
          const device = deviceOf(each, t);
          return (
            <Row
              key={each.id}
              name={
                <span className={page["row"]}>
                  <DeviceSign agent={each.userAgent} /> <bdi>{device}</bdi>
                </span>
              }
              sign={each.current && <Chip kind="good">{t("sessions.this")}</Chip>}
              more={
                <>
                  <bdi>{services?.find(({ service_id: id }) => id === each.service_id)?.name ?? each.service_id}</bdi> ·{" "}
                  {networkOf(each, t)} · <When at={each.lastSeenAt} />
                </>
              }
            >
              {!each.current && (
                <Button aria-label={t("sessions.endWhat", { device })} disabled={busy} onClick={() => end(each)}>
                  {t("sessions.end")}
                </Button>
              )}
            </Row>
          );
        }}
      </Rows>
      <Confirm
        open={asking}
        title={t("sessions.endOthersTitle")}
        text={t("sessions.endText", { count: others })}
        act={t("sessions.endOthers")}
        onClose={() => setAsking(false)}
        onConfirm={endOthers}
      />
    </Card>
  );
}

function DeviceSign({ agent }: { agent: string }) {
  const Sign = /iPhone|iPad|Android/.test(agent) ? Smartphone : /Mozilla|on /.test(agent) ? Laptop : Terminal;
  return <Sign size={16} aria-hidden />;
}
