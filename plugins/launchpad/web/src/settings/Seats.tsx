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

const types = ["human", "agent"] as const;

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
    queryFn: async ({ signal }) => (await api.get("/api/billing/seats", { query: { subscriptionId: plan.id }, signal })).items,
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
                <span className={page["grow"]}>
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
      {plan.seats.used < plan.seats.purchased && <NewSeat plan={plan} onDone={reload} />}
    </Card>
  );
}

function NewSeat({ plan, onDone }: { plan: Subscription & { id: string }; onDone: () => Promise<void> }) {
  const { t } = useTexts();
  const api = useBilling();
  const { user } = useMe();
  const { busy, run } = useDeed();
  const ofUser = plan.owner_type === "user";
  const [person, setPerson] = useState(ofUser ? user.id : "");
  const [type, setType] = useState<Seat["assignee"]["type"]>("human");
  return (
    <form
      className={page["row"]}
      onSubmit={(event) => {
        event.preventDefault();
        if (person)
          void run(
            () => api.post("/api/billing/seats", { body: { subscriptionId: plan.id, assignee: { type, id: person } } }).finally(onDone),
            t("billing.assigned"),
          );
      }}
    >
      {!ofUser && <PersonField label={t("billing.assignee")} value={person} onChange={setPerson} />}
      <label className={page["field"]}>
        {t("billing.holder")}
        <select value={type} onChange={(event) => setType(event.currentTarget.value as typeof type)}>
          {types.map((each) => (
            <option key={each} value={each}>
              {t(`seat.${each}`)}
            </option>
          ))}
        </select>
      </label>
      <Button type="submit" loading={busy} disabled={!person}>
        {t("billing.assign")}
      </Button>
    </form>
  );
}
