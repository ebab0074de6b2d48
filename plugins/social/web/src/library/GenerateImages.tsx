import { useTexts } from "@portico/app-shell";
import { Button, NativeSelect } from "@mantine/core";
import { Chip, Dialog, Note, problemOf, useUi } from "@portico/ui";
import { Sparkles } from "lucide-react";
import { useState } from "react";
import { useReload, useSocial, whole, type Brand } from "../service.ts";
import page from "@portico/ui/page.module.css";
import classes from "../page.module.css";

const sizes = ["1024x1024", "1536x1024", "1024x1536", "auto"] as const;
const counts = [1, 2, 3, 4] as const;
const scopes: readonly string[] = ["user", "brand", "organization", "gateway"];

interface Made {
  readonly images: readonly { readonly mediaId: string; readonly url: string }[];
  readonly sample: boolean;
  readonly quota: { readonly limit: number; readonly remaining: number };
}

/** Makes images of a text and adds them to the media of the brand. `onUse`: images that the user chooses for a post. */
export function GenerateImages({ brand, onUse, most = 4 }: { brand: Brand; onUse?: (ids: readonly string[]) => void; most?: number }) {
  const { t } = useTexts();
  const [open, setOpen] = useState(false);
  return (
    <>
      <Button leftSection={<Sparkles size={16} aria-hidden />} disabled={most < 1} onClick={() => setOpen(true)}>
        {t("ai.generate")}
      </Button>
      {open && (
        <Generate
          brand={brand}
          most={most}
          onClose={() => setOpen(false)}
          {...(onUse && { onUse: (ids: readonly string[]) => (setOpen(false), onUse(ids)) })}
        />
      )}
    </>
  );
}

function Generate({
  brand,
  most,
  onUse,
  onClose,
}: {
  brand: Brand;
  most: number;
  onUse?: (ids: readonly string[]) => void;
  onClose: () => void;
}) {
  const { t, number } = useTexts();
  const { sentence } = useUi();
  const api = useSocial();
  const reload = useReload();
  const [prompt, setPrompt] = useState("");
  const [count, setCount] = useState(1);
  const [size, setSize] = useState<string>(sizes[0]);
  const [busy, setBusy] = useState(false);
  const [made, setMade] = useState<Made | null>(null);
  const [chosen, setChosen] = useState<ReadonlySet<string>>(new Set());
  const [refused, setRefused] = useState("");

  // A rate limit says which of the budgets is used up, and for how long.
  const reasonOf = (error: unknown): string => {
    const { code, details, retryAfter } = problemOf(error);
    const scope = String(details["scope"] ?? "");
    return code === "rate_limited" && scopes.includes(scope)
      ? t(`ai.limited.${scope}`, { limit: number(Number(details["limit"] ?? 0)), wait: number(Math.max(1, retryAfter)) })
      : sentence(error);
  };
  const send = async () => {
    if (busy || !prompt.trim()) return;
    setBusy(true);
    setRefused("");
    try {
      const answer = (await whole(
        api.post("/api/ai/generate-image", {
          query: { brandId: brand.brandId },
          body: { brandId: brand.brandId, prompt: prompt.trim(), count, size } as never,
        }),
      )) as unknown as Made;
      setMade(answer);
      setChosen(new Set(answer.images.slice(0, most).map(({ mediaId }) => mediaId)));
      await reload();
    } catch (error) {
      setRefused(reasonOf(error));
    } finally {
      setBusy(false);
    }
  };
  const toggle = (id: string, on: boolean) => {
    const next = new Set(chosen);
    if (on) next.add(id);
    else next.delete(id);
    setChosen(next);
  };
  return (
    <Dialog
      wide
      open
      title={t("ai.title")}
      onClose={onClose}
      actions={
        <>
          <Button variant={made ? "default" : "filled"} loading={busy} disabled={!prompt.trim()} onClick={() => void send()}>
            {t(made ? "ai.again" : "ai.act")}
          </Button>
          {made && onUse && (
            <Button variant="filled" disabled={busy || chosen.size === 0 || chosen.size > most} onClick={() => onUse([...chosen])}>
              {t("ai.use", { count: chosen.size })}
            </Button>
          )}
          {made && !onUse && (
            <Button variant="filled" onClick={onClose}>
              {t("ai.done")}
            </Button>
          )}
        </>
      }
    >
      <div className={classes["stack"]}>
        {refused && (
          <Note kind="bad" alert>
            {refused}
          </Note>
        )}
        <label className={classes["label"]}>
          {t("ai.prompt")}
          <textarea
            data-autofocus
            rows={3}
            dir="auto"
            maxLength={4000}
            value={prompt}
            onChange={(event) => setPrompt(event.currentTarget.value)}
          />
          <small>{t("ai.promptHint")}</small>
        </label>
        <div className={classes["fields"]}>
          <NativeSelect
            label={t("ai.count")}
            value={String(count)}
            onChange={(event) => setCount(Number(event.currentTarget.value))}
            data={counts.map((value) => ({ value: String(value), label: number(value) }))}
          />
          <NativeSelect
            label={t("ai.size")}
            value={size}
            onChange={(event) => setSize(event.currentTarget.value)}
            data={sizes.map((value) => ({ value, label: t(`ai.size.${value}`) }))}
          />
        </div>
        {busy && (
          <p className={page["muted"]} role="status">
            {t("ai.busy")}
          </p>
        )}
        {made && (
          <>
            <span className={page["row"]}>
              {made.sample && <Chip kind="warn">{t("ai.sample")}</Chip>}
              <span className={page["more"]} role="status">
                {t("ai.left", { remaining: number(made.quota.remaining), limit: number(made.quota.limit) })}
              </span>
            </span>
            {made.sample && <p className={page["muted"]}>{t("ai.sampleText")}</p>}
            <ul className={classes["grid"]}>
              {made.images.map((each, at) => (
                <li key={each.mediaId} className={classes["made"]}>
                  <img src={each.url} alt={t("ai.image", { number: at + 1 })} />
                  {onUse && (
                    <label className={page["check"]}>
                      <input
                        type="checkbox"
                        checked={chosen.has(each.mediaId)}
                        onChange={(event) => toggle(each.mediaId, event.currentTarget.checked)}
                      />
                      <span>{t("ai.choose", { number: at + 1 })}</span>
                    </label>
                  )}
                </li>
              ))}
            </ul>
          </>
        )}
      </div>
    </Dialog>
  );
}
