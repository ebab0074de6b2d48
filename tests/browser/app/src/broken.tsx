import { useState } from "react";
import { Panel, useApi, useTexts } from "@portico/app-shell";

function Bomb() {
  const { t } = useTexts();
  const [lit, setLit] = useState(false);
  if (lit) throw new Error("boom");
  return (
    <button type="button" className="p-button" onClick={() => setLit(true)}>
      {t("broken.break")}
    </button>
  );
}

/** Something that needs a fresh proof of who one is. */
function Prove() {
  const { t } = useTexts();
  const api = useApi<never>();
  const [done, setDone] = useState(false);
  const enroll = () =>
    api.raw("/api/auth/mfa/totp/enroll", { method: "POST", body: "{}", headers: { "Content-Type": "application/json" } });
  return (
    <button
      type="button"
      className="p-button"
      onClick={() =>
        void enroll().then(
          () => setDone(true),
          () => undefined,
        )
      }
    >
      {t(done ? "broken.proven" : "broken.prove")}
    </button>
  );
}

export default function Broken() {
  const { t } = useTexts();
  return (
    <>
      <h1>{t("broken.title")}</h1>
      <Panel>
        <Bomb />
      </Panel>
      <Prove />
      <p id="rest">{t("broken.rest")}</p>
    </>
  );
}
