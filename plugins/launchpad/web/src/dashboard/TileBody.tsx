import { useTexts } from "@portico/app-shell";
import { useMemo } from "react";
import { LaunchLink, When } from "../parts.tsx";
import type { Metric, Size, Widget, WidgetItem } from "../service.ts";
import classes from "./dashboard.module.css";

/** How much of a widget a size has room for. */
const room: Readonly<Record<Size, { metrics: number; items: number; series: boolean; actions: number }>> = {
  s: { metrics: 2, items: 0, series: false, actions: 0 },
  m: { metrics: 4, items: 2, series: false, actions: 1 },
  l: { metrics: 6, items: 6, series: true, actions: 2 },
};

/** The figures, rows and links of a widget. Texts are plain; links open the app signed in. */
export function TileBody({ widget: sent, service, size }: { widget: Partial<Widget>; service: string; size: Size }) {
  // An app may leave out what it has nothing for.
  const widget = { status: "ok" as const, summary: null, metrics: [], items: [], series: [], actions: [], ...sent };
  const { emptyState, setup, more } = widget;
  if (widget.status === "setup_required" && setup)
    return <Told text={setup.body} service={service} act={{ label: setup.title, href: setup.href }} />;
  if (widget.status === "empty" && emptyState)
    return <Told title={emptyState.title} text={emptyState.body} service={service} act={emptyState.action} />;
  const { metrics, items, series, actions } = room[size];
  const rows = widget.metrics.length > 0 ? widget.items.slice(0, items) : widget.items.slice(0, items + 2);
  const line = series ? widget.series[0] : undefined;
  return (
    <>
      {widget.summary && <p className={classes["summary"]}>{widget.summary}</p>}
      {widget.metrics.length > 0 && (
        <dl className={classes["metrics"]}>
          {widget.metrics.slice(0, metrics).map((each) => (
            <Figure key={each.id} metric={each} service={service} />
          ))}
        </dl>
      )}
      {line && line.points.length > 1 && <Line label={line.label} values={line.points.map(([, value]) => value)} />}
      {rows.length > 0 && (
        <ul className={classes["items"]} data-size={size}>
          {rows.map((each) => (
            <Row key={each.id} item={each} service={service} />
          ))}
        </ul>
      )}
      {(more || widget.actions.length > 0) && (size === "l" || (size === "m" && rows.length === 0)) && (
        <p className={classes["links"]}>
          {widget.actions.slice(0, actions).map((each) => (
            <LaunchLink key={each.id} service={service} returnTo={each.href}>
              {each.label}
            </LaunchLink>
          ))}
          {more && (
            <LaunchLink service={service} returnTo={more.href}>
              {more.label}
            </LaunchLink>
          )}
        </p>
      )}
    </>
  );
}

/** A sentence in place of figures, and what to do about it. */
function Told({
  title,
  text,
  service,
  act,
}: {
  title?: string;
  text: string;
  service: string;
  act?: { label: string; href: string } | null | undefined;
}) {
  return (
    <div className={classes["told"]}>
      {title && <p className={classes["strong"]}>{title}</p>}
      <p className={classes["quiet"]}>{text}</p>
      {act && (
        <LaunchLink service={service} returnTo={act.href}>
          {act.label}
        </LaunchLink>
      )}
    </div>
  );
}

function Figure({ metric, service }: { metric: Metric; service: string }) {
  const { t } = useTexts();
  const format = useFormat();
  const value = format(metric);
  const { delta } = metric;
  return (
    <div>
      <dt>{metric.label}</dt>
      <dd>
        {metric.href ? (
          <LaunchLink service={service} returnTo={metric.href}>
            {value}
          </LaunchLink>
        ) : (
          value
        )}
        {delta && delta.value !== 0 && (
          <small data-sentiment={delta.sentiment}>
            {delta.direction === "down" ? "−" : "+"}
            {Math.abs(delta.value)} <span className="ui-hidden">{t("tile.in", { period: delta.period })}</span>
          </small>
        )}
      </dd>
    </div>
  );
}

function Row({ item, service }: { item: WidgetItem; service: string }) {
  return (
    <li data-status={item.status}>
      <span>
        {item.href ? (
          <LaunchLink service={service} returnTo={item.href}>
            <bdi>{item.title}</bdi>
          </LaunchLink>
        ) : (
          <bdi>{item.title}</bdi>
        )}
        {item.subtitle && <small>{item.subtitle}</small>}
      </span>
      {item.badge ? (
        <small>{item.badge}</small>
      ) : (
        item.timestamp && (
          <small>
            <When at={item.timestamp} />
          </small>
        )
      )}
    </li>
  );
}

const [width, height] = [240, 36];

function Line({ label, values }: { label: string; values: readonly number[] }) {
  const { t, number } = useTexts();
  const most = Math.max(...values, 1);
  const points = values
    .map((value, at) => `${((at * width) / (values.length - 1)).toFixed(1)},${(height - 2 - (value * (height - 4)) / most).toFixed(1)}`)
    .join(" ");
  return (
    <svg
      className={classes["line"]}
      viewBox={`0 0 ${width} ${height}`}
      preserveAspectRatio="none"
      role="img"
      aria-label={t("tile.line", { label, values: values.map((each) => number(each)).join(", ") })}
    >
      <polyline points={points} />
    </svg>
  );
}

/** Writes a value by its format, in the language of the user. */
function useFormat(): (metric: Metric) => string {
  const { number, money } = useTexts();
  return useMemo(
    () =>
      ({ value, format, unit, currency }) => {
        if (typeof value !== "number") return String(value);
        if (format === "currency") return money(value, currency ?? "USD");
        if (format === "percent") return number(value / 100, { style: "percent", maximumFractionDigits: 1 });
        if (format === "bytes") return number(value, { style: "unit", unit: "byte", notation: "compact", unitDisplay: "narrow" });
        if (format === "duration_seconds")
          return number(value < 3_600 ? value / 60 : value / 3_600, {
            style: "unit",
            unit: value < 3_600 ? "minute" : "hour",
            maximumFractionDigits: 1,
            unitDisplay: "narrow",
          });
        return [
          number(value, {
            maximumFractionDigits: format === "decimal" ? 2 : 0,
            ...(Math.abs(value) >= 100_000 && { notation: "compact" }),
          }),
          unit,
        ]
          .filter(Boolean)
          .join(" ");
      },
    [money, number],
  );
}
