import { useState } from "react";
import { Panel, useTexts } from "@portico/app-shell";

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

export default function Broken() {
  const { t } = useTexts();
  return (
    <>
      <h1>{t("broken.title")}</h1>
      <Panel>
        <Bomb />
      </Panel>
      <p id="rest">{t("broken.rest")}</p>
    </>
  );
}
