import { useAuth, useMe, useTexts } from "@portico/app-shell";
import { Button } from "@mantine/core";
import { Card, Chip, Confirm, Facts, Fields, Note, type RecordField, useDeed, useRecord } from "@portico/ui";
import { useQueryClient } from "@tanstack/react-query";
import { useEffect, useMemo, useState } from "react";
import { Choice } from "../parts.tsx";
import { useIdentity, useMembers, type Organization } from "../service.ts";
import { OrganizationFrame } from "./Frame.tsx";
import classes from "../page.module.css";

/** What the organization is called, who owns it, and its end. */
export default function GeneralPage() {
  return <OrganizationFrame path="/organization">{(id, may) => <General id={id} may={may} />}</OrganizationFrame>;
}

function General({ id, may }: { id: string; may: (permission: string) => boolean }) {
  const { t, date, number } = useTexts();
  const auth = useAuth();
  const record = useRecord<Organization>(`/api/auth/organizations/${id}`);
  const fields = useMemo(
    (): RecordField<Organization>[] => [
      { name: "name", label: t("general.name") },
      { name: "slug", label: t("general.slug"), hint: t("general.slugHint") },
      { name: "logoUrl", label: t("general.logo"), kind: "url" },
    ],
    [t],
  );
  const name = record.data?.name;
  const shown = useMe().organizations.find((each) => each.id === id)?.name;
  // The name stands in the switcher of workspaces, too.
  useEffect(() => {
    if (name && shown && name !== shown && record.pending.size === 0) void auth.readMe().catch(() => undefined);
  }, [auth, name, shown, record.pending.size]);
  return (
    <>
      <Card title={t("general.title")}>
        <div className={classes["stack"]}>
          <div className={classes["wide"]}>
            <Fields
              record={record}
              fields={fields}
              mayChange={may("organizations:manage")}
              schema={{
                required: ["name", "slug"],
                properties: { name: { maxLength: 200 }, slug: { minLength: 2, maxLength: 40, pattern: "^[a-z0-9]+(-[a-z0-9]+)*$" } },
              }}
            />
          </div>
          {record.data && (
            <Facts
              list={[
                [t("general.kind"), t(`kind.${record.data.kind}`)],
                [
                  t("general.status"),
                  <Chip key="status" kind={record.data.status === "active" ? "good" : "bad"}>
                    {t(`organization.status.${record.data.status}`)}
                  </Chip>,
                ],
                [t("general.members"), number(record.data.memberCount)],
                [t("general.created"), date(record.data.createdAt)],
                [t("general.id"), <code key="id">{id}</code>],
              ]}
            />
          )}
        </div>
      </Card>
      {record.data && may("organizations:transfer") && <Transfer organization={record.data} />}
      {record.data && may("organizations:delete") && <Deletion organization={record.data} />}
    </>
  );
}

function Transfer({ organization }: { organization: Organization }) {
  const { t } = useTexts();
  const api = useIdentity();
  const auth = useAuth();
  const client = useQueryClient();
  const { user } = useMe();
  const members = useMembers()?.filter((each) => each.status === "active" && each.userId !== user.id);
  const { busy, run } = useDeed();
  const [to, setTo] = useState("");
  const [asking, setAsking] = useState(false);
  const name = members?.find(({ userId }) => userId === to)?.user.displayName ?? "";
  const transfer = () => {
    setAsking(false);
    void run(
      async () => {
        await api.post("/api/auth/organizations/{organizationId}/transfer-ownership", {
          path: { organizationId: organization.id },
          body: { toUserId: to, demoteSelfTo: "admin" },
        });
        await Promise.all([client.invalidateQueries(), auth.readMe()]);
      },
      t("transfer.done", { name }),
    );
  };
  return (
    <Card title={t("transfer.title")} text={t("transfer.text")}>
      <div className={classes["ends"]}>
        <Choice
          label={t("transfer.to")}
          value={to}
          options={[
            ["", t("transfer.choose")],
            ...(members ?? []).map((each) => [each.userId, each.user.displayName || (each.user.email ?? each.userId)] as const),
          ]}
          onChange={setTo}
        />
        {to && (
          <Button color="red" loading={busy} onClick={() => setAsking(true)}>
            {t("transfer.act")}
          </Button>
        )}
      </div>
      <Confirm
        open={asking}
        title={t("transfer.sure", { name })}
        text={t("transfer.sureText")}
        act={t("transfer.act")}
        typed={organization.name}
        onClose={() => setAsking(false)}
        onConfirm={transfer}
      />
    </Card>
  );
}

function Deletion({ organization }: { organization: Organization }) {
  const { t, date } = useTexts();
  const api = useIdentity();
  const client = useQueryClient();
  const { busy, run } = useDeed();
  const [asking, setAsking] = useState(false);
  const path = { organizationId: organization.id };
  const again = () => client.invalidateQueries({ queryKey: ["/api/auth/organizations"] });
  const remove = () => {
    setAsking(false);
    void run(() => api.delete("/api/auth/organizations/{organizationId}", { path }).then(again));
  };
  const keep = () =>
    void run(
      () =>
        api
          .patch("/api/auth/organizations/{organizationId}", { path, body: { deletionAt: null }, version: organization.version })
          .then(again),
      t("deletion.kept"),
    );
  return (
    <Card
      title={t("deletion.title")}
      text={t("deletion.text")}
      danger
      tools={
        !organization.deletionAt && (
          <Button color="red" loading={busy} onClick={() => setAsking(true)}>
            {t("deletion.act")}
          </Button>
        )
      }
    >
      {organization.deletionAt && (
        <Note kind="bad">
          <p>{t("deletion.until", { date: date(organization.deletionAt, { dateStyle: "long" }) })}</p>
          <Button loading={busy} onClick={keep}>
            {t("deletion.keep")}
          </Button>
        </Note>
      )}
      <Confirm
        open={asking}
        title={t("deletion.sure", { name: organization.name })}
        text={t("deletion.sureText", { count: organization.memberCount })}
        act={t("deletion.act")}
        typed={organization.name}
        onClose={() => setAsking(false)}
        onConfirm={remove}
      />
    </Card>
  );
}
