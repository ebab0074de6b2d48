import { useTexts } from "@portico/app-shell";
import { useDeed, useUi } from "@portico/ui";
import { useEffect, useState } from "react";
import { useReload, useSocial } from "../service.ts";
import type { Media } from "./media.ts";
import classes from "../page.module.css";

/** The alt text of a file, saved when the field is left. */
export function AltText({ media }: { media: Media }) {
  const { t } = useTexts();
  const api = useSocial();
  const reload = useReload();
  const { say } = useUi();
  const { busy, run } = useDeed();
  // The newest version: that of the list, or that of the last save.
  const [known, setKnown] = useState(media);
  const [text, setText] = useState(media.altText);
  // The alt text that another user has saved while the user typed.
  const [theirs, setTheirs] = useState("");
  const [left, setLeft] = useState(false);
  if (media.version > known.version) {
    setKnown(media);
    // What the user has typed stays. During a save, the newer version may be that save.
    if (!busy && media.altText !== known.altText) (text.trim() === known.altText ? setText : setTheirs)(media.altText);
  }
  // A field that is left during a save is saved after it.
  useEffect(() => {
    if (!left || busy) return;
    setLeft(false);
    if (text.trim() === known.altText) return;
    void run(async () => {
      const saved = await api.patch("/api/media/{mediaId}", {
        path: { mediaId: known.mediaId },
        query: { brandId: known.brandId },
        body: { altText: text.trim() } as never,
        version: known.version,
      });
      setKnown(saved as unknown as Media);
      setTheirs("");
      await reload();
    }, t("library.altSaved"));
  }, [left, busy]);
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
        onBlur={() => setLeft(true)}
      />
      {!text.trim() && <small>{t("library.altHint")}</small>}
      {theirs && theirs !== text.trim() && <small role="alert">{say("form.theirs", { value: theirs })}</small>}
    </label>
  );
}
