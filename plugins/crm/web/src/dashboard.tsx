import { Link, useCan, useTexts } from "@portico/app-shell";
import { Button } from "@mantine/core";
import { Bones, Card, Empty, Failed, Page, Text, Waiting } from "@portico/ui";
import { useQuery } from "@tanstack/react-query";
import { Plus, Upload, Users } from "lucide-react";
import type { ReactNode } from "react";
import { StageName } from "./parts.tsx";
import { samplePath } from "./imports/options.ts";
import { stageOf, useCrm, usePipelines, whole, type Contact, type ImportReport, type Whole } from "./service.ts";
import type { components } from "./api.d.ts";
import classes from "./dashboard.module.css";
import page from "@portico/ui/page.module.css";
import own from "./page.module.css";

type Metric = Whole<components["schemas"]["WidgetMetric"]>;
const shownRows = 8;
/** No number yet. */
const none = -1;

export default function Dashboard() {
  const { t } = useTexts();
  const api = useCrm();
  const [mayRead, mayWrite, mayImport, mayBoard, mayReports] = [
    useCan("contacts:read"),
    useCan("contacts:write"),
    useCan("contacts:import"),
    useCan("pipeline:read"),
    useCan("reports:read"),
  ];
  const widget = useQuery({
    queryKey: ["/api/widget"],
    enabled: mayReports,
    refetchInterval: 60_000,
    queryFn: ({ signal }) => whole(api.get("/api/widget", { signal })),
  });
  const contacts = useQuery({
    queryKey: ["/api/contacts", "recent"],
    enabled: mayRead,
    queryFn: async ({ signal }) =>
      (
        await whole(
          api.get("/api/contacts", {
            query: { sort: "-updatedAt", limit: shownRows, fields: ["displayName", "companyName", "updatedAt", "pipelines"] },
            signal,
          }),
        )
      ).items as Contact[],
  });
  const empty = contacts.data?.length === 0;
  const metrics = widget.data?.metrics as readonly Metric[] | undefined;
  return (
    <Page
      title={t("dashboard.title")}
      tools={
        <>
          {mayImport && (
            <Button component={Link} to="/imports/new" leftSection={<Upload size={16} aria-hidden />}>
              {t("imports.import")}
            </Button>
          )}
          {mayWrite && (
            <Button component={Link} to="/contacts/new" variant="filled" leftSection={<Plus size={16} aria-hidden />}>
              {t("contact.create")}
            </Button>
          )}
        </>
      }
      wide
    >
      {empty && (
        <Empty
          icon={Users}
          title={t("contacts.empty")}
          text={t("dashboard.begin")}
          action={
            <div className={page["row"]}>
              {mayImport && (
                <Button component={Link} to={samplePath}>
                  {t("imports.sample")}
                </Button>
              )}
              {mayImport ? (
                <Button component={Link} to="/imports/new" variant="filled">
                  {t("imports.new")}
                </Button>
              ) : (
                mayWrite && (
                  <Button component={Link} to="/contacts/new" variant="filled">
                    {t("contact.create")}
                  </Button>
                )
              )}
            </div>
          }
        />
      )}
      {!empty && mayReports && (
        <div className={classes["metrics"]} aria-busy={widget.isLoading}>
          {widget.error && !metrics ? (
            <Failed error={widget.error} retry={() => void widget.refetch()} />
          ) : (
            (metrics ?? placeholders).map((each) => <Figure key={each.id} metric={each} />)
          )}
        </div>
      )}
      <div className={classes["panels"]}>
        {mayRead && !empty && (
          <Card title={t("dashboard.recent")} tools={<Link to="/contacts?sort=-updatedAt">{t("dashboard.all")}</Link>}>
            <Rows query={contacts} empty={null}>
              {(list) => list.map((each) => <ContactRow key={each.id} contact={each} />)}
            </Rows>
          </Card>
        )}
        {!empty && mayReports && mayBoard && <Stale query={{ ...widget, data: widget.data?.items as never }} />}
        {mayRead && <Imports />}
      </div>
    </Page>
  );
}

/** What stands there while the numbers are read, so that nothing jumps. */
const placeholders: readonly Metric[] = ["contacts", "new_7d", "open_value", "stale"].map((id) => ({
  id,
  label: "",
  value: none,
  format: "integer",
  unit: null,
  currency: null,
  delta: null,
  href: "",
}));

function Figure({ metric }: { metric: Metric }) {
  const texts = useTexts();
  const known = `metric.${metric.id}`;
  // Where a sum is too long for its place, its currency goes below, whole.
  const value =
    metric.value === none
      ? "–"
      : metric.format === "currency" && metric.currency
        ? texts.money(metric.value, metric.currency).replace(/\u00a0(?=\D*$)/, " ")
        : texts.number(metric.value);
  const content = (
    <>
      <span>{texts.has(known) ? texts.t(known) : metric.label}</span>
      <strong>{value}</strong>
    </>
  );
  return metric.href.startsWith("/") ? (
    <Link to={metric.href} className={classes["metric"]}>
      {content}
    </Link>
  ) : (
    <div className={classes["metric"]}>{content}</div>
  );
}

/** As high with one line as with two, and while they are waited for: nothing below them moves. */
const lines = `${page["plain"]} ${classes["lines"]}`;

interface Read<T> {
  readonly data: readonly T[] | undefined;
  readonly error: unknown;
  readonly refetch: () => unknown;
}

/** Rows of a panel: waiting, failed, nothing there, or the list. */
function Rows<T>({ query, empty, children }: { query: Read<T>; empty: ReactNode; children: (list: readonly T[]) => ReactNode }) {
  if (query.data === undefined)
    return query.error ? (
      <Failed error={query.error} retry={() => void query.refetch()} />
    ) : (
      <Waiting
        skeleton={
          <ul className={lines}>
            {Array.from({ length: shownRows }, (_, row) => (
              <li key={row}>
                <span className={own["grow"]}>
                  <Bones lines={1} />
                </span>
              </li>
            ))}
          </ul>
        }
      />
    );
  return query.data.length === 0 ? empty : <ul className={lines}>{children(query.data)}</ul>;
}

function ContactRow({ contact }: { contact: Contact }) {
  const { relative } = useTexts();
  const pipelines = usePipelines();
  return (
    <li>
      <span className={own["grow"]}>
        <Link to={`/contacts/${contact.id}`}>
          <Text>{contact.displayName}</Text>
        </Link>
        <span className={`${page["muted"]} ${page["small"]}`}>
          <Text>{contact.companyName}</Text>
        </span>
      </span>
      {contact.pipelines?.slice(0, 1).map(({ stageId }) => (
        <span key={stageId} className={page["small"]}>
          <StageName stage={stageOf(pipelines, stageId)} />
        </span>
      ))}
      <time className={`${page["muted"]} ${page["small"]}`} dateTime={contact.updatedAt}>
        {relative(contact.updatedAt)}
      </time>
    </li>
  );
}

/** Cards that have stood longest, as the service's widget tells them. */
function Stale({ query }: { query: Read<Whole<components["schemas"]["WidgetItem"]>> }) {
  const { t, relative } = useTexts();
  return (
    <Card title={t("dashboard.stale")} tools={<Link to="/pipeline">{t("dashboard.board")}</Link>}>
      <Rows query={query} empty={<p className={page["muted"]}>{t("dashboard.noneStale")}</p>}>
        {(list) =>
          list.slice(0, shownRows).map((each) => (
            <li key={each.id}>
              <span className={own["grow"]}>
                <Link to={each.href}>
                  <Text>{each.title}</Text>
                </Link>
                <span className={`${page["muted"]} ${page["small"]}`}>
                  <Text>{each.subtitle}</Text>
                </span>
              </span>
              {each.timestamp && (
                <time className={`${page["muted"]} ${page["small"]}`} dateTime={each.timestamp}>
                  {relative(each.timestamp)}
                </time>
              )}
            </li>
          ))
        }
      </Rows>
    </Card>
  );
}

/** The last imports; those that run are read again. */
function Imports() {
  const { t, relative } = useTexts();
  const api = useCrm();
  const imports = useQuery<ImportReport[]>({
    queryKey: ["/api/contacts/imports", "recent"],
    refetchInterval: ({ state }) => (state.data?.some(({ status }) => status === "running") ? 2_000 : false),
    queryFn: async ({ signal }) =>
      ((await whole(api.get("/api/contacts/imports", { query: { limit: 10 }, signal }))).items as ImportReport[])
        .filter(({ dryRun }) => !dryRun)
        .slice(0, 5),
  });
  return (
    <Card title={t("imports.title")} tools={<Link to="/imports">{t("dashboard.all")}</Link>}>
      <Rows query={imports} empty={<p className={page["muted"]}>{t("imports.empty")}</p>}>
        {(list) =>
          list.map((each) => (
            <li key={each.importId}>
              <span className={own["grow"]}>
                <Link to={`/imports/${each.importId}`}>
                  <Text>{each.fileName || t("imports.unnamed")}</Text>
                </Link>
                <span className={`${page["muted"]} ${page["small"]}`}>{t(`imports.status.${each.undoneAt ? "undone" : each.status}`)}</span>
              </span>
              <time className={`${page["muted"]} ${page["small"]}`} dateTime={each.startedAt}>
                {relative(each.startedAt)}
              </time>
            </li>
          ))
        }
      </Rows>
    </Card>
  );
}
