import { useTexts } from "@portico/app-shell";
import { Button } from "@mantine/core";
import { Card, Facts, Loaded, Note, useDeed } from "@portico/ui";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { billingKey, packages, useBilling, type Package, type PlanWish, type Preview, type Subscription } from "../billing.ts";
import { useCatalog } from "../service.ts";
import page from "@portico/ui/page.module.css";
import classes from "../page.module.css";

const mostSeats = 10_000;
const sizes: Readonly<Record<Package, number | null>> = { three: 3, five: 5, ten: 10, everything: null };

/** Another package, other apps or another number of seats: first what it costs, then the change. */
export function PlanChange({ plan }: { plan: Subscription & { id: string } }) {
  const { t } = useTexts();
  const [chosen, setChosen] = useState<Package>(plan.package ?? "three");
  const [seats, setSeats] = useState(String(plan.seats.purchased));
  const [apps, setApps] = useState<readonly string[]>(plan.selectedServiceIds);
  const [wish, setWish] = useState<PlanWish>();
  const { data: catalog } = useCatalog();
  const eligible = (catalog ?? []).filter(({ commerce }) => commerce.bundleEligible && commerce.countsTowardBundle);
  const offered = packages.filter((each) => each === plan.package || (sizes[each] ?? 0) <= eligible.length);
  const size = sizes[chosen];
  const number = Number(seats);
  const fits = Number.isInteger(number) && number >= 1 && number <= mostSeats && (size === null || apps.length === size);
  const sameApps = apps.length === plan.selectedServiceIds.length && apps.every((each) => plan.selectedServiceIds.includes(each));
  /** What differs from the plan, so that a change by another member stays. */
  const wanted: PlanWish = {
    ...(chosen !== plan.package && { package: chosen }),
    ...(number !== plan.seats.purchased && { seats: number }),
    ...(size !== null && !sameApps && { selectedServiceIds: [...apps] }),
  };
  const ready = fits && Object.keys(wanted).length > 0;
  const edit = (change: () => void) => {
    change();
    setWish(undefined);
  };
  return (
    <Card title={t("billing.change")} text={t("billing.changeText")}>
      <form
        className={classes["stack"]}
        onSubmit={(event) => {
          event.preventDefault();
          if (ready) setWish(wanted);
        }}
      >
        <label className={page["field"]}>
          {t("billing.package")}
          <select value={chosen} onChange={(event) => edit(() => setChosen(event.currentTarget.value as Package))}>
            {offered.map((each) => (
              <option key={each} value={each}>
                {t(`package.${each}`)}
              </option>
            ))}
          </select>
        </label>
        <label className={page["field"]}>
          {t("billing.seats")}
          <input
            type="number"
            min={1}
            max={mostSeats}
            value={seats}
            onChange={(event) => edit(() => setSeats(event.currentTarget.value))}
          />
        </label>
        {size !== null && (
          <fieldset className={classes["scopes"]}>
            <legend>{t("billing.choose", { count: size, chosen: String(apps.length) })}</legend>
            {eligible.map(({ service_id, name }) => (
              <label key={service_id} className={page["check"]}>
                <input
                  type="checkbox"
                  checked={apps.includes(service_id)}
                  onChange={(event) => {
                    const on = event.currentTarget.checked;
                    edit(() => setApps(on ? [...apps, service_id] : apps.filter((each) => each !== service_id)));
                  }}
                />
                <span>{name}</span>
              </label>
            ))}
          </fieldset>
        )}
        <p>
          <Button type="submit" disabled={!ready}>
            {t("billing.preview")}
          </Button>
        </p>
      </form>
      {wish && <Cost plan={plan} wish={wish} onDone={() => setWish(undefined)} />}
    </Card>
  );
}

function Cost({ plan, wish, onDone }: { plan: Subscription & { id: string }; wish: PlanWish; onDone: () => void }) {
  const { t, money, date } = useTexts();
  const api = useBilling();
  const client = useQueryClient();
  const { busy, run } = useDeed();
  const query = useQuery({
    queryKey: [...billingKey, "preview", wish],
    gcTime: 0,
    retry: false,
    queryFn: ({ signal }) => api.get("/api/billing/preview", { query: wish, signal }),
  });
  const change = (preview: Preview) =>
    void run(async () => {
      try {
        await api.post("/api/billing/subscriptions/{id}/change", {
          path: { id: plan.id },
          body: { ...wish, prorationDate: preview.proration.at },
          version: plan.version,
        });
        onDone();
      } finally {
        await client.invalidateQueries({ queryKey: billingKey });
      }
    }, t("billing.changed"));
  const amount = (value: number) => money(value, plan.unitPrice.currency);
  return (
    <div role="status" className={classes["stack"]}>
      <Loaded query={query} lines={4}>
        {(preview) => (
          <>
            <Facts
              list={[
                [t("billing.now"), <strong data-amount={preview.proration.chargeNow}>{amount(preview.proration.chargeNow)}</strong>],
                [t("billing.credit"), amount(preview.proration.creditAmount)],
                [t("billing.next"), amount(preview.proration.nextInvoiceTotal)],
                [t("billing.nextAt"), preview.proration.nextInvoiceAt ? date(preview.proration.nextInvoiceAt) : "–"],
                [t("billing.gained"), preview.appsGained.join(", ") || "–"],
                [t("billing.lost"), preview.appsLost.join(", ") || "–"],
              ]}
            />
            {preview.seatsShort > 0 && <Note kind="warn">{t("billing.short", { count: preview.seatsShort })}</Note>}
            <p>
              <Button variant="filled" loading={busy} disabled={preview.seatsShort > 0} onClick={() => change(preview)}>
                {t("billing.confirm")}
              </Button>
            </p>
          </>
        )}
      </Loaded>
    </div>
  );
}
