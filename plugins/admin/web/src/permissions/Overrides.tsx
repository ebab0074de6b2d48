import { useTexts } from "@portico/app-shell";
import { Button } from "@mantine/core";
import { Act, Card, Chip, Form, instantOf, useDeed } from "@portico/ui";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { Plus } from "lucide-react";
import { useMemo } from "react";
import { Row, Rows, When } from "../parts.tsx";
import { most, useIdentity, whole, type Override } from "../service.ts";
import { titleOf, type ServiceCatalog } from "./catalog.ts";
import classes from "../page.module.css";

/** Rights that somebody has or lacks beside their role, each with its reason and, where there is one, its end. */
export default function Overrides({
  userId,
  name,
  self,
  catalog,
  adding,
  onAdding,
}: {
  adding: boolean;
  onAdding: (adding: boolean) => void;
  userId: string;
  name: string;
  self: boolean;
  catalog: readonly ServiceCatalog[] | undefined;
}) {
  const { t, zone } = useTexts();
  const api = useIdentity();
  const client = useQueryClient();
  const { busy, run } = useDeed();
  const path = { userId };
  const list = useQuery({
    queryKey: ["/api/auth/users", userId, "overrides"],
    queryFn: async ({ signal }) =>
      (await whole(api.get("/api/auth/users/{userId}/permission-overrides", { path, query: { limit: most }, signal }))).items as Override[],
  });
  const again = () => client.invalidateQueries({ queryKey: ["/api/auth/users", userId] });
  const actions = useMemo(
    () =>
      (catalog ?? []).flatMap(({ service, permissions }) =>
        permissions.map((each) => ({ value: each.permission, label: `${service.name}: ${each.title}` })),
      ),
    [catalog],
  );
  const add = async ({
    permission,
    effect,
    reason,
    expiresAt: day,
  }: {
    permission: string;
    effect: string;
    reason: string;
    expiresAt: string;
  }): Promise<void> => {
    await api.put("/api/auth/users/{userId}/permission-overrides", {
      path,
      // The last day ends in the zone in which this page shows it.
      body: { permission, effect: effect as "allow" | "deny", reason, expiresAt: instantOf(`${day}T23:59`, zone) || null },
    });
    onAdding(false);
    await again();
  };
  const now = new Date().toISOString();
  return (
    <Card
      title={t("overrides.title")}
      text={t("overrides.text", { name })}
      tools={
        !adding && (
          <Act off={self ? t("overrides.self") : undefined} leftSection={<Plus size={16} aria-hidden />} onClick={() => onAdding(true)}>
            {t("overrides.add")}
          </Act>
        )
      }
    >
      <div className={classes["stack"]}>
        {adding && (
          <Form
            fields={[
              { name: "permission", label: t("overrides.permission"), kind: "choice", options: actions },
              {
                name: "effect",
                label: t("overrides.effect"),
                kind: "choice",
                options: (["allow", "deny"] as const).map((value) => ({ value, label: t(`overrides.${value}`) })),
              },
              { name: "reason", label: t("overrides.reason"), hint: t("overrides.reasonHint") },
              { name: "expiresAt", label: t("overrides.until"), kind: "date", hint: t("overrides.untilHint") },
            ]}
            initial={{ permission: "", effect: "allow", reason: "", expiresAt: "" }}
            schema={{
              required: ["permission", "effect", "reason"],
              properties: { reason: { maxLength: 500 }, expiresAt: { format: "date" } },
            }}
            submit={add}
            onCancel={() => onAdding(false)}
          />
        )}
        <div className={classes["wide"]}>
          <Rows query={list} empty={t("overrides.none")} lines={1}>
            {(each) => {
              const ended = each.expiresAt !== null && each.expiresAt < now;
              const title = titleOf(catalog, each.permission);
              return (
                <Row
                  key={each.id}
                  name={title}
                  sign={
                    <>
                      <Chip kind={each.effect === "deny" ? "bad" : "good"}>{t(`overrides.${each.effect}`)}</Chip>
                      {ended && <Chip>{t("overrides.ended")}</Chip>}
                    </>
                  }
                  more={
                    <>
                      <bdi>{each.reason}</bdi>
                      {each.expiresAt && (
                        <>
                          {" "}
                          · {t(ended ? "invitations.ended" : "invitations.until")} <When at={each.expiresAt} />
                        </>
                      )}
                    </>
                  }
                >
                  {!self && (
                    <Button
                      disabled={busy}
                      aria-label={t("act.removeWhat", { what: title })}
                      onClick={() =>
                        void run(
                          () =>
                            api.delete("/api/auth/users/{userId}/permission-overrides/{id}", { path: { userId, id: each.id } }).then(again),
                          t("overrides.removed", { title }),
                        )
                      }
                    >
                      {t("act.remove")}
                    </Button>
                  )}
                </Row>
              );
            }}
          </Rows>
        </div>
      </div>
    </Card>
  );
}
