import { useCan, useTexts } from "@portico/app-shell";
import { Button } from "@mantine/core";
import { useDeed } from "@portico/ui";
import { useState } from "react";
import { PersonField } from "../PersonField.tsx";
import { useMembers } from "../people.ts";
import { useLaunchpad, useReload, type Assignment, type CatalogEntry } from "../service.ts";
import page from "@portico/ui/page.module.css";
import classes from "../page.module.css";

const modes = ["required", "optional", "blocked"] as const;

/** Rules for single members: the ones that exist, and a form for another one. */
export function PersonRules({ rules, apps }: { rules: readonly Assignment[]; apps: readonly CatalogEntry[] }) {
  const { t } = useTexts();
  const api = useLaunchpad();
  const reload = useReload();
  const may = useCan("assignments:manage");
  const members = useMembers() ?? [];
  const { busy, run } = useDeed();
  const single = rules.filter(({ subject }) => subject.type === "user");
  const appName = (id: string) => apps.find(({ service_id }) => service_id === id)?.name ?? id;
  const personName = (id: string | null) => members.find(({ userId }) => userId === id)?.name ?? t("actions.member");
  const remove = (id: string) => void run(() => api.delete("/api/assignments/{id}", { path: { id } }).finally(reload), t("assign.removed"));
  return (
    <div className={classes["stack"]}>
      <h3>{t("assign.people")}</h3>
      {single.length === 0 && <p className={page["muted"]}>{t("assign.noPeople")}</p>}
      {single.length > 0 && (
        <ul className={page["plain"]}>
          {single.map(({ id, service_id, subject, mode }) => (
            <li key={id}>
              <span className={page["grow"]}>
                <bdi className={classes["strong"]}>{personName(subject.id)}</bdi>
                <span className={page["more"]}>{t("assign.person", { app: appName(service_id), mode: t(`mode.${mode}`) })}</span>
              </span>
              {may && (
                <Button
                  size="compact-sm"
                  variant="subtle"
                  loading={busy}
                  aria-label={t("assign.removeName", { app: appName(service_id), name: personName(subject.id) })}
                  onClick={() => remove(id)}
                >
                  {t("act.remove")}
                </Button>
              )}
            </li>
          ))}
        </ul>
      )}
      {may && members.length > 0 && <NewRule apps={apps} />}
    </div>
  );
}

function NewRule({ apps }: { apps: readonly CatalogEntry[] }) {
  const { t } = useTexts();
  const api = useLaunchpad();
  const reload = useReload();
  const { busy, run } = useDeed();
  const [person, setPerson] = useState("");
  const [app, setApp] = useState("");
  const [mode, setMode] = useState<(typeof modes)[number]>("required");
  const add = () =>
    void run(
      () => api.post("/api/assignments", { body: { service_id: app, subject: { type: "user", id: person }, mode } }).finally(reload),
      t("assign.saved"),
    ).then((done) => done && (setPerson(""), setApp("")));
  return (
    <div className={classes["acts"]} role="group" aria-label={t("assign.add")}>
      <PersonField label={t("actions.person")} value={person} onChange={setPerson} />
      <label className={page["field"]}>
        {t("assign.app")}
        <select value={app} onChange={(event) => setApp(event.currentTarget.value)}>
          <option value="">{t("assign.chooseApp")}</option>
          {apps.map(({ service_id, name }) => (
            <option key={service_id} value={service_id}>
              {name}
            </option>
          ))}
        </select>
      </label>
      <label className={page["field"]}>
        {t("assign.mode")}
        <select value={mode} onChange={(event) => setMode(event.currentTarget.value as (typeof modes)[number])}>
          {modes.map((each) => (
            <option key={each} value={each}>
              {t(`mode.${each}`)}
            </option>
          ))}
        </select>
      </label>
      <Button loading={busy} disabled={!person || !app} onClick={add}>
        {t("assign.add")}
      </Button>
    </div>
  );
}
