import { useTexts } from "@portico/app-shell";
import { Button, NativeSelect } from "@mantine/core";
import { ConflictDialog, Dialog, problemOf, Unsaved, useDeed, useUi } from "@portico/ui";
import { useState } from "react";
import { useAccounts, useReload, useSocial, whole, type Brand, type Integration, type Item } from "../service.ts";
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
  const { notices } = useUi();
  const { busy, run } = useDeed();
  const accounts = useAccountChoice(item, brand);
  // The version that the user sees: a later one, saved by another user, must not be overwritten or approved unseen.
  const [base, setBase] = useState(item);
  const [theirs, setTheirs] = useState<Item | null>(null);
  const [text, setText] = useState(item.text);
  const [account, setAccount] = useState("");
  const [at, setAt] = useState(item.scheduledFor ?? "");
  const [slot, setSlot] = useState(false);
  const path = { contentId: item.contentId };
  const chosen = account || accounts[0]?.integrationId;
  // An approved suggestion without an account becomes a post once it has one.
  const waitsForAccount = item.approvalState === "approved";
  const edited = text !== base.text;
  const approve = async () => {
    await api.post("/api/content-ops/items/{contentId}/approve", {
      path,
      body: {
        revision: base.revision,
        ...(chosen && { integrationId: chosen }),
        ...(slot ? { slot: "next" } : at && { scheduledFor: at }),
      } as never,
    });
    return null;
  };
  /** Saves on top of a version. Returns the version of another user who has changed the text, too. */
  const save = async (over: Item): Promise<Item | null> => {
    try {
      await api.patch("/api/content-ops/items/{contentId}", {
        path,
        body: { ...(edited && { text }), ...(waitsForAccount && chosen && { integrationId: chosen }) } as never,
        version: over.version,
      });
      return null;
    } catch (error) {
      if (problemOf(error).status !== 412) throw error;
      const there = (await whole(api.get("/api/content-ops/items/{contentId}", { path }))) as unknown as Item;
      return edited && there.text !== over.text && there.text !== text ? there : save(there);
    }
  };
  const send = (over = base) =>
    void run(async () => {
      const met = await (how === "approve" ? approve() : save(over)).finally(reload);
      if (met) return setTheirs(met);
      notices.tell({ kind: "done", text: t(how === "approve" ? "done.approve" : "suggestion.saved") });
      onClose();
    });
  const choose = (mine: ReadonlySet<string>) => {
    if (!theirs) return;
    setTheirs(null);
    setBase(theirs);
    if (mine.size > 0) send(theirs);
    else setText(theirs.text);
  };
  return (
    <Dialog
      open
      title={t(how === "approve" ? "suggestion.approve" : "suggestion.edit")}
      onClose={onClose}
      actions={
        <Button variant="filled" loading={busy} disabled={how === "edit" && !text.trim()} onClick={() => send()}>
          {t(how === "approve" ? "act.approve" : "suggestion.save")}
        </Button>
      }
    >
      <div className={classes["stack"]}>
        {how === "edit" && (
          <label className={classes["label"]}>
            {t("composer.text")}
            <textarea
              data-autofocus
              rows={8}
              dir="auto"
              readOnly={busy}
              value={text}
              onChange={(event) => setText(event.currentTarget.value)}
            />
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
      <Unsaved when={edited} />
      <ConflictDialog
        conflicts={theirs ? [{ field: "text", label: t("composer.text"), before: base.text, theirs: theirs.text, mine: text }] : []}
        onChoose={choose}
        onClose={() => setTheirs(null)}
      />
    </Dialog>
  );
}
