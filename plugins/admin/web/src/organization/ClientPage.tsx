import { navigate, useMe, useTexts, type PageProps } from "@portico/app-shell";
import { Button } from "@mantine/core";
import {
  Card,
  Chip,
  Confirm,
  Copied,
  Facts,
  Fields,
  Note,
  useDeed,
  usePageName,
  useRecord,
  type RecordField,
  type Versioned,
} from "@portico/ui";
import { useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { ShownOnce, When } from "../parts.tsx";
import { clientsPath, useIdentity, whole, type OAuthClient } from "../service.ts";
import { clientSchema, kindOf, methodFields, scopeOptions } from "./ClientsPage.tsx";
import { OrganizationFrame } from "./Frame.tsx";
import classes from "../page.module.css";

/** One client: what it is, where it leads people back to, its next secret and its end. */
export default function ClientPage({ params }: PageProps) {
  const clientId = params["id"] ?? "";
  return (
    <OrganizationFrame path="/organization/oauth-clients">
      {(id) => <Client key={`${id} ${clientId}`} id={id} clientId={clientId} />}
    </OrganizationFrame>
  );
}

type ClientRecord = OAuthClient & Versioned;

function Client({ id, clientId }: { id: string; clientId: string }) {
  const { t, dateTime } = useTexts();
  const api = useIdentity();
  const me = useMe();
  const client = useQueryClient();
  const { busy, run } = useDeed();
  const [asking, setAsking] = useState<"rotate" | "remove" | null>(null);
  const [secret, setSecret] = useState<{ value: string; until: string } | null>(null);
  const record = useRecord<ClientRecord>(`${clientsPath}/${encodeURIComponent(clientId)}`);
  const { data } = record;
  usePageName(data?.name);
  const operator = (me.answer["user"] as { platformRole?: unknown }).platformRole;
  const ofOperators = !operator && data !== undefined && (data.first_party || data.service_id !== null);
  const kind = data && kindOf(data);
  const hasSecret = data?.token_endpoint_auth_method.startsWith("client_secret") ?? false;
  const fields: RecordField<ClientRecord>[] = [
    { name: "name", label: t("clients.name") },
    ...(kind === "machine"
      ? []
      : ([
          { name: "redirect_uris", label: t("clients.redirects"), kind: "tags" },
          { name: "post_logout_redirect_uris", label: t("clients.afterSignOut"), kind: "tags" },
          { name: "scopes", label: t("clients.scopes"), kind: "tags", options: scopeOptions },
        ] as const)),
    ...(data?.type === "confidential" ? methodFields(t) : []),
    ...(kind === "machine"
      ? []
      : ([
          { name: "backchannel_logout_uri", label: t("clients.backchannel"), kind: "url" },
          { name: "logo_uri", label: t("general.logo"), kind: "url" },
          { name: "policy_uri", label: t("clients.policy"), kind: "url" },
          { name: "tos_uri", label: t("clients.terms"), kind: "url" },
        ] as const)),
  ];
  const at = { path: { client_id: clientId }, headers: { "X-Portico-Context": id } };
  const rotate = () => {
    setAsking(null);
    void run(async () => {
      const made = await whole(api.post("/api/auth/oauth-clients/{client_id}/rotate-secret", at));
      setSecret({ value: made.client_secret, until: made.overlapEndsAt });
    });
  };
  const remove = () => {
    setAsking(null);
    void run(
      async () => {
        await api.delete("/api/auth/oauth-clients/{client_id}", at);
        navigate("/organization/oauth-clients");
        await client.invalidateQueries({ queryKey: [clientsPath, "list"] });
      },
      t("clients.removed", { name: data?.name ?? "" }),
    );
  };
  return (
    <>
      <Card title={data?.name ?? t("clients.one")} tools={kind && <Chip>{t(`client.${kind}`)}</Chip>}>
        <div className={classes["stack"]}>
          {ofOperators && <Note>{t("clients.ofOperators")}</Note>}
          {data && (
            <Facts
              list={[
                [t("clients.id"), <Copied key="id" text={data.client_id} label={t("clients.id")} />],
                ...(kind === "machine"
                  ? [[t("clients.scim"), t(data.scopes.includes("scim") ? "members.factorYes" : "clients.no")] as const]
                  : []),
                ...(data.scopes.includes("scim") && hasSecret
                  ? [[t("clients.scimUsed"), <When key="used" at={data.scim_used_at} />] as const]
                  : []),
                [t("general.created"), <When key="created" at={data.createdAt} />],
              ]}
            />
          )}
          <div className={classes["wide"]}>
            <Fields record={record} fields={fields} schema={clientSchema(kind !== "machine")} mayChange={!ofOperators} />
          </div>
        </div>
      </Card>
      {data && hasSecret && (!data.first_party || operator) && (
        <Card
          title={t("clients.secret")}
          text={t("clients.rotateText")}
          tools={
            <Button loading={busy} onClick={() => setAsking("rotate")}>
              {t("clients.rotate")}
            </Button>
          }
        />
      )}
      {data && !ofOperators && (
        <Card
          danger
          title={t("clients.remove")}
          text={t("clients.removeText")}
          tools={
            <Button color="red" loading={busy} onClick={() => setAsking("remove")}>
              {t("act.remove")}
            </Button>
          }
        />
      )}
      <Confirm
        open={asking === "rotate"}
        title={t("clients.rotateSure", { name: data?.name ?? "" })}
        text={t("clients.rotateSureText")}
        act={t("clients.rotate")}
        onClose={() => setAsking(null)}
        onConfirm={rotate}
      />
      <Confirm
        open={asking === "remove"}
        title={t("clients.removeSure", { name: data?.name ?? "" })}
        text={t("clients.removeText")}
        act={t("act.remove")}
        onClose={() => setAsking(null)}
        onConfirm={remove}
      />
      {secret && (
        <ShownOnce
          title={t("clients.secret")}
          text={t("clients.secretText")}
          file="client-secret.txt"
          value={secret.value}
          onClose={() => setSecret(null)}
        >
          <Note>{t("clients.overlap", { until: dateTime(secret.until) })}</Note>
        </ShownOnce>
      )}
    </>
  );
}
