import { useTexts } from "@portico/app-shell";
import { ActionIcon, Button } from "@mantine/core";
import { Act, Card, Chip, Confirm, Dialog, Form, Note, useDeed } from "@portico/ui";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { Pencil, Plus, Trash2 } from "lucide-react";
import { useEffect, useState } from "react";
import { Row, Rows, ShownOnce, When } from "../parts.tsx";
import { most, useIdentity, useServices, whole, type Webhook } from "../service.ts";
import { OrganizationFrame } from "./Frame.tsx";
import classes from "../page.module.css";

/** identity's own; the manifests of services list theirs. */
const own = [
  "user.created",
  "user.updated",
  "user.deleted",
  "session.ended",
  "membership.changed",
  "organization.updated",
  "service.status_changed",
  "api_key.created",
  "api_key.revoked",
  "role_bundle.changed",
];
const path = "/api/auth/webhook-endpoints";

/** Addresses of other programs that are told what happens. */
export default function WebhooksPage() {
  return <OrganizationFrame path="/organization/webhooks">{(id) => <Webhooks key={id} id={id} />}</OrganizationFrame>;
}

function Webhooks({ id }: { id: string }) {
  const { t } = useTexts();
  const api = useIdentity();
  const services = useServices();
  const client = useQueryClient();
  const { busy, run } = useDeed();
  const [editing, setEditing] = useState("");
  const [removed, setRemoved] = useState<Webhook | null>(null);
  const [looked, setLooked] = useState<Webhook | null>(null);
  const [secret, setSecret] = useState("");
  // Which organization's it is, the active one says: what was shown in another is refused.
  const headers = { "X-Portico-Context": id };
  const hooks = useQuery({
    queryKey: [path, id],
    queryFn: async ({ signal }) => (await whole(api.get(path, { query: { limit: most }, headers, signal }))).items,
  });
  const again = () => client.invalidateQueries({ queryKey: [path] });
  const edited = editing === "new" ? editing : hooks.data?.find((each) => each.id === editing);
  const save = async (
    { url, description, types: chosen }: { url: string; description: string; types: string[] },
    key: string,
  ): Promise<void> => {
    const body = { url, description, types: chosen };
    const sent = async () => {
      if (edited === "new") setSecret((await whole(api.post(path, { body, headers, idempotencyKey: key }))).secret);
      else if (edited)
        await api.patch("/api/auth/webhook-endpoints/{id}", { path: { id: edited.id }, body, headers, version: edited.version });
    };
    await sent().finally(again);
    setEditing("");
  };
  const test = (hook: Webhook) =>
    void run(async () => {
      await api.post("/api/auth/webhook-endpoints/{id}/test", { path: { id: hook.id }, headers });
      await client.invalidateQueries({ queryKey: [path, hook.id] });
      // It is on its way: what becomes of it is seen there.
      setLooked(hook);
    });
  const switchTo = (hook: Webhook, status: "active" | "disabled") =>
    void run(() =>
      api
        .patch("/api/auth/webhook-endpoints/{id}", { path: { id: hook.id }, body: { status }, headers, version: hook.version })
        .finally(again),
    );
  const remove = () => {
    const hook = removed;
    setRemoved(null);
    if (hook)
      void run(() => api.delete("/api/auth/webhook-endpoints/{id}", { path: { id: hook.id }, headers }).then(again), t("webhooks.removed"));
  };
  return (
    <Card
      title={t("webhooks.title")}
      text={t("webhooks.text")}
      tools={
        <Button leftSection={<Plus size={16} aria-hidden />} onClick={() => setEditing("new")}>
          {t("webhooks.add")}
        </Button>
      }
    >
      <Rows query={hooks} empty={t("webhooks.none")}>
        {(each) => (
          <Row
            key={each.id}
            name={each.url}
            sign={<Chip kind={each.status === "active" ? "good" : "plain"}>{t(`webhook.${each.status}`)}</Chip>}
            more={
              <>
                {each.description && (
                  <>
                    <bdi>{each.description}</bdi> ·{" "}
                  </>
                )}
                {each.types.join(", ")}
              </>
            }
          >
            <Act off={each.status === "active" ? undefined : t("webhooks.isOff")} onClick={() => test(each)}>
              {t("webhooks.test")}
            </Act>
            <Button onClick={() => setLooked(each)}>{t("webhooks.deliveries")}</Button>
            <Button disabled={busy} onClick={() => switchTo(each, each.status === "active" ? "disabled" : "active")}>
              {t(each.status === "active" ? "webhooks.off" : "webhooks.on")}
            </Button>
            <ActionIcon aria-label={t("act.changeWhat", { what: each.url })} onClick={() => setEditing(each.id)}>
              <Pencil size={16} aria-hidden />
            </ActionIcon>
            <ActionIcon aria-label={t("act.removeWhat", { what: each.url })} onClick={() => setRemoved(each)}>
              <Trash2 size={16} aria-hidden />
            </ActionIcon>
          </Row>
        )}
      </Rows>
      <Dialog open={edited !== undefined} title={t(edited === "new" ? "webhooks.add" : "webhooks.change")} onClose={() => setEditing("")}>
        {edited && (
          <Form
            first="url"
            fields={[
              { name: "url", label: t("webhooks.url"), kind: "url" },
              { name: "description", label: t("webhooks.description") },
              {
                name: "types",
                label: t("webhooks.types"),
                hint: t("webhooks.typesHint"),
                kind: "tags",
                options: [...own, ...(services ?? []).flatMap(({ webhookEvents = [] }) => webhookEvents)].map((value) => ({
                  value,
                  label: value,
                })),
              },
            ]}
            initial={
              edited === "new"
                ? { url: "", description: "", types: [] as string[] }
                : { url: edited.url, description: edited.description, types: [...edited.types] }
            }
            schema={{ required: ["url", "types"], properties: { url: { format: "uri" }, description: { maxLength: 500 } } }}
            submit={save}
            onCancel={() => setEditing("")}
          />
        )}
      </Dialog>
      <Dialog
        open={looked !== null}
        wide
        title={t("webhooks.deliveriesOf", { url: looked?.url ?? "" })}
        onClose={() => (setLooked(null), void again())}
      >
        {looked && (
          <Deliveries
            id={looked.id}
            headers={headers}
            off={hooks.data?.find(({ id: each }) => each === looked.id)?.status === "disabled"}
            onDropped={again}
          />
        )}
      </Dialog>
      {secret && (
        <ShownOnce
          title={t("webhooks.secret")}
          text={t("webhooks.secretText")}
          file="webhook-secret.txt"
          value={secret}
          onClose={() => setSecret("")}
        />
      )}
      <Confirm
        open={removed !== null}
        title={t("webhooks.remove")}
        text={removed?.url ?? ""}
        act={t("act.remove")}
        onClose={() => setRemoved(null)}
        onConfirm={remove}
      />
    </Card>
  );
}

/** How what became of a delivery is marked; what is not here yet is none of them. */
const marks: Readonly<Record<string, "good" | "warn" | "bad">> = { delivered: "good", failing: "warn", dropped: "bad" };
const underWay = new Set(["queued", "pending"]);

function Deliveries({
  id,
  headers,
  off,
  onDropped,
}: {
  id: string;
  headers: Record<string, string>;
  off: boolean;
  onDropped: () => unknown;
}) {
  const { t, has } = useTexts();
  const api = useIdentity();
  const list = useQuery({
    queryKey: [path, id, "deliveries"],
    queryFn: async ({ signal }) =>
      (await whole(api.get("/api/auth/webhook-endpoints/{id}/deliveries", { path: { id }, query: { limit: 50 }, headers, signal }))).items,
    refetchInterval: ({ state }) => (state.data?.some(({ status }) => underWay.has(status)) ? 1_000 : 5_000),
  });
  const dropped = list.data?.[0]?.status === "dropped";
  // It may be the endpoint that was given up, and not the message alone.
  useEffect(() => void (dropped && onDropped()), [dropped]);
  return (
    <>
      {dropped && off && <Note kind="warn">{t("webhooks.givenUp")}</Note>}
      <Rows query={list} empty={t("webhooks.noDeliveries")}>
        {(each) => (
          <Row
            key={each.id}
            name={each.type}
            sign={
              <Chip kind={marks[each.status] ?? "plain"}>
                {has(`delivery.${each.status}`) ? t(`delivery.${each.status}`) : each.status}
              </Chip>
            }
            more={
              <>
                <When at={each.triedAt ?? each.sentAt ?? each.createdAt} />{" "}
                {each.attempts > 0 && `· ${t("webhooks.attempts", { count: each.attempts })} `}
                {each.lastStatus > 0
                  ? `· ${t("webhooks.answered", { status: String(each.lastStatus) })}`
                  : each.lastError && <span className={classes["wrong"]}>· {each.lastError}</span>}
              </>
            }
          />
        )}
      </Rows>
    </>
  );
}
