import { Link, navigate, setQuery, useCan, useQuery as useAddressQuery, useTexts } from "@portico/app-shell";
import { ActionIcon, Button } from "@mantine/core";
import { Loaded, useDeed } from "@portico/ui";
import { useQuery } from "@tanstack/react-query";
import { ChevronLeft, ChevronRight, Plus } from "lucide-react";
import { useEffect, useRef, useState, type DragEvent, type KeyboardEvent } from "react";
import { BrandPage, excerpt, PostStatus } from "../parts.tsx";
import { allPages, useReload, useSocial, whole, type Brand, type Post } from "../service.ts";
import { dateOf, instantOf, localOf, plusDays, startOn } from "../zone.ts";
import page from "@portico/ui/page.module.css";
import classes from "../page.module.css";

const max = 200;
/** Days by which Shift and an arrow move a post. */
const steps: Readonly<Record<string, number>> = { ArrowLeft: -1, ArrowRight: 1, ArrowUp: -7, ArrowDown: 7 };
const movable: readonly Post["status"][] = ["scheduled", "draft", "failed", "pending_approval"];

/** Posts by day, in the zone of the brand: a month, a week or a list. */
export default function CalendarPage() {
  const { t } = useTexts();
  return (
    <BrandPage wide title={t("calendar.title")}>
      {(brand) => <Calendar key={brand.brandId} brand={brand} />}
    </BrandPage>
  );
}

/** The time of day of a post, as all pages write it. */
const clock = (locale: string, { scheduledFor }: Post, timeZone: string): string =>
  new Intl.DateTimeFormat(locale, { timeStyle: "short", timeZone }).format(new Date(scheduledFor ?? 0));

/** Monday of the week of a date. */
const monday = (date: string): string => plusDays(date, -((new Date(`${date}T00:00:00Z`).getUTCDay() + 6) % 7));

function Calendar({ brand }: { brand: Brand }) {
  const { t, locale } = useTexts();
  const api = useSocial();
  const reload = useReload();
  const { run } = useDeed();
  const mayWrite = useCan("posts:write");
  const [form] = useAddressQuery("view");
  const view = form === "week" || form === "list" ? form : "month";
  const zone = brand.timeZone;
  const today = dateOf(Date.now(), zone);
  const [asked] = useAddressQuery("date");
  const date = /^\d{4}-\d\d-\d\d$/.test(asked ?? "") && !Number.isNaN(Date.parse(asked ?? "")) ? (asked as string) : today;
  const month = date.slice(0, 7);
  const first = view === "week" ? monday(date) : monday(`${month}-01`);
  const days = Array.from({ length: view === "week" ? 7 : 42 }, (_, at) => plusDays(first, at));
  const [from, to] = [instantOf(`${first}T00:00`, zone), instantOf(`${plusDays(first, days.length)}T00:00`, zone)];
  const posts = useQuery({
    queryKey: ["/api/posts", "calendar", brand.brandId, from, to],
    queryFn: ({ signal }) =>
      allPages<Post>(
        (cursor) =>
          whole(
            api.get("/api/posts", {
              query: {
                brandId: brand.brandId,
                scheduledFrom: from,
                scheduledTo: to,
                sort: "scheduledFor",
                limit: max,
                ...(cursor && { cursor }),
              } as never,
              signal,
            }),
          ) as never,
      ),
  });
  const grid = useRef<HTMLOListElement>(null);
  const [dragged, setDragged] = useState<Post | null>(null);
  const step = (by: number) => setQuery({ date: view === "week" ? plusDays(date, 7 * by) : monthPlus(month, by) });
  const move = (post: Post, day: string) => {
    if (!post.scheduledFor || dateOf(post.scheduledFor, zone) === day) return;
    const at = instantOf(`${day}T${localOf(post.scheduledFor, zone).slice(11)}`, zone);
    void run(
      () =>
        api
          .put("/api/posts/{postId}", { path: { postId: post.postId }, body: { scheduledFor: at }, version: post.version })
          .finally(reload),
      t("done.reschedule"),
    );
  };
  // On a phone the days are below each other: the page begins at today.
  const begun = useRef(asked !== null);
  useEffect(() => {
    if (begun.current || !posts.data) return;
    begun.current = true;
    if (matchMedia("(max-width: 48rem)").matches) grid.current?.querySelector("[data-today]")?.scrollIntoView({ block: "start" });
  }, [posts.data]);
  // A post that keys have moved is drawn in another day: the focus goes along.
  const carried = useRef<{ readonly id: string; readonly day: string } | null>(null);
  useEffect(() => {
    if (!carried.current) return;
    const { id, day } = carried.current;
    const entry = grid.current?.querySelector<HTMLElement>(`[data-day="${day}"] [data-post="${id}"]`);
    if (!entry) return;
    carried.current = null;
    entry.focus();
  }, [posts.data]);
  const carry = (event: KeyboardEvent, post: Post, day: string) => {
    const by = event.shiftKey ? steps[event.key] : undefined;
    if (!by || !mayWrite || !movable.includes(post.status)) return;
    event.preventDefault();
    carried.current = { id: post.postId, day: plusDays(day, by) };
    move(post, plusDays(day, by));
  };
  const title = new Intl.DateTimeFormat(
    locale,
    view === "week"
      ? { day: "numeric", month: "long", year: "numeric", timeZone: "UTC" }
      : { month: "long", year: "numeric", timeZone: "UTC" },
  );
  return (
    <>
      <div className={classes["bar"]}>
        <ActionIcon aria-label={t("calendar.before")} onClick={() => step(-1)}>
          <ChevronLeft size={18} aria-hidden />
        </ActionIcon>
        <ActionIcon aria-label={t("calendar.after")} onClick={() => step(1)}>
          <ChevronRight size={18} aria-hidden />
        </ActionIcon>
        <Button onClick={() => setQuery({ date: null })}>{t("calendar.today")}</Button>
        <h2 aria-live="polite">
          {view === "week"
            ? title.formatRange(new Date(first), new Date(plusDays(first, 6)))
            : title.format(new Date(`${month}-01T00:00:00Z`))}
        </h2>
        <span className={page["more"]}>{zone.replaceAll("_", " ")}</span>
        <span className={page["end"]} role="group" aria-label={t("calendar.view")}>
          {(["month", "week", "list"] as const).map((each) => (
            <Button
              key={each}
              size="compact-md"
              variant={each === view ? "default" : "subtle"}
              aria-pressed={each === view}
              onClick={() => setQuery({ view: each === "month" ? null : each })}
            >
              {t(`calendar.${each}`)}
            </Button>
          ))}
        </span>
      </div>
      <Loaded query={posts} lines={14}>
        {(found) =>
          view === "list" ? (
            <List posts={found} brand={brand} />
          ) : (
            <ol ref={grid} className={classes["month"]} data-view={view}>
              {days.map((day) => (
                <li
                  key={day}
                  className={classes["day"]}
                  data-day={day}
                  data-other={(view === "month" && !day.startsWith(month)) || undefined}
                  data-today={day === today || undefined}
                  onDragOver={(event: DragEvent) => dragged && event.preventDefault()}
                  onDrop={() => {
                    if (dragged) move(dragged, day);
                    setDragged(null);
                  }}
                >
                  <span className={classes["dayHead"]}>
                    <time dateTime={day}>
                      {new Intl.DateTimeFormat(locale, { weekday: "short", day: "numeric", timeZone: "UTC" }).format(new Date(day))}
                    </time>
                    {mayWrite && day >= today && (
                      <ActionIcon
                        size="sm"
                        variant="subtle"
                        aria-label={t("calendar.newOn", { day })}
                        onClick={() => navigate(`/posts/new?at=${encodeURIComponent(startOn(day, zone, Date.now()))}`)}
                      >
                        <Plus size={14} aria-hidden />
                      </ActionIcon>
                    )}
                  </span>
                  {found
                    .filter(({ scheduledFor }) => scheduledFor && dateOf(scheduledFor, zone) === day)
                    .map((each) => (
                      <Link
                        key={each.postId}
                        to={`/posts/${each.postId}`}
                        className={classes["event"]}
                        data-status={each.status}
                        draggable={mayWrite && movable.includes(each.status)}
                        data-post={each.postId}
                        onKeyDown={(event: KeyboardEvent) => carry(event, each, day)}
                        onDragStart={() => setDragged(each)}
                        onDragEnd={() => setDragged(null)}
                      >
                        <span className={page["number"]}>{clock(locale, each, zone)}</span>{" "}
                        <bdi>{each.title || excerpt(each.text, 60)}</bdi>
                      </Link>
                    ))}
                </li>
              ))}
            </ol>
          )
        }
      </Loaded>
      {view !== "list" && mayWrite && <p className={page["more"]}>{t("calendar.hint")}</p>}
    </>
  );
}

function monthPlus(month: string, by: number): string {
  const [year = 0, of = 1] = month.split("-").map(Number);
  return new Date(Date.UTC(year, of - 1 + by, 1)).toISOString().slice(0, 10);
}

function List({ posts, brand }: { posts: readonly Post[]; brand: Brand }) {
  const { t, locale } = useTexts();
  if (posts.length === 0) return <p className={page["muted"]}>{t("calendar.none")}</p>;
  const days = [...new Set(posts.map(({ scheduledFor }) => dateOf(scheduledFor ?? "", brand.timeZone)))];
  return days.map((day) => (
    <section key={day} className={page["card"]} aria-label={day}>
      <div className={page["cardHead"]}>
        <h2>
          {new Intl.DateTimeFormat(locale, { weekday: "long", day: "numeric", month: "long", timeZone: "UTC" }).format(new Date(day))}
        </h2>
      </div>
      <ul className={page["plain"]}>
        {posts
          .filter(({ scheduledFor }) => dateOf(scheduledFor ?? "", brand.timeZone) === day)
          .map((each) => (
            <li key={each.postId}>
              <span className={page["number"]}>{clock(locale, each, brand.timeZone)}</span>
              <span className={page["grow"]}>
                <Link to={`/posts/${each.postId}`}>
                  <bdi>{each.title || excerpt(each.text)}</bdi>
                </Link>
              </span>
              <PostStatus status={each.status} />
            </li>
          ))}
      </ul>
    </section>
  ));
}
