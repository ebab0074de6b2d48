import { useCan, useMe, useTexts } from "@portico/app-shell";
import { Button } from "@mantine/core";
import { Card, Chip, Confirm, Empty, Facts, Loaded, Note, useDeed } from "@portico/ui";
import { useQueryClient } from "@tanstack/react-query";
import { CreditCard, Lock } from "lucide-react";
import { useState } from "react";
import { billingKey, currentOf, useBilling, useSubscriptions, type Subscription, type Subscriptions } from "../billing.ts";
import { PlanChange } from "./PlanChange.tsx";
import { Seats } from "./Seats.tsx";
import classes from "../page.module.css";

const kinds = {
  incomplete: "warn",
  trialing: "good",
  active: "good",
  past_due: "bad",
  unpaid: "bad",
  paused: "warn",
  canceled: "plain",
} as const;

/** The plan of the active organization or of the user, its seats, and what a change costs. */
export default function Billing() {
  const { t } = useTexts();
  const may = useCan("billing:read");
  const { organizationId } = useMe();
  if (organizationId && !may) return <Empty icon={Lock} title={t("billing.mayNot")} text={t("billing.mayNotText")} />;
  return <Owned />;
}

function Owned() {
  const query = useSubscriptions();
  return (
    <Loaded query={query} lines={6}>
      {(found) => <Plans found={found} />}
    </Loaded>
  );
}

function Plans({ found }: { found: Subscriptions }) {
  const { t } = useTexts();
  const { organizationId } = useMe();
  const may = useCan("billing:manage") || organizationId === null;
  const plan = currentOf(found);
  if (found.processor === "none")
    return (
      <Card title={t("billing.plan")}>
        <p>{t("billing.included")}</p>
      </Card>
    );
  if (!plan)
    return (
      <Card title={t("billing.plan")}>
        <Empty icon={CreditCard} title={t("billing.none")} text={t("billing.noneText")} />
        <p>
          <a href="/pricing">{t("billing.prices")}</a>
        </p>
      </Card>
    );
  return (
    <div className={classes["stack"]}>
      {!plan.livemode && <Note kind="warn">{t("billing.testMode")}</Note>}
      <Plan plan={plan} mayManage={may} />
      {/* The form begins again when its plan changes. */}
      {may && <PlanChange key={[plan.id, plan.package, plan.seats.purchased, ...plan.selectedServiceIds].join()} plan={plan} />}
      {may && <Seats plan={plan} />}
    </div>
  );
}

function Plan({ plan, mayManage }: { plan: Subscription & { id: string }; mayManage: boolean }) {
  const { t, money, date } = useTexts();
  const api = useBilling();
  const client = useQueryClient();
  const { busy, run } = useDeed();
  const [asking, setAsking] = useState(false);
  const reload = () => client.invalidateQueries({ queryKey: billingKey });
  const total = money(plan.unitPrice.amount * plan.seats.purchased, plan.unitPrice.currency);
  const openPortal = () =>
    void run(async () => {
      const { url } = await api.post("/api/billing/portal", { body: { returnPath: "/settings/billing" } });
      location.assign(url);
    });
  const cancel = (verb: "cancel" | "resume") => {
    setAsking(false);
    void run(
      () => api.post(`/api/billing/subscriptions/{id}/${verb}`, { path: { id: plan.id }, body: {} }).finally(reload),
      t(`billing.${verb}Done`),
    );
  };
  return (
    <Card
      title={t("billing.plan")}
      tools={
        mayManage && (
          <Button loading={busy} onClick={openPortal}>
            {t("billing.portal")}
          </Button>
        )
      }
    >
      <Facts
        list={[
          [t("billing.package"), t(`package.${plan.package ?? "three"}`)],
          [t("billing.status"), <Chip kind={kinds[plan.status]}>{t(`subscription.${plan.status}`)}</Chip>],
          [t("billing.price"), t(`billing.per.${plan.unitPrice.interval}`, { amount: total })],
          [t("billing.seats"), t("billing.seatsUsed", { used: String(plan.seats.used), purchased: String(plan.seats.purchased) })],
          [t(plan.cancelAtPeriodEnd ? "billing.ends" : "billing.renews"), plan.currentPeriodEnd ? date(plan.currentPeriodEnd) : "–"],
        ]}
      />
      {plan.status === "past_due" && <Note kind="bad">{t("billing.pastDue")}</Note>}
      {mayManage && (
        <p>
          {plan.cancelAtPeriodEnd ? (
            <Button size="compact-sm" loading={busy} onClick={() => cancel("resume")}>
              {t("billing.resume")}
            </Button>
          ) : (
            <Button size="compact-sm" variant="subtle" loading={busy} onClick={() => setAsking(true)}>
              {t("billing.cancel")}
            </Button>
          )}
        </p>
      )}
      <Confirm
        open={asking}
        title={t("billing.cancel")}
        text={t("billing.cancelText")}
        act={t("billing.cancel")}
        onClose={() => setAsking(false)}
        onConfirm={() => cancel("cancel")}
      />
    </Card>
  );
}
