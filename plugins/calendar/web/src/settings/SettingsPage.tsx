import { useCan, useTexts } from "@portico/app-shell";
import { Button } from "@mantine/core";
import { Card, Chip, Copied, Dialog, Facts, type Field, Form, Note, Unsaved, useDeed, useSchema, useUi } from "@portico/ui";
import { useState, type FormEvent } from "react";
import { HostPage } from "../HostPage.tsx";
import { zones } from "../parts.tsx";
import { linkOf, useAnew, useCalendar, useContext, whole, type Host } from "../service.ts";
import { BesidePage } from "../embed/PageFrame.tsx";
import { useHandle } from "../setup/handle.ts";
import { HandleField } from "../setup/HandleField.tsx";
import { shownAs } from "./accent.ts";
import { Picture } from "./Picture.tsx";
import { weekdayName, weekdays } from "../availability/WeekEditor.tsx";
import page from "@portico/ui/page.module.css";
import classes from "../page.module.css";

/** What guests see of a host, and how the service treats them. */
export default function SettingsPage() {
  const { t } = useTexts();
  return (
    <HostPage wide title={t("settings.title")}>
      {(host) => (
        <BesidePage src={`/${host.handle}`} title={t("settings.page")} version={host.version}>
          <Parts host={host} />
        </BesidePage>
      )}
    </HostPage>
  );
}

type Profile = Pick<Host, "displayName" | "headline" | "bio" | "timeZone" | "locale"> & { readonly weekStart: string };
type Look = Pick<Host["branding"], "accentColor"> & Pick<Host, "indexable">;
/** What is changed; the rest stays. */
type Changed = Partial<Omit<Host, "branding">> & { readonly branding?: Partial<Host["branding"]> };
type Rules = Pick<Host, "holdSeconds" | "dailyLimit" | "humanVerification">;

function Parts({ host }: { host: Host }) {
  const { t, locale } = useTexts();
  const { notices } = useUi();
  const api = useCalendar();
  const anew = useAnew();
  const mayWrite = useCan("host:write");
  const { busy, run } = useDeed();
  const schema = useSchema("/api/admin/host", "put");
  const off = mayWrite ? {} : { off: t("settings.mayNot") };
  const put = async (body: Changed, version?: number) => {
    await whole(api.put("/api/admin/host", { body, ...(version !== undefined && { version }) })).finally(anew);
  };
  const save = async (body: Changed) => {
    await put(body, host.version);
    notices.tell({ kind: "done", text: t("settings.saved") });
  };
  const profile: Profile = {
    displayName: host.displayName,
    headline: host.headline,
    bio: host.bio,
    timeZone: host.timeZone,
    locale: host.locale,
    weekStart: String(host.weekStart),
  };
  const look: Look = { accentColor: host.branding.accentColor, indexable: host.indexable };
  const languages = new Intl.DisplayNames([locale], { type: "language" });
  const paused = host.status === "paused";
  return (
    <>
      <Card title={t("settings.state")} tools={<Chip kind={paused ? "warn" : "good"}>{t(`status.${host.status}`)}</Chip>}>
        <div className={classes["stack"]}>
          <p className={page["muted"]}>{t(paused ? "settings.pausedText" : "settings.activeText")}</p>
          <span className={page["row"]}>
            <Copied link text={linkOf(host.handle)} label={t("types.pageLink")} />
            {mayWrite && (
              <span className={page["end"]}>
                <Button
                  variant={paused ? "filled" : "default"}
                  disabled={busy}
                  onClick={() => void run(() => put({ status: paused ? "active" : "paused" }))}
                >
                  {t(paused ? "settings.resume" : "settings.pause")}
                </Button>
              </span>
            )}
          </span>
        </div>
      </Card>
      <Card title={t("settings.profile")} text={t("settings.profileText")}>
        <div className={classes["form"]}>
          <Form<Profile>
            stays
            initial={profile}
            schema={
              schema && {
                ...schema,
                required: ["displayName", "timeZone", "weekStart", "locale"],
                properties: { ...schema.properties, weekStart: {} },
              }
            }
            fields={(
              [
                { name: "displayName", label: t("host.displayName"), autoComplete: "name" },
                { name: "headline", label: t("host.headline") },
                { name: "bio", label: t("host.bio"), kind: "multiline" },
                { name: "timeZone", label: t("host.timeZone"), kind: "choice", options: zones(host.timeZone) },
                {
                  name: "locale",
                  label: t("host.locale"),
                  kind: "choice",
                  hint: t("host.localeHint"),
                  options: [...new Set(["en", "de", host.locale])].map((value) => ({ value, label: languages.of(value) ?? value })),
                },
                {
                  name: "weekStart",
                  label: t("host.weekStart"),
                  kind: "choice",
                  options: weekdays(1).map((value) => ({ value: String(value), label: weekdayName(locale, value) })),
                },
              ] satisfies Field<keyof Profile>[]
            ).map((field) => ({ ...field, ...off }))}
            submit={({ weekStart, ...values }) => save({ ...values, weekStart: Number(weekStart) })}
          />
          <Picture use="avatar" url={host.avatarUrl} />
        </div>
      </Card>
      <Card title={t("settings.look")} text={t("settings.lookText")}>
        <div className={classes["form"]}>
          <Form<Look>
            stays
            initial={look}
            schema={{ properties: schema?.properties?.["branding"]?.properties ?? {} }}
            fields={[
              {
                name: "accentColor",
                label: t("host.accent"),
                kind: "color",
                hint: (value) => <Readable color={String(value ?? "")} />,
                ...off,
              },
              { name: "indexable", label: t("host.indexable"), kind: "yes", ...off },
            ]}
            submit={({ indexable, accentColor }) => save({ branding: { accentColor }, indexable })}
          />
          <Picture use="logo" url={host.branding.logoUrl} />
        </div>
      </Card>
      <Card title={t("settings.rules")}>
        <div className={classes["form"]}>
          <Form<Rules>
            stays
            initial={{ holdSeconds: host.holdSeconds, dailyLimit: host.dailyLimit, humanVerification: host.humanVerification }}
            schema={schema && { ...schema, required: ["holdSeconds"] }}
            fields={[
              { name: "holdSeconds", label: t("host.hold"), hint: t("host.holdHint"), kind: "number", ...off },
              { name: "dailyLimit", label: t("host.daily"), hint: t("type.noLimit"), kind: "number", ...off },
              { name: "humanVerification", label: t("host.human"), kind: "yes", ...off },
            ]}
            submit={save}
          />
        </div>
      </Card>
      <Messages />
      {mayWrite && <Handle host={host} save={save} />}
    </>
  );
}

/** Who tells the host of bookings, and where they meet: what the operator has set up. */
function Messages() {
  const { t } = useTexts();
  const { data } = useContext();
  if (!data) return null;
  const { user, outside } = data;
  return (
    <Card title={t("settings.messages")} text={t("settings.messagesText")}>
      <Facts
        list={[
          [t("settings.mail"), user.email || t("settings.noMail")],
          [t("settings.notifications"), t(outside.notifications ? "settings.notificationsYes" : "settings.notificationsNo")],
          [t("settings.chat"), t(outside.chat ? "settings.chatYes" : "settings.chatNo")],
        ]}
      />
    </Card>
  );
}

/** How a colour is read on the pages of guests, and what it becomes where it would not be. */
function Readable({ color }: { color: string }) {
  const { t, number } = useTexts();
  const shown = (["light", "dark"] as const).map((theme) => ({ theme, ...shownAs(color, theme) }));
  if (!shown[0]?.color) return t("type.colorHint");
  return (
    <span className={classes["readable"]}>
      {shown.map(({ theme, color: to = "", ratio = 0 }) => (
        <span key={theme} data-theme={theme} style={{ color: to }}>
          {t(to === color.toLowerCase() ? `accent.${theme}` : `accent.${theme}Other`, {
            color: to,
            ratio: number(Math.floor(ratio * 10) / 10),
          })}
        </span>
      ))}
    </span>
  );
}

/** The address of all pages. The old one leads here for half a year. */
function Handle({ host, save }: { host: Host; save: (body: Changed) => Promise<unknown> }) {
  const { t, date } = useTexts();
  const [open, setOpen] = useState(false);
  return (
    <Card danger title={t("handle.title")} text={t("handle.text")}>
      <div className={classes["stack"]}>
        <span className={page["row"]}>
          <code>{host.handle}</code>
          <Button color="red" onClick={() => setOpen(true)}>
            {t("handle.change")}
          </Button>
        </span>
        {host.previousHandles.map((each) => (
          <p key={each.handle} className={page["more"]}>
            {t("handle.previous", { handle: each.handle, until: date(each.until) })}
          </p>
        ))}
      </div>
      <Dialog open={open} title={t("handle.change")} onClose={() => setOpen(false)}>
        <NewHandle host={host} save={async (handle) => (await save({ handle }), setOpen(false))} onClose={() => setOpen(false)} />
      </Dialog>
    </Card>
  );
}

function NewHandle({ host, save, onClose }: { host: Host; save: (handle: string) => Promise<unknown>; onClose: () => void }) {
  const { t } = useTexts();
  const { say, sentence } = useUi();
  const [handle, setHandle] = useState(host.handle);
  const [problem, setProblem] = useState("");
  const [busy, setBusy] = useState(false);
  const answer = useHandle(handle, host.handle);
  const changed = handle !== host.handle;
  const ready = changed && answer.state === "free";
  const send = async (event: FormEvent) => {
    event.preventDefault();
    if (!ready || busy) return;
    setBusy(true);
    try {
      await save(handle);
    } catch (error) {
      setProblem(sentence(error));
      setBusy(false);
    }
  };
  return (
    <form className={classes["form"]} onSubmit={(event) => void send(event)}>
      <HandleField first handle={handle} own={host.handle} answer={answer} onChange={(value) => (setProblem(""), setHandle(value))} />
      {problem && (
        <Note kind="bad" alert>
          {problem}
        </Note>
      )}
      <Unsaved when={changed && !busy} />
      <div className={classes["ends"]}>
        <Button onClick={onClose}>{say("act.cancel")}</Button>
        <Button type="submit" variant="filled" loading={busy} disabled={!ready}>
          {t("handle.change")}
        </Button>
      </div>
    </form>
  );
}
