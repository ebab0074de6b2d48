import { Link, setQuery, useCan, useQuery as useAddressQuery, useTexts, type PageProps } from "@portico/app-shell";
import { Button } from "@mantine/core";
import { Card, Chip, Confirm, Copied, Dialog, Form, Loaded, Note, useDeed, type Schema } from "@portico/ui";
import { useQuery } from "@tanstack/react-query";
import { Plus } from "lucide-react";
import { useState } from "react";
import type { components } from "../api.d.ts";
import { HostPage } from "../HostPage.tsx";
import { useAnew, useCalendar, useEventTypes, whole, type EventType, type Host, type Whole } from "../service.ts";
import { instantOf, plusDays } from "../week/zone.ts";
import { PageFrame } from "./PageFrame.tsx";
import page from "@portico/ui/page.module.css";
import classes from "../page.module.css";

type Grant = Whole<components["schemas"]["EmbedGrant"]>;
type Mode = Grant["mode"];
/** How a code is made: a mode of the script, or a component. */
type Way = keyof NonNullable<Grant["snippet"]>;

const ways = ["iframe", "popup", "floating", "react"] as const satisfies readonly Way[];
const markOf = { active: "good", expired: "plain", revoked: "bad" } as const satisfies Record<Grant["status"], string>;
const mostOrigins = 20;
const schema: Schema = {
  required: ["origins"],
  properties: { origins: { type: "array", maxItems: mostOrigins }, until: { type: ["string", "null"], format: "date" } },
};

/** An event type in pages elsewhere: how it looks there, for which pages, and what is pasted into them. */
export default function EmbedPage({ params }: PageProps) {
  const { t } = useTexts();
  const types = useEventTypes();
  const type = types.data?.find(({ eventTypeId }) => eventTypeId === params["id"]);
  return (
    <HostPage
      title={t("embed.title")}
      text={
        type && (
          <>
            {t("embed.text")}{" "}
            <Link className={classes["whole"]} to={`/app/event-types/${type.eventTypeId}`}>
              {type.title}
            </Link>
          </>
        )
      }
    >
      {(host) => (
        <Loaded query={types} lines={10}>
          {() =>
            type ? (
              <Parts type={type} host={host} />
            ) : (
              <p>
                {t("type.gone")} <Link to="/app/event-types">{t("types.title")}</Link>
              </p>
            )
          }
        </Loaded>
      )}
    </HostPage>
  );
}

function Parts({ type, host }: { type: EventType; host: Host }) {
  const { t } = useTexts();
  const [asked] = useAddressQuery("way");
  const way = ways.find((each) => each === asked) ?? "iframe";
  const mode = way === "react" ? "iframe" : way;
  return (
    <>
      <Card title={t("embed.how")}>
        <div className={classes["stack"]}>
          <div className={page["row"]} role="group" aria-label={t("embed.how")}>
            {ways.map((each) => (
              <Button
                key={each}
                variant={each === way ? "default" : "subtle"}
                aria-pressed={each === way}
                onClick={() => setQuery({ way: each === "iframe" ? null : each })}
              >
                {t(`embed.${each}`)}
              </Button>
            ))}
          </div>
          <p className={page["more"]}>{t(`embed.${way}Text`)}</p>
          <PageFrame
            src={`/embed/preview?link=${host.handle}/${type.slug}&mode=${mode}`}
            title={t("embed.preview", { title: type.title })}
            size="page"
            version={type.version}
          />
        </div>
      </Card>
      <Grants type={type} host={host} way={way} mode={mode} />
    </>
  );
}

function Grants({ type, host, way, mode }: { type: EventType; host: Host; way: Way; mode: Mode }) {
  const { t } = useTexts();
  const api = useCalendar();
  const anew = useAnew();
  const [making, setMaking] = useState(false);
  const grants = useQuery({
    queryKey: ["/api/admin/embed"],
    queryFn: async ({ signal }) => (await whole(api.get("/api/admin/embed", { query: { limit: 100 }, signal }))).items as Grant[],
  });
  return (
    <Card
      title={t("embed.codes")}
      text={t("embed.codesText")}
      tools={
        <Button variant="filled" leftSection={<Plus size={16} aria-hidden />} onClick={() => setMaking(true)}>
          {t("embed.new")}
        </Button>
      }
    >
      <Loaded query={grants}>
        {(all) => {
          const list = all.filter(({ eventTypeId }) => eventTypeId === type.eventTypeId);
          if (list.length === 0) return <Note>{t("embed.none")}</Note>;
          const newest = list.find(({ status }) => status === "active");
          return (
            <ul className={page["plain"]}>
              {list.map((each) => (
                <Row key={each.embedId} grant={each} way={way} open={each === newest} />
              ))}
            </ul>
          );
        }}
      </Loaded>
      <Dialog open={making} title={t("embed.new")} onClose={() => setMaking(false)}>
        <Form
          draft={`embed:${type.eventTypeId}`}
          initial={{ origins: [] as string[], until: null as string | null }}
          schema={schema}
          first="origins"
          fields={[
            { name: "origins", label: t("embed.origins"), hint: t("embed.originsHint"), kind: "tags" },
            { name: "until", label: t("embed.until"), hint: t("embed.untilHint"), kind: "date" },
          ]}
          act={t("embed.make")}
          onCancel={() => setMaking(false)}
          submit={async ({ origins, until }, key) => {
            const expiresAt = until ? new Date(instantOf(plusDays(until, 1), 0, host.timeZone)).toISOString() : null;
            await whole(
              api.post("/api/admin/embed", {
                body: { eventTypeId: type.eventTypeId, origins: [...new Set(origins.map(originOf))], mode, expiresAt },
                idempotencyKey: key,
              }),
            );
            await anew();
            setMaking(false);
          }}
        />
      </Dialog>
    </Card>
  );
}

/** The origin of an address as people type or paste it: `www.example.org/contact` is `https://www.example.org`. */
function originOf(text: string): string {
  const whole = text.includes("://") ? text : `https://${text}`;
  return URL.canParse(whole) ? new URL(whole).origin : text;
}

function Row({
  grant: { embedId, origins, status, expiresAt, createdAt, snippet, version },
  way,
  open,
}: {
  grant: Grant;
  way: Way;
  open: boolean;
}) {
  const { t, date, dateTime } = useTexts();
  const api = useCalendar();
  const anew = useAnew();
  const mayIssue = useCan("embed:issue");
  const { busy, run } = useDeed();
  const [asks, setAsks] = useState(false);
  const where = origins.map((each) => each.replace(/^https?:\/\//, "")).join(", ");
  const code = snippet?.[way];
  return (
    <li>
      <span className={page["grow"]}>
        <bdi className={classes["strong"]}>{where}</bdi>
        <span className={page["more"]}>
          {[t("embed.made", { date: date(createdAt) }), expiresAt && t("embed.ends", { date: dateTime(expiresAt) })]
            .filter(Boolean)
            .join(" · ")}
        </span>
      </span>
      <Chip kind={markOf[status]}>{t(`embed.${status}`)}</Chip>
      {status === "active" && mayIssue && (
        <Button size="compact-sm" color="red" disabled={busy} aria-label={t("embed.revokeWhat", { where })} onClick={() => setAsks(true)}>
          {t("embed.revoke")}
        </Button>
      )}
      {status === "active" && code && (
        <details className={classes["code"]} open={open}>
          <summary>{t("embed.code")}</summary>
          <Copied text={code} label={t("embed.codeOf", { where })} />
        </details>
      )}
      <Confirm
        open={asks}
        title={t("embed.revokeWhat", { where })}
        text={t("embed.revokeText")}
        act={t("embed.revoke")}
        onClose={() => setAsks(false)}
        onConfirm={() => (
          setAsks(false),
          void run(() => api.delete("/api/admin/embed/{embedId}", { path: { embedId }, version }).finally(anew), t("embed.revokedDone"))
        )}
      />
    </li>
  );
}
