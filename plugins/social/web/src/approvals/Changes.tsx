import { useTexts } from "@portico/app-shell";
import { Loaded } from "@portico/ui";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { useBrandTime } from "../parts.tsx";
import { useSocial, whole, type Brand, type Item } from "../service.ts";
import { changesSince, type ItemEvent } from "./changes.ts";
import page from "@portico/ui/page.module.css";
import classes from "../page.module.css";

/** What an item said when it was last approved or rejected, beside what it says now; read when it is opened. */
export function Changes({ item, brand }: { item: Item; brand: Brand }) {
  const { t } = useTexts();
  const [open, setOpen] = useState(false);
  const { approvedAt, rejectedAt, lastEditedAt } = item.timestamps;
  const decided = [approvedAt, rejectedAt].filter(Boolean).sort().at(-1);
  if (!decided || !lastEditedAt || lastEditedAt < decided) return null;
  return (
    <details onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary>{t(decided === approvedAt ? "changes.sinceApproval" : "changes.sinceRejection")}</summary>
      {open && <List item={item} brand={brand} since={decided} />}
    </details>
  );
}

function List({ item, brand, since }: { item: Item; brand: Brand; since: string }) {
  const { t } = useTexts();
  const api = useSocial();
  const time = useBrandTime(brand);
  const events = useQuery({
    queryKey: ["/api/content-ops/items", item.contentId, "events", item.revision],
    queryFn: async ({ signal }) =>
      ((
        await whole(
          api.get("/api/content-ops/items/{contentId}", {
            path: { contentId: item.contentId },
            query: { include: ["events"] } as never,
            signal,
          }),
        )
      ).events ?? []) as unknown as readonly ItemEvent[],
  });
  const valueOf = (field: string, value: unknown): string =>
    value === null || value === undefined || value === "" || (Array.isArray(value) && value.length === 0)
      ? t("changes.empty")
      : field === "scheduledFor"
        ? time(String(value))
        : field === "mediaIds"
          ? t("changes.files", { count: (value as readonly unknown[]).length })
          : field === "thread"
            ? (value as readonly { readonly text: string }[]).map(({ text }) => text).join("\n\n")
            : field === "altTexts"
              ? Object.values(value as Record<string, string>).join("\n")
              : typeof value === "string"
                ? value
                : JSON.stringify(value);
  return (
    <Loaded query={events} lines={3}>
      {(all) => {
        const changes = changesSince(all, since);
        if (changes.length === 0) return <p className={page["muted"]}>{t("changes.none")}</p>;
        return (
          <dl className={classes["changes"]}>
            {changes.map(({ field, from, to, isCut }) => (
              <div key={field}>
                <dt>{t(`changes.field.${field}`)}</dt>
                <dd>
                  <del className={classes["text"]} dir="auto">
                    <span className={classes["hidden"]}>{t("changes.before")} </span>
                    {valueOf(field, from)}
                    {isCut && "…"}
                  </del>
                </dd>
                <dd>
                  <ins className={classes["text"]} dir="auto">
                    <span className={classes["hidden"]}>{t("changes.now")} </span>
                    {field === "text" ? item.text : valueOf(field, to)}
                  </ins>
                </dd>
              </div>
            ))}
          </dl>
        );
      }}
    </Loaded>
  );
}
