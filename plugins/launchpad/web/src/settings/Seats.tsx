import { useMe, useTexts } from "@portico/app-shell";
import { Button } from "@mantine/core";
import { Card, Chip, Loaded, useDeed } from "@portico/ui";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { PersonField } from "../PersonField.tsx";
import { billingKey, useBilling, type Seat, type Subscription } from "../billing.ts";
import { useMembers } from "../people.ts";
import page from "@portico/ui/page.module.css";
import classes from "../page.module.css";

const seatsPerRead = 200;

async function seatsOf(api: ReturnType<typeof useBilling>, subscriptionId: string, signal: AbortSignal): Promise<Seat[]> {
  const seats: Seat[] = [];
  let cursor: string | null = null;
  do {
    const page: { items: Seat[]; nextCursor: string | null } = await api.get("/api/billing/seats", {
      query: { subscriptionId, limit: seatsPerRead, ...(cursor && { cursor }) },
      signal,
    });
    seats.push(...page.items);
    cursor = page.nextCursor;
  } while (cursor);
  return seats;
}

/** The assigned seats of people and agents, and a form for another one. */
export function Seats({ plan }: { plan: Subscription & { id: string } }) {
  const { t } = useTexts();
  const api = useBilling();
  const client = useQueryClient();
  const { user } = useMe();
  const { busy, run } = useDeed();
  const members = useMembers() ?? [];
  const reload = () => client.invalidateQueries({ queryKey: billingKey });
  const query = useQuery({
    queryKey: [...billingKey, "seats", plan.id],
    queryFn: ({ signal }) => seatsOf(api, plan.id, signal),
  });
  const nameOf = (id: string) =>
    members.find(({ userId }) => userId === id)?.name ?? (id === user.id ? user.displayName : t("actions.member"));
  const free = (seat: Seat) =>
    void run(() => api.delete("/api/billing/seats/{seatId}", { path: { seatId: seat.id } }).finally(reload), t("billing.freed"));
  return (
    <Card
      title={t("billing.seats")}
      text={t("billing.seatsUsed", { used: String(plan.seats.used), purchased: String(plan.seats.purchased) })}
    >
      <Loaded query={query} lines={3}>
        {(seats) => (
          <ul className={page["plain"]}>
            {seats.map((seat) => (
              <li key={seat.id}>
                <span className={classes["name"]}>
                  <bdi className={classes["strong"]}>{nameOf(seat.assignee.id)}</bdi> <Chip>{t(`seat.${seat.assignee.type}`)}</Chip>
                </span>
                <Button
                  size="compact-sm"
                  variant="subtle"
                  loading={busy}
                  aria-label={t("billing.freeName", { name: nameOf(seat.assignee.id) })}
                  onClick={() => free(seat)}
                >
                  {t("billing.free")}
                </Button>
              </li>
            ))}
          </ul>
        )}
      </Loaded>
      {query.data && query.data.length < plan.seats.purchased && (
        <NewSeat plan={plan} seated={query.data.map(({ assignee }) => assignee.id)} onDone={reload} />
      )}
    </Card>
  );
}

function NewSeat({
  plan,
  seated,
  onDone,
}: {
  plan: Subscription & { id: string };
  seated: readonly string[];
  onDone: () => Promise<void>;
}) {
  const { t } = useTexts();
  const api = useBilling();
  const { user } = useMe();
  const { busy, run } = useDeed();
  const ofUser = plan.owner_type === "user";
  const [chosen, setChosen] = useState(ofUser ? user.id : "");
  // Deselects a person who has received a seat.
  const person = seated.includes(chosen) ? "" : chosen;
  return (
    <form
      className={page["row"]}
      onSubmit={(event) => {
        event.preventDefault();
        if (person)
          void run(
            () => api.post("/api/billing/seats", { body: { subscriptionId: plan.id, assignee: { id: person } } }).finally(onDone),
            t("billing.assigned"),
          );
      }}
    >
      {!ofUser && <PersonField label={t("billing.assignee")} value={person} without={seated} onChange={setChosen} />}
      <Button type="submit" loading={busy} disabled={!person}>
        {t("billing.assign")}
      </Button>
    </form>
  );
}
