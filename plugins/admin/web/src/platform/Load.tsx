import { useTexts } from "@portico/app-shell";
import { Bones, Card, Waiting } from "@portico/ui";
import { useQuery } from "@tanstack/react-query";
import type { components } from "../api.d.ts";
import { Failed } from "../parts.tsx";
import { whole, type Whole } from "../service.ts";
import { Sparkline } from "../Sparkline.tsx";
import { useSystem } from "./system.ts";
import classes from "../page.module.css";

type Load = Whole<components["schemas"]["LoadSamples"]>;

const lookMilliseconds = 15_000;

/** What the host did in the last hour, in small pictures. */
export function LastHour() {
  const { t, number, bytes } = useTexts();
  const api = useSystem();
  const load = useQuery({
    queryKey: ["/api/system/samples"],
    refetchInterval: lookMilliseconds,
    queryFn: ({ signal }) => whole(api.get("/api/system/samples", { signal })) as Promise<Load>,
  });
  const retry = () => void load.refetch();
  const { data } = load;
  if (!data) return load.error ? <Failed error={load.error} retry={retry} /> : <Waiting skeleton={<Bones lines={5} />} retry={retry} />;
  const counted = (value: number) => number(value, { maximumFractionDigits: 0 });
  const perSecond = (value: number) => number(value / data.intervalSeconds, { maximumFractionDigits: 1 });
  const took = (value: number) => number(value / 1_000, { style: "unit", unit: "millisecond", maximumSignificantDigits: 3 });
  const pictures = [
    { name: "requests", values: data.requests, say: perSecond },
    { name: "p50", values: data.p50Microseconds, say: took },
    { name: "p99", values: data.p99Microseconds, say: took },
    { name: "refusals", values: data.refusals, say: counted, adds: true },
    { name: "errors", values: data.errors, say: counted, adds: true },
    { name: "connections", values: data.connections, say: counted },
    { name: "workers", values: data.busyWorkers, say: counted },
    { name: "sessions", values: data.databaseSessions, say: counted },
    { name: "memory", values: data.residentKiB, say: (value: number) => bytes(value * 1_024) },
  ];
  return (
    <Card title={t("load.title")} text={t("load.text")}>
      <div className={classes["sparks"]}>
        {pictures.map((each) => (
          <Spark key={each.name} {...each} label={t(`load.${each.name}`)} />
        ))}
      </div>
    </Card>
  );
}

/** One number over the hour. `adds`: what counts is how many there were; else what it is now, and the most it was. */
function Spark({
  label,
  values,
  say,
  adds = false,
}: {
  label: string;
  values: readonly number[];
  say: (value: number) => string;
  adds?: boolean;
}) {
  const { t } = useTexts();
  const all = values.reduce((sum, each) => sum + each, 0);
  const value = say(adds ? all : (values.at(-1) ?? 0));
  const more = adds ? t("load.inHour") : t("load.most", { most: say(Math.max(0, ...values)) });
  return (
    <figure className={classes["spark"]} data-bad={(adds && all > 0) || undefined}>
      <figcaption>
        <span>{label}</span> <b>{value}</b> <small>{more}</small>
      </figcaption>
      <Sparkline values={values} label={`${label}: ${value}, ${more}`} width={240} height={36} />
    </figure>
  );
}
