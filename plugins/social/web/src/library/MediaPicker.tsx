import { useCan, useTexts } from "@portico/app-shell";
import { Button } from "@mantine/core";
import { Dialog, FileDrop, Loaded, useDeed } from "@portico/ui";
import { ImagePlus, X } from "lucide-react";
import { useState } from "react";
import type { Brand } from "../service.ts";
import { AltText } from "./AltText.tsx";
import { GenerateImages } from "./GenerateImages.tsx";
import { fileTypes, pictureOf, useMedia, useUpload } from "./media.ts";
import page from "@portico/ui/page.module.css";
import classes from "../page.module.css";

const maxFiles = 20;

/** Files of a post: from the library, or new ones. */
export function MediaPicker({
  brand,
  value,
  onChange,
}: {
  brand: Brand;
  value: readonly string[];
  /** Receives a function that changes the current list, because an upload may end long after the render that started it. */
  onChange: (change: (ids: readonly string[]) => readonly string[]) => void;
}) {
  const { t } = useTexts();
  const may = useCan("media:read");
  const mayUpload = useCan("media:write");
  const mayGenerate = useCan("ai:generate");
  const [open, setOpen] = useState(false);
  const media = useMedia(brand);
  const upload = useUpload(brand);
  const { busy, run } = useDeed();
  if (!may) return null;
  // The list offers an uploaded file before its upload ends here, so a user may have chosen it already.
  const add = (more: readonly string[]) => onChange((ids) => [...new Set([...ids, ...more])]);
  const chosen = value.map(
    (id) =>
      media.data?.find(({ mediaId }) => mediaId === id) ?? {
        mediaId: id,
        fileName: id,
        thumbnailUrl: null,
        url: null,
        kind: "document" as const,
        altText: "",
      },
  );
  return (
    <fieldset className={classes["targets"]}>
      <legend>{t("post.media")}</legend>
      <ul className={page["plain"]}>
        {chosen.map((each) => (
          <li key={each.mediaId}>
            {pictureOf(each) && <img className={classes["thumb"]} src={pictureOf(each) ?? ""} alt="" />}
            <span className={page["grow"]}>
              <bdi>{each.fileName}</bdi>
              {mayUpload && "version" in each && each.kind !== "document" ? (
                <AltText media={each} />
              ) : (
                <span className={page["more"]}>{each.altText || t("library.noAlt")}</span>
              )}
            </span>
            <Button
              variant="subtle"
              leftSection={<X size={16} aria-hidden />}
              aria-label={t("library.removeWhat", { name: each.fileName })}
              onClick={() => onChange((ids) => ids.filter((id) => id !== each.mediaId))}
            >
              {t("act.remove")}
            </Button>
          </li>
        ))}
      </ul>
      <span className={classes["actions"]}>
        <Button leftSection={<ImagePlus size={16} aria-hidden />} disabled={value.length >= maxFiles} onClick={() => setOpen(true)}>
          {t("library.add")}
        </Button>
        {mayGenerate && <GenerateImages brand={brand} most={maxFiles - value.length} onUse={add} />}
      </span>
      <Dialog wide open={open} title={t("library.add")} onClose={() => setOpen(false)}>
        <div className={classes["stack"]}>
          {mayUpload && (
            <FileDrop
              accept={fileTypes}
              most={4}
              onFiles={(files) =>
                void run(async () => {
                  const ids: string[] = [];
                  try {
                    for (const file of files) ids.push(await upload(file));
                  } finally {
                    if (ids.length > 0) add(ids);
                  }
                  setOpen(false);
                })
              }
            />
          )}
          {busy && <p className={page["muted"]}>{t("library.uploading")}</p>}
          <Loaded query={media}>
            {(list) => (
              <ul className={classes["grid"]}>
                {list
                  .filter(({ status, mediaId }) => status === "ready" && !value.includes(mediaId))
                  .map((each) => (
                    <li key={each.mediaId}>
                      <button type="button" className={classes["tile"]} onClick={() => (add([each.mediaId]), setOpen(false))}>
                        {pictureOf(each) ? <img src={pictureOf(each) ?? ""} alt={each.altText} loading="lazy" /> : null}
                        <bdi>{each.fileName}</bdi>
                      </button>
                    </li>
                  ))}
              </ul>
            )}
          </Loaded>
        </div>
      </Dialog>
    </fieldset>
  );
}
