import { navigate, useTexts } from "@portico/app-shell";
import { Button } from "@mantine/core";
import { Dialog, useDeed, useUi } from "@portico/ui";
import { useState } from "react";
import { useAccounts, useReload, useSocial, type Brand, type Integration, type Platform } from "../service.ts";
import { suggestible, type Entry } from "./trends.ts";
import page from "@portico/ui/page.module.css";
import classes from "../page.module.css";

const most = 5;

/** Asks for which networks suggestions are written, and how many. They appear under Approvals. */
export function Suggest({ entry, brand, onClose }: { entry: Entry; brand: Brand; onClose: () => void }) {
  const { t } = useTexts();
  const api = useSocial();
  const reload = useReload();
  const { notices } = useUi();
  const { busy, run } = useDeed();
  const accounts = useAccounts(brand.brandId);
  const own = new Set(((accounts.data?.items ?? []) as unknown as Integration[]).map(({ platform }) => platform));
  const offered = suggestible.filter((each) => own.has(each));
  const list = offered.length > 0 ? offered : suggestible.slice(0, 2);
  const [chosen, setChosen] = useState<ReadonlySet<Platform> | null>(null);
  const platforms = chosen ?? new Set(list);
  const [count, setCount] = useState(1);
  const send = () =>
    void run(async () => {
      const { warnings = [] } = (await api.post("/api/content-strategy/suggestions/generate-from-trends", {
        query: { brandId: brand.brandId },
        body: { items: [{ sourceItemId: entry.sourceItemId }], platforms: [...platforms], perPlatform: count } as never,
      })) as { warnings?: readonly { readonly code: string }[] };
      const cut = warnings.filter(({ code }) => code === "text_cut").length;
      if (warnings.some(({ code }) => code === "model_failed")) notices.tell({ kind: "refused", text: t("suggest.templates") });
      if (cut > 0) notices.tell({ kind: "refused", text: t("suggest.cut", { count: cut }) });
      await reload();
      onClose();
      navigate("/approvals");
    }, t("suggest.done"));
  return (
    <Dialog
      open
      title={t("suggest.title")}
      onClose={onClose}
      actions={
        <Button variant="filled" disabled={busy || platforms.size === 0} onClick={send}>
          {t("trends.suggest")}
        </Button>
      }
    >
      <div className={classes["stack"]}>
        <p className={page["muted"]}>{t("suggest.text")}</p>
        <fieldset className={classes["targets"]}>
          <legend>{t("post.networks")}</legend>
          {list.map((each) => (
            <label key={each} className={page["check"]}>
              <input
                type="checkbox"
                checked={platforms.has(each)}
                onChange={(event) => {
                  const next = new Set(platforms);
                  if (event.currentTarget.checked) next.add(each);
                  else next.delete(each);
                  setChosen(next);
                }}
              />
              <span>{t(`platform.${each}`)}</span>
            </label>
          ))}
        </fieldset>
        <label className={classes["label"]}>
          {t("suggest.count")}
          <input
            type="number"
            min={1}
            max={most}
            value={count}
            onChange={(event) => setCount(Math.min(most, Math.max(1, event.currentTarget.valueAsNumber || 1)))}
          />
        </label>
      </div>
    </Dialog>
  );
}
