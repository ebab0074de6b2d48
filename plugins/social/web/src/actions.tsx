import { navigate, useTexts } from "@portico/app-shell";
import { Button } from "@mantine/core";
import { Confirm, Dialog, useDeed } from "@portico/ui";
import { useState } from "react";
import { useReload, useSocial, type Brand, type Item, type SafeAction } from "./service.ts";
import { TimeField } from "./TimeField.tsx";
import { SuggestionDialog } from "./approvals/SuggestionDialog.tsx";
import classes from "./page.module.css";

type Action = SafeAction["action"];
const dangerous: readonly Action[] = ["delete", "cancel"];
const confirmed: readonly Action[] = [...dangerous, "publish_now", "retry", "mark_published"];
const withTime: readonly Action[] = ["schedule", "reschedule"];

/** Exactly the buttons that `safeActions` of an item lists, in its order. */
export function ItemActions({ item, brand }: { item: Item; brand: Brand }) {
  const { t } = useTexts();
  const api = useSocial();
  const reload = useReload();
  const { busy, run } = useDeed();
  const [open, setOpen] = useState<SafeAction | null>(null);
  const [suggestion, setSuggestion] = useState<"edit" | "approve" | null>(null);
  const [at, setAt] = useState("");
  const [comment, setComment] = useState("");
  const path = { contentId: item.contentId };

  const send = (action: SafeAction) => {
    const deeds: Partial<Record<Action, () => Promise<unknown>>> = {
      approve: () =>
        api.post("/api/content-ops/items/{contentId}/approve", { path, body: { revision: item.revision, ...(comment && { comment }) } }),
      reject: () => api.post("/api/content-ops/items/{contentId}/reject", { path, body: comment ? { reason: comment } : {} }),
      submit: () => api.post("/api/content-ops/items/{contentId}/submit", { path, body: {} }),
      cancel: () => api.post("/api/content-ops/items/{contentId}/cancel", { path, body: {} }),
      retry: () =>
        api.post("/api/content-ops/items/{contentId}/retry", { path, body: action.requires?.includes("confirm") ? { confirm: true } : {} }),
      mark_published: () => api.post("/api/content-ops/items/{contentId}/mark-published", { path, body: {} }),
      schedule: () => api.patch("/api/content-ops/items/{contentId}", { path, body: { scheduledFor: at } }),
      reschedule: () => api.post("/api/content-ops/items/{contentId}/reschedule", { path, body: { scheduledFor: at } }),
      publish_now: () => api.post("/api/posts/{postId}/publish", { path: { postId: item.postId ?? "" }, body: {} }),
      revert_to_draft: () => api.put("/api/posts/{postId}", { path: { postId: item.postId ?? "" }, body: { status: "draft" } }),
      duplicate: async () => {
        if (!item.postId) return api.post("/api/content-ops/items/{contentId}/duplicate", { path, body: {} });
        const made = await api.post("/api/posts/{postId}/duplicate", { path: { postId: item.postId }, body: {} });
        navigate(`/posts/${made.postId}`);
        return made;
      },
      delete: async () => {
        if (!item.postId) return api.delete("/api/content-ops/items/{contentId}", { path });
        await api.delete("/api/posts/{postId}", { path: { postId: item.postId } });
        navigate("/posts");
        return undefined;
      },
    };
    const deed = deeds[action.action];
    if (!deed) return;
    setOpen(null);
    void run(() => deed().finally(reload), t(`done.${action.action}`));
  };
  const begin = (action: SafeAction) => {
    setComment("");
    setAt(item.scheduledFor ?? "");
    if (!item.postId && (action.action === "edit" || action.action === "approve")) setSuggestion(action.action);
    else if (action.action === "edit") navigate(`/posts/${item.postId}/edit`);
    else if (action.action === "reconnect") navigate("/accounts");
    else if (
      withTime.includes(action.action) ||
      action.action === "reject" ||
      (action.action === "retry" ? action.requires?.includes("confirm") : confirmed.includes(action.action))
    )
      setOpen(action);
    else send(action);
  };
  const name = open?.action ?? "edit";
  return (
    <div className={classes["actions"]}>
      {item.safeActions.map((each) =>
        each.action === "view_on_platform" ? (
          each.path && (
            <Button key={each.action} component="a" href={each.path} target="_blank" rel="noreferrer noopener" variant="subtle">
              {t("act.view_on_platform")}
            </Button>
          )
        ) : (
          <Button
            key={each.action}
            disabled={busy}
            variant={each.action === "approve" || each.action === "retry" ? "filled" : each.action === "duplicate" ? "subtle" : "default"}
            {...(dangerous.includes(each.action) && { color: "red" })}
            onClick={() => begin(each)}
          >
            {t(`act.${each.action}`)}
          </Button>
        ),
      )}
      {suggestion && <SuggestionDialog item={item} brand={brand} how={suggestion} onClose={() => setSuggestion(null)} />}
      <Confirm
        open={open !== null && confirmed.includes(name)}
        title={t(`act.${name}`)}
        text={t(`sure.${name}`)}
        act={t(`act.${name}`)}
        danger={name !== "publish_now"}
        onClose={() => setOpen(null)}
        onConfirm={() => open && send(open)}
      />
      <Dialog
        open={open !== null && withTime.includes(name)}
        title={t(`act.${name}`)}
        onClose={() => setOpen(null)}
        actions={
          <Button variant="filled" disabled={!at || busy} onClick={() => open && send(open)}>
            {t(`act.${name}`)}
          </Button>
        }
      >
        <TimeField label={t("post.time")} brand={brand} value={at} onChange={setAt} />
      </Dialog>
      <Dialog
        open={open !== null && name === "reject"}
        title={t("act.reject")}
        onClose={() => setOpen(null)}
        actions={
          <Button variant="filled" disabled={busy} onClick={() => open && send(open)}>
            {t("act.reject")}
          </Button>
        }
      >
        <label className={classes["label"]}>
          {t("reject.reason")}
          <textarea rows={4} maxLength={1000} value={comment} onChange={(event) => setComment(event.currentTarget.value)} />
          <small>{t("reject.hint")}</small>
        </label>
      </Dialog>
    </div>
  );
}
