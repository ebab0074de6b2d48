import { Link, useQuery as useQueryMember, useTexts } from "@portico/app-shell";
import { Button } from "@mantine/core";
import { Empty, Loaded, useDeed, useKeys, useUi } from "@portico/ui";
import { CircleCheck } from "lucide-react";
import { useEffect, useRef, useState } from "react";
import { LaunchpadPage } from "../parts.tsx";
import { most, useActions, useLaunchpad, useReload, type Action } from "../service.ts";
import { ActionCard } from "./ActionCard.tsx";
import { byUrgency } from "./decide.ts";
import page from "@portico/ui/page.module.css";
import classes from "./actions.module.css";

const statuses = ["open", "snoozed", "resolved"] as const;

/** All that needs a decision of a human, the most urgent first. J and K walk, X selects. */
export default function ActionsPage() {
  const { t } = useTexts();
  const [wanted] = useQueryMember("status");
  const status = statuses.find((each) => each === wanted) ?? "open";
  return (
    <LaunchpadPage title={t("actions.title")} text={t("actions.text")}>
      <nav className={classes["tabs"]} aria-label={t("actions.status")}>
        {statuses.map((each) => (
          <Link
            key={each}
            to={each === "open" ? "/actions" : `/actions?status=${each}`}
            aria-current={each === status ? "page" : undefined}
          >
            {t(`actions.${each}Ones`)}
          </Link>
        ))}
      </nav>
      <Queue key={status} status={status} />
    </LaunchpadPage>
  );
}

function Queue({ status }: { status: (typeof statuses)[number] }) {
  const { t } = useTexts();
  const [id] = useQueryMember("id");
  const query = useActions(status, most);
  const [selected, setSelected] = useState<ReadonlySet<string>>(new Set());
  const list = useRef<HTMLUListElement>(null);
  const rows = () => [...(list.current?.children ?? [])] as HTMLElement[];
  const here = () => rows().findIndex((each) => each.contains(document.activeElement));
  const walk = (by: number) => rows()[Math.min(rows().length - 1, Math.max(0, here() + by))]?.focus();
  const mark = () => rows()[here()]?.querySelector<HTMLInputElement>("input[type=checkbox]")?.click();
  useKeys({ j: () => walk(1), k: () => walk(-1), x: mark }, true, { x: t("actions.select") });
  const found = query.data !== undefined && id !== null;
  useEffect(() => {
    if (found) list.current?.querySelector<HTMLElement>(`[data-action="${CSS.escape(id)}"]`)?.focus();
  }, [found, id]);
  return (
    <Loaded query={query} lines={10}>
      {({ items, nextCursor }) => {
        if (items.length === 0)
          return (
            <Empty icon={CircleCheck} title={t(`actions.none.${status}`)} text={status === "open" ? t("actions.noneText") : undefined} />
          );
        const sorted = status === "resolved" ? items : [...items].sort(byUrgency);
        return (
          <>
            {status === "open" && items.length > 1 && <Bulk items={sorted} selected={selected} onSelect={setSelected} />}
            <ul ref={list} className={classes["list"]}>
              {sorted.map((each) => (
                <ActionCard
                  key={each.id}
                  action={each}
                  selected={status === "open" && items.length > 1 ? selected.has(each.id) : undefined}
                  onSelect={(on) => setSelected(new Set(on ? [...selected, each.id] : [...selected].filter((other) => other !== each.id)))}
                />
              ))}
            </ul>
            {nextCursor && <p className={page["muted"]}>{t("actions.more", { count: most })}</p>}
          </>
        );
      }}
    </Loaded>
  );
}

/** Decides several actions at once: with the decisions that all of them have and that need no reason. */
function Bulk({
  items,
  selected,
  onSelect,
}: {
  items: readonly Action[];
  selected: ReadonlySet<string>;
  onSelect: (ids: ReadonlySet<string>) => void;
}) {
  const { t } = useTexts();
  const api = useLaunchpad();
  const reload = useReload();
  const { notices, sentence } = useUi();
  const { busy, run } = useDeed();
  const chosen = items.filter(({ id }) => selected.has(id));
  const common = (chosen[0]?.decisions ?? []).filter(
    (each) =>
      !each.requiresReason &&
      chosen.every(({ decisions }) => decisions.some(({ id, requiresReason }) => id === each.id && !requiresReason)),
  );
  const decide = (decision: string) =>
    void run(async () => {
      const failed: unknown[] = [];
      for (const { id } of chosen)
        await api.post("/api/actions/{id}/resolve", { path: { id }, body: { decision } }).catch((error: unknown) => failed.push(error));
      onSelect(new Set());
      await reload();
      if (failed.length > 0)
        notices.tell({ kind: "refused", text: t("actions.someFailed", { count: failed.length, why: sentence(failed[0]) }) });
      else notices.tell({ kind: "done", text: t("actions.decided", { count: chosen.length }) });
    });
  return (
    <div className={classes["bulk"]}>
      <label className={page["check"]}>
        <input
          type="checkbox"
          checked={chosen.length === items.length}
          onChange={(event) => onSelect(new Set(event.currentTarget.checked ? items.map(({ id }) => id) : []))}
        />
        <span>{t("actions.selectAll")}</span>
      </label>
      {chosen.length > 0 && <span role="status">{t("actions.selected", { count: chosen.length })}</span>}
      {common.map((each) => (
        <Button
          key={each.id}
          size="compact-sm"
          variant={each.style === "primary" ? "filled" : "default"}
          {...(each.style === "danger" && { color: "red" })}
          loading={busy}
          onClick={() => decide(each.id)}
        >
          {t("actions.bulk", { label: each.label, count: chosen.length })}
        </Button>
      ))}
      {chosen.length > 0 && common.length === 0 && <span className={page["muted"]}>{t("actions.noCommon")}</span>}
    </div>
  );
}
