import { useMe, useQuery, useSession, useTexts } from "@portico/app-shell";
import { Button } from "@mantine/core";
import { Card, Confirm, Dialog, JobView, problemOf, saveAs, useDeed, useJob } from "@portico/ui";
import { Download } from "lucide-react";
import { useEffect, useState, type ReactNode } from "react";
import { useIdentity, whole } from "../service.ts";
import page from "@portico/ui/page.module.css";

/** All that is kept of a person, as a file; and the end of the account, which can be taken back until a day that is said. */
export function Leaving() {
  const { t, date } = useTexts();
  const api = useIdentity();
  const { user } = useMe();
  const { busy, run } = useDeed();
  // In the address: whoever leaves or loads the page anew comes back to the file.
  const [exportId, setExportId] = useQuery("export");
  const [asking, setAsking] = useState(false);
  const [until, setUntil] = useState("");
  const begin = () => void run(async () => setExportId((await whole(api.post("/api/auth/me/export", { body: {} }))).exportId));
  const remove = () => {
    setAsking(false);
    void run(async () => setUntil((await whole(api.delete("/api/auth/me", { body: { confirm: "delete" } }))).deletionAt));
  };
  const ask = (
    <Button leftSection={<Download size={16} aria-hidden />} loading={busy} onClick={begin}>
      {t("export.begin")}
    </Button>
  );
  return (
    <>
      <Card title={t("export.title")} text={t("export.text")} tools={!exportId && ask}>
        {exportId && <Export key={exportId} id={exportId} ask={ask} onGone={() => setExportId(null)} />}
      </Card>
      <Card
        title={t("leave.title")}
        text={t("leave.text")}
        danger
        tools={
          <Button color="red" loading={busy} onClick={() => setAsking(true)}>
            {t("leave.begin")}
          </Button>
        }
      />
      {until && <Left until={date(until, { dateStyle: "long" })} />}
      <Confirm
        open={asking}
        title={t("leave.title")}
        text={t("leave.sure")}
        act={t("leave.begin")}
        typed={user.email}
        onClose={() => setAsking(false)}
        onConfirm={remove}
      />
    </>
  );
}

/** The account has ended, and the sign-in with it. It stands above the question to sign in again, which would take that back. */
function Left({ until }: { until: string }) {
  const { t } = useTexts();
  const { status } = useSession();
  const [asked, setAsked] = useState("");
  useEffect(() => setAsked(status), [status]);
  const away = () => location.replace("/login");
  return (
    <Dialog
      key={asked}
      open
      title={t("leave.left")}
      onClose={away}
      actions={
        <Button data-autofocus variant="filled" onClick={away}>
          {t("act.done")}
        </Button>
      }
    >
      <p>{t("leave.until", { date: until })}</p>
    </Dialog>
  );
}

function Export({ id, ask, onGone }: { id: string; ask: ReactNode; onGone: () => void }) {
  const { t, bytes, dateTime } = useTexts();
  const api = useIdentity();
  const { busy, run } = useDeed();
  const path = `/api/auth/me/export/${encodeURIComponent(id)}`;
  const { answer, job, error } = useJob<{ status: string; sizeBytes: number; expiresAt: string | null }>(path, ({ status }) => ({
    state: status === "ready" ? "done" : status === "running" ? "running" : "failed",
    done: 0,
  }));
  const gone = Boolean(error) && problemOf(error).status === 404;
  useEffect(() => {
    if (gone) onGone();
  }, [gone]);
  const save = () =>
    void run(async () => {
      const blob = await (await api.raw(`${path}/file`)).blob();
      saveAs(blob, "my-data.json");
    });
  if (!job) return null;
  return (
    <JobView job={job} error={error}>
      {job.state === "failed" && ask}
      {job.state === "done" && answer && (
        <div className={page["row"]}>
          <Button variant="filled" leftSection={<Download size={16} aria-hidden />} loading={busy} onClick={save}>
            {t("export.save", { size: bytes(answer.sizeBytes) })}
          </Button>
          {answer.expiresAt && <span className={page["muted"]}>{t("export.until", { date: dateTime(answer.expiresAt) })}</span>}
        </div>
      )}
    </JobView>
  );
}
