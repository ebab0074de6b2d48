import { useCan, useQuery as useQueryMember, Link, useTexts } from "@portico/app-shell";
import { Button } from "@mantine/core";
import { Chip, Empty, Loaded, useDeed } from "@portico/ui";
import { Bell } from "lucide-react";
import { LaunchLink, LaunchpadPage, When } from "../parts.tsx";
import { most, useLaunchpad, useNotifications, useReload, type Notification } from "../service.ts";
import page from "@portico/ui/page.module.css";
import classes from "./notifications.module.css";

const kinds = { info: "plain", success: "good", warning: "warn", critical: "bad" } as const;

/** Messages to the user, the newest first. Opening one marks it as read. */
export default function NotificationsPage() {
  const { t } = useTexts();
  const [shown] = useQueryMember("show");
  const onlyUnread = shown === "unread";
  const api = useLaunchpad();
  const reload = useReload();
  const may = useCan("notifications:manage");
  const { busy, run } = useDeed();
  const query = useNotifications(onlyUnread, most);
  const unread = query.data?.unread ?? 0;
  const readAll = may && unread > 0 && (
    <Button loading={busy} onClick={() => void run(() => api.post("/api/notifications/read-all", {}).finally(reload))}>
      {t("notifications.readAll")}
    </Button>
  );
  return (
    <LaunchpadPage title={t("notifications.title")} text={t("notifications.unread", { count: unread })} tools={readAll}>
      <nav className={classes["tabs"]} aria-label={t("notifications.show")}>
        <Link to="/notifications" aria-current={onlyUnread ? undefined : "page"}>
          {t("notifications.all")}
        </Link>
        <Link to="/notifications?show=unread" aria-current={onlyUnread ? "page" : undefined}>
          {t("notifications.onlyUnread")}
        </Link>
      </nav>
      <Loaded query={query} lines={8}>
        {({ items, nextCursor }) =>
          items.length === 0 ? (
            <Empty
              icon={Bell}
              title={t(onlyUnread ? "notifications.noneUnread" : "notifications.none")}
              text={t("notifications.noneText")}
            />
          ) : (
            <>
              <ul className={classes["list"]}>
                {items.map((each) => (
                  <Item key={each.id} notification={each} may={may} />
                ))}
              </ul>
              {nextCursor && <p className={page["muted"]}>{t("notifications.more", { count: most })}</p>}
            </>
          )
        }
      </Loaded>
    </LaunchpadPage>
  );
}

function Item({ notification, may }: { notification: Notification; may: boolean }) {
  const { t } = useTexts();
  const api = useLaunchpad();
  const reload = useReload();
  const { busy, run } = useDeed();
  const { id, title, body, href, severity, readAt, createdAt, service_id } = notification;
  const read = () => api.post("/api/notifications/{id}/read", { path: { id } }).finally(reload);
  return (
    <li className={classes["one"]} data-unread={readAt === null || undefined}>
      <div className={classes["head"]}>
        <h2>
          {href ? (
            <LaunchLink service={service_id} returnTo={href} onClick={() => readAt === null && may && void read()}>
              <bdi>{title}</bdi>
            </LaunchLink>
          ) : (
            <bdi>{title}</bdi>
          )}
        </h2>
        {severity !== "info" && <Chip kind={kinds[severity]}>{t(`notifications.severity.${severity}`)}</Chip>}
        {readAt === null && <Chip kind="plain">{t("notifications.new")}</Chip>}
      </div>
      {body && <p className={classes["body"]}>{body}</p>}
      <div className={classes["foot"]}>
        <span className={page["more"]}>
          <When at={createdAt} />
        </span>
        {readAt === null && may && (
          <Button
            size="compact-sm"
            variant="subtle"
            loading={busy}
            aria-label={t("notifications.readName", { name: title })}
            onClick={() => void run(read)}
          >
            {t("notifications.read")}
          </Button>
        )}
      </div>
    </li>
  );
}
