import { Link, useTexts } from "@portico/app-shell";
import { Button } from "@mantine/core";
import { Chip, Form, Menu, MenuItem, useDeed } from "@portico/ui";
import { Clock, OctagonAlert, TriangleAlert, type LucideIcon } from "lucide-react";
import { useState, type ReactNode } from "react";
import { LaunchLink, When } from "../parts.tsx";
import { useCatalog, useLaunchpad, useReload, type Action, type Decision } from "../service.ts";
import { Assign, useAssignee } from "./Assign.tsx";
import { isInvitation, placeFor, snoozes } from "./decide.ts";
import { Invitation } from "./Invitation.tsx";
import page from "@portico/ui/page.module.css";
import classes from "./actions.module.css";

const signs: Partial<Record<Action["severity"], LucideIcon>> = { critical: OctagonAlert, warning: TriangleAlert };
const longestReason = 500;
const outcomes = { applied: "good", pending: "warn", failed: "bad" } as const;

/** One action: what it is about, its decisions, and its outcome when it has one. */
export function ActionCard({
  action,
  selected,
  onSelect,
}: {
  action: Action;
  selected: boolean | undefined;
  onSelect: (on: boolean) => void;
}) {
  const { t, has, dateTime } = useTexts();
  const Sign = signs[action.severity];
  const place = placeFor(action);
  const assignee = useAssignee(action);
  const { data: apps } = useCatalog();
  const source = action.kind === "custom" ? apps?.find(({ service_id }) => service_id === action.source.service_id)?.name : undefined;
  const overdue = action.dueAt !== null && Date.parse(action.dueAt) < Date.now() && action.status === "open";
  return (
    <li className={classes["action"]} data-severity={action.severity} data-action={action.id} tabIndex={-1} aria-label={action.title}>
      <div className={classes["head"]}>
        {selected !== undefined && (
          <label className={classes["pick"]}>
            <input
              type="checkbox"
              aria-label={t("actions.selectName", { name: action.title })}
              checked={selected}
              onChange={(event) => onSelect(event.currentTarget.checked)}
            />
          </label>
        )}
        {Sign && <Sign size={18} aria-hidden />}
        <h2>
          <bdi>{action.title}</bdi>
        </h2>
        {action.severity !== "info" && (
          <Chip kind={action.severity === "critical" ? "bad" : "warn"}>{t(`severity.${action.severity}`)}</Chip>
        )}
      </div>
      {action.body && <p className={classes["body"]}>{action.body}</p>}
      <p className={page["more"]}>
        {source ? t("actions.from", { name: source }) : has(`kind.${action.kind}`) ? t(`kind.${action.kind}`) : action.kind} ·{" "}
        <When at={action.createdAt} />
        {action.context.kind === "organization" && <> · {t("actions.assignedTo", { name: assignee })}</>}
        {action.dueAt && <> · {t(overdue ? "actions.overdue" : "actions.due", { at: dateTime(action.dueAt) })}</>}
        {action.snoozedUntil && action.status !== "resolved" && <> · {t("actions.snoozedUntil", { at: dateTime(action.snoozedUntil) })}</>}
      </p>
      {action.resolution ? (
        <Outcome action={action} />
      ) : (
        <div className={classes["acts"]}>
          <Decisions action={action}>
            {place?.to && (
              <Button component={Link} to={place.to} size="compact-sm">
                {t(`place.${action.kind}`)}
              </Button>
            )}
            {place?.launch && (
              <LaunchLink service={place.launch} returnTo={place.returnTo} className={classes["link"]}>
                {t(`place.${action.kind}`)}
              </LaunchLink>
            )}
            {isInvitation(action) && <Invitation action={action} />}
            <Assign action={action} />
            <Snooze action={action} />
          </Decisions>
        </div>
      )}
    </li>
  );
}

/** The decisions as buttons, and `children` beside them. One that needs a reason asks for it in place; one that needs a fresh proof is asked for by the shell. */
function Decisions({ action, children }: { action: Action; children: ReactNode }) {
  const { t } = useTexts();
  const api = useLaunchpad();
  const reload = useReload();
  const { busy, run } = useDeed();
  const [reasoned, setReasoned] = useState<Decision | null>(null);
  const resolve = (decision: string, reason?: string) =>
    api.post("/api/actions/{id}/resolve", { path: { id: action.id }, body: { decision, ...(reason && { reason }) } }).finally(reload);
  if (reasoned)
    return (
      <div className={classes["reason"]}>
        <Form
          initial={{ reason: "" }}
          schema={{ required: ["reason"], properties: { reason: { type: "string", maxLength: longestReason } } }}
          fields={[{ name: "reason", label: t("actions.reason", { label: reasoned.label }), kind: "multiline" }]}
          first="reason"
          act={reasoned.label}
          onCancel={() => setReasoned(null)}
          submit={({ reason }) => resolve(reasoned.id, reason)}
        />
      </div>
    );
  return (
    <>
      {action.decisions.map((each) => (
        <Button
          key={each.id}
          size="compact-sm"
          variant={each.style === "primary" ? "filled" : "default"}
          {...(each.style === "danger" && { color: "red", variant: "outline" })}
          loading={busy}
          aria-label={t("actions.decide", { label: each.label, name: action.title })}
          onClick={() =>
            each.requiresReason
              ? setReasoned(each)
              : void run(() => resolve(each.id), t("actions.decidedName", { label: each.label, name: action.title }))
          }
        >
          {each.label}
        </Button>
      ))}
      {children}
    </>
  );
}

function Snooze({ action }: { action: Action }) {
  const { t, dateTime } = useTexts();
  const api = useLaunchpad();
  const reload = useReload();
  const { busy, run } = useDeed();
  if (action.status === "snoozed") return null;
  return (
    <Menu
      label={t("actions.snooze")}
      opener={(props) => (
        <Button
          {...props}
          size="compact-sm"
          variant="subtle"
          loading={busy}
          leftSection={<Clock size={14} aria-hidden />}
          aria-label={t("actions.snoozeName", { name: action.title })}
        >
          {t("actions.snooze")}
        </Button>
      )}
    >
      {(close) =>
        snoozes(new Date()).map(([key, until]) => (
          <MenuItem
            key={key}
            hint={<small>{dateTime(until)}</small>}
            onClick={() => {
              close();
              void run(
                () =>
                  api.post("/api/actions/{id}/snooze", { path: { id: action.id }, body: { until: until.toISOString() } }).finally(reload),
                t("actions.snoozedUntil", { at: dateTime(until) }),
              );
            }}
          >
            {t(`snooze.${key}`)}
          </MenuItem>
        ))
      }
    </Menu>
  );
}

function Outcome({ action: { resolution, decisions } }: { action: Action }) {
  const { t } = useTexts();
  if (!resolution) return null;
  const label = decisions.find(({ id }) => id === resolution.decision)?.label ?? resolution.decision;
  return (
    <p className={classes["outcome"]}>
      <Chip kind={outcomes[resolution.outcome]}>{label}</Chip> <When at={resolution.at} />
      {resolution.reason && <span>{t("actions.because", { reason: resolution.reason })}</span>}
      {resolution.error && <span>{resolution.error}</span>}
    </p>
  );
}
