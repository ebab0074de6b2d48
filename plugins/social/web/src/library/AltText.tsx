import { useTexts } from "@portico/app-shell";
import { useDeed } from "@portico/ui";
import { useEffect, useState } from "react";
import { useReload, useSocial } from "../service.ts";
import type { Media } from "./media.ts";
import classes from "../page.module.css";

/** The alt text of a file, saved when the field is left. */
export function AltText({ media }: { media: Media }) {
  const { t } = useTexts();
  const api = useSocial();
  const reload = useReload();
  const { busy, run } = useDeed();
  const [text, setText] = useState(media.altText);
  useEffect(() => setText(media.altText), [media.altText]);
  const save = () => {
    if (text.trim() === media.altText) return;
    void run(async () => {
      await api.patch("/api/media/{mediaId}", {
        path: { mediaId: media.mediaId },
        query: { brandId: media.brandId },
        body: { altText: text.trim() } as never,
        version: media.version,
      });
      await reload();
    }, t("library.altSaved"));
  };
  return (
    <label className={classes["label"]}>
      {t("library.altOf", { name: media.fileName })}
      <textarea
        rows={2}
        dir="auto"
        maxLength={1500}
        value={text}
        aria-busy={busy}
        onChange={(event) => setText(event.currentTarget.value)}
        onBlur={save}
      />
      {!text.trim() && <small>{t("library.altHint")}</small>}
    </label>
  );
}
