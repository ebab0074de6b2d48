import { useTexts } from "@portico/app-shell";
import { Card, Note } from "@portico/ui";
import { Page, Together } from "../parts.tsx";
import { Apps } from "./Apps.tsx";
import { Authenticator, RecoveryCodes } from "./Authenticator.tsx";
import { useFactors, useRecovery } from "./factors.ts";
import { Leaving } from "./Leaving.tsx";
import { Passkeys } from "./Passkeys.tsx";
import { Password } from "./Password.tsx";
import { Recovery } from "./Recovery.tsx";
import { Sessions } from "./Sessions.tsx";

/** How one signs in, where one is signed in, and how one leaves. What is weak stands on top. */
export default function SecurityPage() {
  const { t } = useTexts();
  return (
    <Page title={t("security.title")} text={t("security.text")}>
      <Together
        below={
          <>
            <Sessions />
            <Apps />
            <Leaving />
          </>
        }
      >
        <Weak />
        <Password />
        <Card title={t("passkeys.title")} text={t("passkeys.text")}>
          <Passkeys />
        </Card>
        <Authenticator />
        <RecoveryCodes />
        <Recovery />
      </Together>
    </Page>
  );
}

const fewCodes = 3;

function Weak() {
  const { t } = useTexts();
  const { data } = useFactors();
  const recovery = useRecovery().data;
  if (!data || !recovery) return null;
  const none = data.factors.length === 0;
  const found = [
    none && t("weak.noFactor"),
    !none && data.recoveryCodesLeft === 0 && t("weak.noCodes"),
    !none && data.recoveryCodesLeft > 0 && data.recoveryCodesLeft < fewCodes && t("weak.fewCodes", { count: data.recoveryCodesLeft }),
    recovery.status !== "verified" && t("weak.noRecovery"),
  ].filter((each) => each !== false);
  if (found.length === 0) return <Note kind="good">{t("weak.nothing")}</Note>;
  return (
    <Note kind="warn">
      <ul>
        {found.map((each) => (
          <li key={each}>{each}</li>
        ))}
      </ul>
    </Note>
  );
}
