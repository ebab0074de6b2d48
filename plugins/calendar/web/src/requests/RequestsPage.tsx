import { useTexts } from "@portico/app-shell";
import { Empty, Facts, Loaded, Note, useKeys } from "@portico/ui";
import { useQuery } from "@tanstack/react-query";
import { Inbox } from "lucide-react";
import { useLayoutEffect, useRef } from "react";
import { Acts, BookingLink, useAnswers, useGuestTime, useWhen } from "../bookings/BookingView.tsx";
import { useRequests, type Booking } from "../bookings/bookings.ts";
import { HostPage } from "../HostPage.tsx";
import { useCalendar, useEventTypes, whole, type Host } from "../service.ts";
import page from "@portico/ui/page.module.css";
import classes from "../page.module.css";

/** Who waits for an answer. Arrows walk, `A` approves, `D` declines. */
export default function RequestsPage() {
  const { t } = useTexts();
  return (
    <HostPage title={t("requests.title")} text={t("requests.text")}>
      {(host) => <Requests host={host} />}
    </HostPage>
  );
}

function Requests({ host }: { host: Host }) {
  const { t, number, relative } = useTexts();
  const when = useWhen();
  const guestTime = useGuestTime();
  const answersOf = useAnswers();
  const requests = useRequests();
  const list = useRef<HTMLUListElement>(null);
  const rows = () => [...(list.current?.children ?? [])] as HTMLElement[];
  const here = () => rows().findIndex((each) => each.contains(document.activeElement));
  // The row that the user has decided by a key, and the row that got the focus when another user decided the one before.
  const decided = useRef<Element>(null);
  const unchosen = useRef<Element>(null);
  const walk = (by: number) => {
    unchosen.current = null;
    rows()[Math.min(rows().length - 1, Math.max(0, here() + by))]?.focus();
  };
  // A held key decides only one request. Without a focused row that the user has chosen, keys decide nothing.
  const press = (which: number) => (event: KeyboardEvent) => {
    const row = rows()[here()];
    if (event.repeat || !row || row === unchosen.current) return;
    decided.current = row;
    row.querySelectorAll("button")[which]?.click();
  };
  useKeys({ ArrowDown: () => walk(1), j: () => walk(1), ArrowUp: () => walk(-1), k: () => walk(-1), a: press(0), d: press(1) }, true, {
    a: t("booking.approve"),
    d: t("booking.decline"),
  });
  // When the focused row leaves the list, the next row is focused.
  const focused = rows()[here()];
  const place = here();
  useLayoutEffect(() => {
    if (!focused || document.activeElement !== document.body) return;
    const next = focused.isConnected ? focused : rows()[Math.min(place, rows().length - 1)];
    if (next !== focused && decided.current !== focused) unchosen.current = next ?? null;
    next?.focus();
  });
  const hasMoved = ({ target }: { target: Element }) => {
    // A dialog of the row, and the focus that it returns, belong to the row.
    if (!decided.current?.contains(target)) decided.current = null;
    if (target !== unchosen.current) unchosen.current = null;
  };
  return (
    <Loaded query={requests}>
      {(found: readonly Booking[]) =>
        found.length === 0 ? (
          <Empty icon={Inbox} title={t("requests.none")} text={t("requests.noneText")} />
        ) : (
          <ul ref={list} className={classes["cards"]} onFocus={hasMoved} onClick={() => (unchosen.current = null)}>
            {found.map((each) => (
              <li key={each.bookingId} className={page["card"]} tabIndex={-1}>
                <div className={classes["stack"]}>
                  <div>
                    <h2 className={classes["name"]}>
                      <BookingLink booking={each} />
                    </h2>
                    <p className={page["muted"]}>
                      <bdi>{each.title}</bdi>, {when(each, host.timeZone)}
                    </p>
                  </div>
                  <Clash booking={each} host={host} />
                  <Facts
                    list={[
                      [
                        t("booking.email"),
                        each.guest.email ? (
                          <a key="mail" href={`mailto:${encodeURIComponent(each.guest.email)}`}>
                            {each.guest.email}
                          </a>
                        ) : null,
                      ],
                      [
                        t("booking.phone"),
                        each.guest.phone ? (
                          <a key="phone" href={`tel:${each.guest.phone.replace(/[^+\d]/g, "")}`}>
                            {each.guest.phone}
                          </a>
                        ) : null,
                      ],
                      [t("booking.guestTime"), guestTime(each, host.timeZone)],
                      [t("booking.others"), each.additionalGuests.map(({ name, email }) => name || email).join(", ")],
                      [t("booking.seats"), each.seats > 1 ? number(each.seats) : null],
                      ...answersOf(each),
                    ]}
                  />
                  {each.notes && <blockquote className={classes["quote"]}>{each.notes}</blockquote>}
                  {each.decideBefore && <p className={page["more"]}>{t("requests.ends", { when: relative(each.decideBefore) })}</p>}
                  <Acts booking={each} host={host} />
                </div>
              </li>
            ))}
          </ul>
        )
      }
    </Loaded>
  );
}

const ofMoment = ["busy", "outside_hours"] as const;

/** What has come in the way since it was asked for: another calendar, or hours that were changed. No booking can: a request keeps its time. */
function Clash({ booking, host }: { booking: Booking; host: Host }) {
  const { t } = useTexts();
  const api = useCalendar();
  const type = (useEventTypes().data ?? []).find(
    ({ eventTypeId, visibility }) => eventTypeId === booking.eventTypeId && visibility !== "disabled",
  );
  const minutes = (Date.parse(booking.end) - Date.parse(booking.start)) / 60_000;
  // Of a length that is not offered any more the usual one is asked.
  const duration = type?.durationOptions.includes(minutes) ? { duration: minutes } : {};
  const { data } = useQuery({
    queryKey: ["/api/public/explain", type?.slug, booking.start, minutes],
    enabled: type !== undefined,
    queryFn: ({ signal }) =>
      whole(
        api.get("/api/public/{handle}/{eventType}/explain", {
          path: { handle: host.handle, eventType: type?.slug ?? "" },
          query: { start: booking.start, ...duration },
          signal,
        }),
      ),
  });
  const reasons = ofMoment.filter((each) => data?.reasons.includes(each));
  if (reasons.length === 0) return null;
  return (
    <Note kind="warn">
      {reasons.map((each) => (
        <p key={each}>{t(`reason.${each}`)}</p>
      ))}
    </Note>
  );
}
