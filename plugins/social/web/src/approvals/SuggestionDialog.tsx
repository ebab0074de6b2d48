import { useTexts } from "@portico/app-shell";
import { Button, NativeSelect } from "@mantine/core";
import { Dialog, useDeed } from "@portico/ui";
import { useState } from "react";
import { useAccounts, useReload, useSocial, type Brand, type Integration, type Item } from "../service.ts";
import { TimeField } from "../TimeField.tsx";
import page from "@portico/ui/page.module.css";
import classes from "../page.module.css";

/** Whether a person has to say which account a suggestion becomes a post of. */
export function useAccountChoice(item: Item, brand: Brand): readonly Integration[] {
  const accounts = useAccounts(brand.brandId);
  return ((accounts.data?.items ?? []) as unknown as Integration[]).filter(
    ({ platform, connectionState }) => platform === item.platform && connectionState === "connected",
  );
}

/** Edits the text of a suggestion, or approves it as a post of an account, at a time or as a draft. */
export function SuggestionDialog({
  item,
  brand,
  how,
  onClose,
}: {
  item: Item;
  brand: Brand;
  how: "edit" | "approve";
  onClose: () => void;
}) {
  const { t } = useTexts();
  const api = useSocial();
  const reload = useReload();
  const { busy, run } = useDeed();
  const accounts = useAccountChoice(item, brand);
  const [text, setText] = useState(item.text);
  const [account, setAccount] = useState("");
  const [at, setAt] = useState(item.scheduledFor ?? "");
  const [slot, setSlot] = useState(false);
  const path = { contentId: item.contentId };
  const chosen = account || accounts[0]?.integrationId;
  // An approved suggestion without an account becomes a post once it has one.
  const waitsForAccount = item.approvalState === "approved";
  const send = async () => {
    const done = await run(
      () =>
        (how === "approve"
          ? api.post("/api/content-ops/items/{contentId}/approve", {
              path,
              body: {
                revision: item.revision,
                ...(chosen && { integrationId: chosen }),
                ...(slot ? { slot: "next" } : at && { scheduledFor: at }),
              } as never,
            })
          : api.patch("/api/content-ops/items/{contentId}", {
              path,
              body: { ...(text !== item.text && { text }), ...(waitsForAccount && chosen && { integrationId: chosen }) } as never,
              version: item.version,
            })
        ).finally(reload),
      t(how === "approve" ? "done.approve" : "suggestion.saved"),
    );
    if (done) onClose();
  };
  return (
    <Dialog
      open
      title={t(how === "approve" ? "suggestion.approve" : "suggestion.edit")}
      onClose={onClose}
      actions={
        <Button variant="filled" loading={busy} disabled={how === "edit" && !text.trim()} onClick={() => void send()}>
          {t(how === "approve" ? "act.approve" : "suggestion.save")}
        </Button>
      }
    >
      <div className={classes["stack"]}>
        {how === "edit" && (
          <label className={classes["label"]}>
            {t("composer.text")}
            <textarea data-autofocus rows={8} dir="auto" value={text} onChange={(event) => setText(event.currentTarget.value)} />
          </label>
        )}
        {(how === "approve" || waitsForAccount) &&
          (accounts.length === 0 ? (
            <p className={page["muted"]}>{t("suggestion.noAccount", { network: t(`platform.${item.platform}`) })}</p>
          ) : (
            <NativeSelect
              label={t("suggestion.account")}
              value={chosen ?? ""}
              onChange={(event) => setAccount(event.currentTarget.value)}
              data={accounts.map(({ integrationId: value, displayName, handle }) => ({ value, label: displayName || handle }))}
            />
          ))}
        {how === "approve" && (
          <>
            {brand.slotPlan.length > 0 && (
              <label className={page["check"]}>
                <input type="checkbox" checked={slot} onChange={(event) => setSlot(event.currentTarget.checked)} />
                <span>{t("composer.nextSlot")}</span>
              </label>
            )}
            {!slot && <TimeField label={t("post.time")} brand={brand} value={at} onChange={setAt} />}
            <p className={page["muted"]}>{t("suggestion.noTime")}</p>
          </>
        )}
      </div>
    </Dialog>
  );
}
