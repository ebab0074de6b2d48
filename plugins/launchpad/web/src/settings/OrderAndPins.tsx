import { useTexts } from "@portico/app-shell";
import { Card, Steps, useOrder } from "@portico/ui";
import { useState } from "react";
import { AppIcon } from "../parts.tsx";
import { isLaunchable, ordered, type CatalogEntry, type OrgSettings } from "../service.ts";
import page from "@portico/ui/page.module.css";
import classes from "../page.module.css";

/** The order and the pins that members see until they set their own. */
export function OrderAndPins({
  apps,
  settings,
  off,
  onChange,
}: {
  apps: readonly CatalogEntry[];
  settings: OrgSettings;
  off: boolean;
  onChange: (part: Partial<OrgSettings>) => void;
}) {
  const { t } = useTexts();
  const [carried, setCarried] = useState<readonly string[] | null>(null);
  const sorted = ordered(apps.filter(isLaunchable), carried ?? settings.defaultOrder);
  const ids = sorted.map(({ service_id }) => service_id);
  const put = (from: number, to: number) => {
    const next = ids.filter((_, at) => at !== from);
    next.splice(to, 0, ids[from] ?? "");
    return next;
  };
  const save = (order: readonly string[]) => {
    setCarried(null);
    onChange({ defaultOrder: [...order] });
  };
  const order = useOrder(
    sorted.map(({ name }) => name),
    (from, to) => setCarried(put(from, to)),
    { dropped: (from, to) => (from === to ? setCarried(null) : save(carried ?? ids)) },
  );
  if (sorted.length === 0) return null;
  const pin = (id: string, on: boolean) =>
    onChange({ defaultPinned: on ? [...settings.defaultPinned, id] : settings.defaultPinned.filter((each) => each !== id) });
  return (
    <Card title={t("org.order")} text={t("org.orderText")}>
      {order.voice}
      <ol ref={order.root} className={page["plain"]}>
        {sorted.map((app, at) => (
          <li key={app.service_id}>
            {!off && order.grip(at)}
            <AppIcon app={app} size="small" />
            <bdi className={classes["name"]}>{app.name}</bdi>
            <label className={page["check"]}>
              <input
                type="checkbox"
                checked={settings.defaultPinned.includes(app.service_id)}
                disabled={off}
                aria-label={t("org.pinName", { name: app.name })}
                onChange={(event) => pin(app.service_id, event.currentTarget.checked)}
              />
              <span>{t("org.pin")}</span>
            </label>
            {!off && <Steps name={app.name} at={at} count={sorted.length} move={(to) => save(put(at, to))} />}
          </li>
        ))}
      </ol>
    </Card>
  );
}
