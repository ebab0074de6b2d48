import { useTexts } from "@portico/app-shell";
import { Card, Loaded } from "@portico/ui";
import { RecoverySteps } from "../onboarding/RecoverySteps.tsx";
import { useRecoveryEmail } from "../identity.ts";

/** The address by which the user gets in again when the first one is lost. */
export default function Recovery() {
  const { t } = useTexts();
  const query = useRecoveryEmail();
  return (
    <Card title={t("recovery.title")} text={t("recovery.text")}>
      <Loaded query={query} lines={3}>
        {(recovery) => <RecoverySteps recovery={recovery} />}
      </Loaded>
    </Card>
  );
}
