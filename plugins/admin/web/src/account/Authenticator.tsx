import { useTexts } from "@portico/app-shell";
import { Button } from "@mantine/core";
import { Card, Confirm, Copied, Dialog, Facts, Form, useDeed } from "@portico/ui";
import { useQueryClient } from "@tanstack/react-query";
import { Smartphone, Trash2 } from "lucide-react";
import { useState } from "react";
import { Row, Rows, ShownOnce, Used, When } from "../parts.tsx";
import { useIdentity, whole } from "../service.ts";
import { factorsKey, useFactors } from "./factors.ts";
import page from "@portico/ui/page.module.css";
import classes from "../page.module.css";

interface Enrollment {
  readonly enrollmentId: string;
  readonly secret: string;
  readonly qrSvg: string;
}

/** Six digits of an app. The secret is shown as a picture and as a text; the first code proves that the app has it. */
export function Authenticator() {
  const { t } = useTexts();
  const api = useIdentity();
  const client = useQueryClient();
  const { busy, run } = useDeed();
  const factors = useFactors();
  const [enrollment, setEnrollment] = useState<Enrollment | null>(null);
  const [codes, setCodes] = useState<readonly string[] | null>(null);
  const [removed, setRemoved] = useState<{ id: string; name: string } | null>(null);
  const apps = factors.data?.factors.filter(({ type }) => type === "totp");
  const again = () => client.invalidateQueries({ queryKey: factorsKey });
  const begin = () => run(async () => setEnrollment(await whole(api.post("/api/auth/mfa/totp/enroll", { body: {} }))));
  const activate = async ({ code }: { code: string }): Promise<void> => {
    if (!enrollment) return;
    const made = await whole(
      api.post("/api/auth/mfa/totp/activate", { body: { enrollmentId: enrollment.enrollmentId, code: code.replace(/\s/g, "") } }),
    );
    setEnrollment(null);
    if (made.recoveryCodes.length) setCodes(made.recoveryCodes);
    await again();
  };
  const remove = (id: string) => {
    setRemoved(null);
    void run(() => api.delete("/api/auth/mfa/{factorId}", { path: { factorId: id } }).then(again), t("totp.removed"));
  };
  return (
    <Card title={t("totp.title")} text={t("totp.text")}>
      <div className={classes["stack"]}>
        <Rows query={{ ...factors, data: apps }} lines={1} empty={t("totp.none")}>
          {(each) => (
            <Row
              key={each.id}
              name={each.name || t("totp.title")}
              more={
                <>
                  {t("passkeys.made")} <When at={each.createdAt} /> · <Used at={each.lastUsedAt} />
                </>
              }
            >
              <Button leftSection={<Trash2 size={16} aria-hidden />} onClick={() => setRemoved(each)}>
                {t("act.remove")}
              </Button>
            </Row>
          )}
        </Rows>
        {apps?.length === 0 && (
          <Button leftSection={<Smartphone size={16} aria-hidden />} loading={busy} onClick={() => void begin()}>
            {t("totp.add")}
          </Button>
        )}
      </div>
      <Dialog open={enrollment !== null} title={t("totp.add")} onClose={() => setEnrollment(null)}>
        {enrollment && (
          <div className={classes["stack"]}>
            <p>{t("totp.scan")}</p>
            <img className={classes["qr"]} alt={t("totp.picture")} src={`data:image/svg+xml,${encodeURIComponent(enrollment.qrSvg)}`} />
            <Facts
              list={[
                [
                  t("totp.secret"),
                  <Copied key="secret" text={enrollment.secret.replace(/(.{4})(?=.)/g, "$1 ")} label={t("totp.secret")} />,
                ],
              ]}
            />
            <Form
              first="code"
              fields={[{ name: "code", label: t("totp.code"), hint: t("totp.codeHint"), autoComplete: "one-time-code" }]}
              initial={{ code: "" }}
              schema={{ required: ["code"] }}
              act={t("totp.activate")}
              submit={activate}
              onCancel={() => setEnrollment(null)}
            />
          </div>
        )}
      </Dialog>
      {codes && <NewCodes codes={codes} onClose={() => setCodes(null)} />}
      <Confirm
        open={removed !== null}
        title={t("totp.removeTitle")}
        text={t("totp.removeText")}
        act={t("act.remove")}
        onClose={() => setRemoved(null)}
        onConfirm={() => removed && remove(removed.id)}
      />
    </Card>
  );
}

/** Codes for the day on which the phone is gone. */
export function RecoveryCodes() {
  const { t } = useTexts();
  const api = useIdentity();
  const client = useQueryClient();
  const { busy, run } = useDeed();
  const { data } = useFactors();
  const [asking, setAsking] = useState(false);
  const [codes, setCodes] = useState<readonly string[] | null>(null);
  if (!data || (data.factors.length === 0 && data.recoveryCodesLeft === 0)) return null;
  const make = () => {
    setAsking(false);
    void run(async () => {
      setCodes((await whole(api.post("/api/auth/mfa/recovery-codes"))).recoveryCodes);
      await client.invalidateQueries({ queryKey: factorsKey });
    });
  };
  return (
    <Card
      title={t("codes.title")}
      text={t("codes.text")}
      tools={
        <Button loading={busy} onClick={() => (data.recoveryCodesLeft ? setAsking(true) : make())}>
          {t("codes.make")}
        </Button>
      }
    >
      <p className={page["muted"]}>{t("codes.left", { count: data.recoveryCodesLeft })}</p>
      <Confirm
        open={asking}
        title={t("codes.make")}
        text={t("codes.makeText")}
        act={t("codes.make")}
        onClose={() => setAsking(false)}
        onConfirm={make}
      />
      {codes && <NewCodes codes={codes} onClose={() => setCodes(null)} />}
    </Card>
  );
}

function NewCodes({ codes, onClose }: { codes: readonly string[]; onClose: () => void }) {
  const { t } = useTexts();
  return <ShownOnce title={t("codes.title")} text={t("codes.once")} file="recovery-codes.txt" value={codes.join("\n")} onClose={onClose} />;
}
