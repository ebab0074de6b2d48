import { useMe, useTexts } from "@portico/app-shell";
import { Button } from "@mantine/core";
import { Card, problemOf, useUi } from "@portico/ui";
import { useId, useState, type FormEvent } from "react";
import { useIdentity } from "../service.ts";
import page from "@portico/ui/page.module.css";
import classes from "../page.module.css";

/** Changing the password: the old one and the new one. Whoever is signed in elsewhere is signed out there, unless one says otherwise. */
export function Password() {
  const { t, has } = useTexts();
  const { notices, sentence } = useUi();
  const api = useIdentity();
  const { user } = useMe();
  const [open, setOpen] = useState(false);
  const [seen, setSeen] = useState(false);
  const [wrong, setWrong] = useState<{ field: string; text: string } | null>(null);
  const [busy, setBusy] = useState(false);
  const id = useId();
  const send = async (event: FormEvent<HTMLFormElement>): Promise<void> => {
    event.preventDefault();
    const form = event.currentTarget;
    const values = new FormData(form);
    setBusy(true);
    try {
      await api.put("/api/auth/password", {
        body: {
          currentPassword: String(values.get("current")),
          newPassword: String(values.get("new")),
          revokeOtherSessions: values.get("others") === "on",
        },
      });
      setOpen(false);
      setWrong(null);
      notices.tell({ kind: "done", text: t("password.changed") });
    } catch (error) {
      const { code, errors } = problemOf(error);
      const why = errors.find(({ field }) => field === "newPassword")?.code ?? code;
      const field = code === "invalid_credentials" ? "current" : "new";
      setWrong({ field, text: has(`password.${why}`) ? t(`password.${why}`) : sentence(error) });
      form.querySelector<HTMLInputElement>(`[name="${field}"]`)?.focus();
    } finally {
      setBusy(false);
    }
  };
  const input = (name: "current" | "new") => (
    <label className={page["field"]}>
      {t(`password.${name}`)}
      <input
        name={name}
        required
        type={seen ? "text" : "password"}
        autoComplete={`${name}-password`}
        autoFocus={name === "current"}
        aria-invalid={wrong?.field === name}
        aria-describedby={wrong?.field === name ? `${id}-wrong` : undefined}
      />
      {name === "new" && <small>{t("password.rule")}</small>}
      {wrong?.field === name && (
        <span id={`${id}-wrong`} className={classes["wrong"]} role="alert">
          {wrong.text}
        </span>
      )}
    </label>
  );
  return (
    <Card
      title={t("password.title")}
      text={t("password.text")}
      tools={!open && <Button onClick={() => setOpen(true)}>{t("password.change")}</Button>}
    >
      {open && (
        <form className={classes["stack"]} onSubmit={(event) => void send(event)}>
          <input hidden readOnly autoComplete="username" value={user.email} />
          {input("current")}
          {input("new")}
          <label className={page["check"]}>
            <input type="checkbox" checked={seen} onChange={(event) => setSeen(event.currentTarget.checked)} />
            <span>{t("password.show")}</span>
          </label>
          <label className={page["check"]}>
            <input type="checkbox" name="others" defaultChecked />
            <span>{t("password.others")}</span>
          </label>
          <div className={page["row"]}>
            <Button onClick={() => setOpen(false)}>{t("act.cancel")}</Button>
            <Button type="submit" variant="filled" loading={busy}>
              {t("password.change")}
            </Button>
          </div>
        </form>
      )}
    </Card>
  );
}
