import { navigate, useAuth, useMe, useTexts } from "@portico/app-shell";
import { Button } from "@mantine/core";
import { Bones, Card, Failed, Loaded, Page, useDeed, Waiting } from "@portico/ui";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useEffect, useState } from "react";
import { useRecoveryEmail } from "../identity.ts";
import { onboardingKey, useLaunchpad } from "../service.ts";
import { RecoverySteps } from "./RecoverySteps.tsx";
import page from "@portico/ui/page.module.css";
import classes from "../page.module.css";
import own from "./onboarding.module.css";

const steps = ["recovery_email", "organization"] as const;

/** First sign-in: the recovery e-mail, then, for who may, the organization. Then the dashboard. */
export default function OnboardingPage() {
  const { t } = useTexts();
  const { user } = useMe();
  const auth = useAuth();
  const api = useLaunchpad();
  const client = useQueryClient();
  const query = useQuery({ queryKey: onboardingKey, staleTime: 0, queryFn: ({ signal }) => api.get("/api/onboarding", { signal }) });
  const { data } = query;
  const done = data?.step === "done";
  useEffect(() => {
    // The state of the user has to say so, too: pages look at it.
    if (done) void auth.readMe().finally(() => navigate("/dashboard", { replace: true }));
  }, [auth, done]);
  if (!data || done)
    return (
      <Page title={t("onboarding.title")}>
        {query.error && !data ? (
          <Failed error={query.error} retry={() => void query.refetch()} />
        ) : (
          <Waiting skeleton={<Bones lines={5} />} />
        )}
      </Page>
    );
  const shown = data.service.manageable ? steps : steps.slice(0, 1);
  const at = shown.indexOf(data.step as "organization");
  const next = () => client.invalidateQueries({ queryKey: onboardingKey });
  return (
    <Page title={t("onboarding.hello", { name: user.displayName })} text={t("onboarding.text", { count: shown.length })}>
      <ol className={own["steps"]} aria-label={t("onboarding.steps")}>
        {shown.map((each, index) => (
          <li key={each} aria-current={index === at ? "step" : undefined} data-done={index < at || undefined}>
            {t(`onboarding.${each}`)}
          </li>
        ))}
      </ol>
      {data.step === "recovery_email" ? <RecoveryStep next={next} /> : <OrganizationStep next={next} />}
    </Page>
  );
}

function RecoveryStep({ next }: { next: () => Promise<unknown> }) {
  const { t } = useTexts();
  const query = useRecoveryEmail();
  return (
    <Card title={t("onboarding.recovery_email")} text={t("onboarding.recoveryText")}>
      <Loaded query={query} lines={3}>
        {(recovery) => <RecoverySteps recovery={recovery} onVerified={next} />}
      </Loaded>
    </Card>
  );
}

/** What members may do with apps. The rules can be changed in the settings. */
function OrganizationStep({ next }: { next: () => Promise<unknown> }) {
  const { t } = useTexts();
  const api = useLaunchpad();
  const { busy, run } = useDeed();
  const { organizations, organizationId } = useMe();
  const [allowRequests, setRequests] = useState(true);
  const [allowPersonalInstalls, setPersonal] = useState(false);
  const name = organizations.find(({ id }) => id === organizationId)?.name ?? "";
  const finish = () =>
    void run(async () => {
      await api.put("/api/org-settings", { body: { allowRequests, allowPersonalInstalls } });
      await api.post("/api/onboarding/complete", { body: {} });
      await next();
    });
  return (
    <Card title={t("onboarding.organizationOf", { name })} text={t("onboarding.organizationText")}>
      <div className={classes["stack"]}>
        <label className={page["check"]}>
          <input type="checkbox" checked={allowRequests} onChange={(event) => setRequests(event.currentTarget.checked)} />
          <span>
            {t("org.allowRequests")}
            <small>{t("org.allowRequestsHint")}</small>
          </span>
        </label>
        <label className={page["check"]}>
          <input type="checkbox" checked={allowPersonalInstalls} onChange={(event) => setPersonal(event.currentTarget.checked)} />
          <span>
            {t("org.allowPersonal")}
            <small>{t("org.allowPersonalHint")}</small>
          </span>
        </label>
        <div className={classes["acts"]}>
          <Button variant="filled" loading={busy} onClick={finish}>
            {t("onboarding.finish")}
          </Button>
        </div>
      </div>
    </Card>
  );
}
