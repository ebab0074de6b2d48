import { Link, navigate, useCan, useCommands, usePreference, useTexts } from "@portico/app-shell";
import { Button } from "@mantine/core";
import { Card, Chip, Copied, Empty, Loaded, useDeed } from "@portico/ui";
import { Layers, Plus } from "lucide-react";
import { useMemo } from "react";
import { HostPage } from "../HostPage.tsx";
import { linkOf, useAnew, useCalendar, useEventTypes, type EventType, type Host } from "../service.ts";
import page from "@portico/ui/page.module.css";
import classes from "../page.module.css";

/** What can be booked, each with its link. */
export default function TypesPage() {
  const { t } = useTexts();
  const mayWrite = useCan("event_types:write");
  const types = useEventTypes();
  useCommands(
    useMemo(
      () =>
        mayWrite ? [{ id: "type.new", label: t("types.new"), key: "c", icon: Plus, run: () => navigate("/app/event-types/new") }] : [],
      [mayWrite, t],
    ),
  );
  const make = mayWrite && (
    <Button component={Link} to="/app/event-types/new" variant="filled" leftSection={<Plus size={16} aria-hidden />}>
      {t("types.new")}
    </Button>
  );
  return (
    <HostPage title={t("types.title")} text={t("types.text")} tools={() => make}>
      {(host) => (
        <>
          <Card title={t("types.all")} text={t("types.allText")}>
            <Copied link text={linkOf(host.handle)} label={t("types.pageLink")} />
          </Card>
          <Loaded query={types} lines={8}>
            {(list) =>
              list.length === 0 ? (
                <Empty icon={Layers} title={t("types.none")} text={t("types.noneText")} action={make} />
              ) : (
                list.map((each) => <TypeCard key={each.eventTypeId} type={each} host={host} mayWrite={mayWrite} />)
              )
            }
          </Loaded>
        </>
      )}
    </HostPage>
  );
}

function TypeCard({ type, host, mayWrite }: { type: EventType; host: Host; mayWrite: boolean }) {
  const { t } = useTexts();
  const api = useCalendar();
  const anew = useAnew();
  const { busy, run } = useDeed();
  const mayEmbed = useCan("embed:issue");
  const on = type.visibility !== "disabled";
  // What only those with the link could see is not put on the page by switching it off and on.
  const [unlisted, setUnlisted] = usePreference<readonly string[]>("unlisted", []);
  const change = () => {
    const others = unlisted.filter((each) => each !== type.eventTypeId);
    const visibility = on ? "disabled" : unlisted.length > others.length ? "unlisted" : "public";
    setUnlisted(type.visibility === "unlisted" ? [...others, type.eventTypeId] : others);
    void run(() =>
      api.put("/api/admin/event-types/{eventTypeId}", { path: { eventTypeId: type.eventTypeId }, body: { visibility } }).finally(anew),
    );
  };
  return (
    <Card
      title={type.title}
      tools={
        mayWrite && (
          <label className={classes["switch"]}>
            <input
              type="checkbox"
              role="switch"
              checked={on}
              disabled={busy}
              aria-label={t("type.bookableWhat", { title: type.title })}
              onChange={change}
            />
            <span aria-hidden>{t("type.bookable")}</span>
          </label>
        )
      }
    >
      <div className={classes["stack"]}>
        <span className={page["row"]}>
          <Chip>{t("type.minutes", { count: type.durationMinutes })}</Chip>
          <Chip>{t(`meeting.${type.meetingKind}`)}</Chip>
          {type.requiresApproval && <Chip kind="warn">{t("type.approval")}</Chip>}
          {type.visibility === "unlisted" && <Chip>{t("visibility.unlisted")}</Chip>}
          {!on && <Chip kind="bad">{t("visibility.disabled")}</Chip>}
        </span>
        {type.description && <p className={page["more"]}>{type.description}</p>}
        <span className={page["row"]}>
          {on && <Copied link text={linkOf(host.handle, type.slug)} label={t("type.linkOf", { title: type.title })} />}
          <span className={page["end"]}>
            {mayEmbed && (
              <Button
                component={Link}
                to={`/app/event-types/${type.eventTypeId}/embed`}
                variant="subtle"
                aria-label={t("embed.openWhat", { title: type.title })}
              >
                {t("embed.open")}
              </Button>
            )}
            <Button component={Link} to={`/app/event-types/${type.eventTypeId}`} aria-label={t("type.changeWhat", { title: type.title })}>
              {t("act.change")}
            </Button>
          </span>
        </span>
      </div>
    </Card>
  );
}
