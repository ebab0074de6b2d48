import { useCan, useTexts } from "@portico/app-shell";
import { Button } from "@mantine/core";
import { FileDrop, Form, useDeed } from "@portico/ui";
import { useAnew, useCalendar, whole, type Host } from "../service.ts";
import { serverOf } from "../calendars/calendars.ts";
import { drawn } from "./drawn.ts";
import page from "@portico/ui/page.module.css";
import classes from "../page.module.css";

/** Bytes of a file that is made smaller before it is sent. */
const largest = 25 * 1024 * 1024;

/** A picture of the host: a file, or an address elsewhere. It is shown from the moment that it is chosen. */
export function Picture({ use, url }: { use: "avatar" | "logo"; url: string }) {
  const { t } = useTexts();
  const api = useCalendar();
  const anew = useAnew();
  const mayWrite = useCan("host:write");
  const { busy, run } = useDeed();
  const isOurs = url.startsWith(`${location.origin}/public/pictures/`);
  const send = async (file: File) => {
    const body = await drawn(file, use === "avatar");
    await api.raw(`/api/admin/host/pictures/${use}`, { method: "PUT", body, headers: { "Content-Type": body.type } });
    await anew();
  };
  const name = async (to: string) => {
    const body: Partial<Host> | { branding: { logoUrl: string } } = use === "avatar" ? { avatarUrl: to } : { branding: { logoUrl: to } };
    await whole(api.put("/api/admin/host", { body }));
    await anew();
  };
  return (
    <section className={classes["picture"]} aria-label={t(`picture.${use}`)}>
      <p className={classes["strong"]}>{t(`picture.${use}`)}</p>
      {url && (
        <span className={page["row"]}>
          {isOurs ? (
            <img src={url} alt={t(`picture.${use}Now`)} data-use={use} />
          ) : (
            <span className={page["muted"]}>{t("picture.elsewhere", { server: serverOf(url) })}</span>
          )}
          {mayWrite && (
            <Button
              size="compact-sm"
              disabled={busy}
              aria-label={t("act.removeWhat", { what: t(`picture.${use}`) })}
              onClick={() => void run(() => name(""), t("picture.removed"))}
            >
              {t("act.remove")}
            </Button>
          )}
        </span>
      )}
      {mayWrite && (
        <>
          <FileDrop
            accept="image/*"
            limit={largest}
            label={busy ? t("picture.sending") : t(url ? "picture.another" : "picture.choose")}
            onFiles={([file]) => file && void run(() => send(file), t("picture.saved"))}
          />
          <details className={classes["details"]}>
            <summary>{t("picture.byAddress")}</summary>
            <Form
              key={url}
              initial={{ url: isOurs ? "" : url }}
              schema={{ properties: { url: { type: "string", format: "uri", maxLength: 2000 } } }}
              fields={[{ name: "url", label: t("picture.address"), kind: "url" }]}
              submit={({ url: to }) => name(to)}
            />
          </details>
        </>
      )}
    </section>
  );
}
