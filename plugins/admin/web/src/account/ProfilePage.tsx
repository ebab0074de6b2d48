import { useAuth, useMe, usePreference, useTexts } from "@portico/app-shell";
import { Button } from "@mantine/core";
import { Card, type Field, Form, Note, useDeed, useUi } from "@portico/ui";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useMemo, useState } from "react";
import { Page } from "../parts.tsx";
import { useIdentity, whole } from "../service.ts";
import classes from "../page.module.css";

interface Values {
  readonly displayName: string;
  readonly givenName: string;
  readonly familyName: string;
  readonly locale: string;
  readonly timezone: string;
}

const path = "/api/auth/me/email";

/** What others see of a person, and how the pages speak to them. */
export default function ProfilePage() {
  const { t, locale } = useTexts();
  const { notices } = useUi();
  const api = useIdentity();
  const auth = useAuth();
  const { user, answer } = useMe();
  const [menuLocale, setMenuLocale] = usePreference("locale", "", { shared: true });
  const said = answer["user"] as Partial<Record<"givenName" | "familyName", string>>;
  const initial = useMemo(
    (): Values => ({
      displayName: user.displayName,
      givenName: said.givenName ?? "",
      familyName: said.familyName ?? "",
      locale: menuLocale || user.locale || locale,
      timezone: user.timezone,
    }),
    [user, locale, menuLocale, said.givenName, said.familyName],
  );
  const fields = useMemo((): Field<keyof Values>[] => {
    const languages = new Intl.DisplayNames([locale], { type: "language" });
    const tongues = [...new Set(["en", "en-GB", "de", "de-AT", "de-CH", initial.locale])];
    const here = Intl.DateTimeFormat().resolvedOptions().timeZone;
    const zones = [...new Set(["UTC", ...Intl.supportedValuesOf("timeZone"), ...(user.timezone ? [user.timezone] : [])])];
    return [
      { name: "displayName", label: t("profile.displayName"), hint: t("profile.displayNameHint"), autoComplete: "name" },
      { name: "givenName", label: t("profile.givenName"), autoComplete: "given-name" },
      { name: "familyName", label: t("profile.familyName"), autoComplete: "family-name" },
      {
        name: "locale",
        label: t("profile.locale"),
        kind: "choice",
        options: tongues.map((value) => ({ value, label: languages.of(value) ?? value })),
      },
      {
        name: "timezone",
        label: t("profile.timezone"),
        hint: t("profile.timezoneHint", { zone: here }),
        kind: "choice",
        options: zones.map((value) => ({ value, label: value.replaceAll("_", " ") })),
      },
    ];
  }, [t, locale, initial.locale, user.timezone]);
  const save = async (values: Values): Promise<void> => {
    // Only what is new: what another tab has changed meanwhile stays.
    await api.patch("/api/auth/me", {
      body: Object.fromEntries(Object.entries(values).filter(([name, value]) => value !== initial[name as keyof Values])),
    });
    // What the menu of the account says goes before it.
    if (menuLocale && values.locale !== menuLocale) setMenuLocale("");
    await auth.readMe();
    notices.tell({ kind: "done", text: t("profile.saved") });
  };
  return (
    <Page title={t("profile.title")} text={t("profile.text")}>
      <Card title={t("profile.person")}>
        <Form
          stays
          fields={fields}
          initial={initial}
          schema={{
            required: ["displayName", "locale"],
            properties: { displayName: { maxLength: 200 }, givenName: { maxLength: 100 }, familyName: { maxLength: 100 } },
          }}
          submit={save}
        />
      </Card>
      <Email />
    </Page>
  );
}

/** The address that one signs in with. It changes when the new one has been confirmed; the old one is told, and may take it back for a week. */
function Email() {
  const { t, dateTime } = useTexts();
  const api = useIdentity();
  const { user } = useMe();
  const client = useQueryClient();
  const { busy, run } = useDeed();
  const { data } = useQuery({ queryKey: [path], queryFn: ({ signal }) => whole(api.get(path, { signal })) });
  const again = () => client.invalidateQueries({ queryKey: [path] });
  const pending = data?.pending;
  const [open, setOpen] = useState(false);
  const [sentTo, setSentTo] = useState("");
  const send = async ({ newEmail }: { newEmail: string }): Promise<void> => {
    await api.post(path, { body: { newEmail } });
    setSentTo(newEmail);
    setOpen(false);
    await again();
  };
  const cancel = () =>
    void run(async () => {
      await api.delete(path);
      setSentTo("");
      await again();
    }, t("email.cancelled"));
  return (
    <Card
      title={t("email.title")}
      text={t("email.text")}
      tools={!open && <Button onClick={() => setOpen(true)}>{t("email.change")}</Button>}
    >
      <div className={classes["stack"]}>
        <bdi>{user.email}</bdi>
        {sentTo && (
          <Note kind="good" alert>
            {t("email.sent", { email: sentTo })}
          </Note>
        )}
        {pending && (
          <>
            {!sentTo && <Note kind="warn">{t("email.pending", { email: pending.newEmail, time: dateTime(pending.expiresAt) })}</Note>}
            <Button size="compact-sm" loading={busy} onClick={cancel}>
              {t("email.cancel")}
            </Button>
          </>
        )}
        {open && (
          <Form
            fields={[{ name: "newEmail", label: t("email.new"), kind: "email", autoComplete: "email" }]}
            initial={{ newEmail: "" }}
            schema={{ required: ["newEmail"], properties: { newEmail: { format: "email" } } }}
            act={t("email.send")}
            submit={send}
            onCancel={() => setOpen(false)}
          />
        )}
      </div>
    </Card>
  );
}
