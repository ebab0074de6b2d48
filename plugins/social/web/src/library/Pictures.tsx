import { useCan, useTexts } from "@portico/app-shell";
import type { Brand } from "../service.ts";
import { pictureOf, useMedia } from "./media.ts";
import page from "@portico/ui/page.module.css";
import classes from "../page.module.css";

interface PicturesProps {
  brand: Brand;
  ids: readonly string[];
  /** Alt texts that replace those of the files, by the id of the file. */
  altTexts?: Readonly<Record<string, string>>;
  /** Shows the alt texts below the pictures. */
  described?: boolean;
}

/** The files of a post: pictures with their alt texts, names of all others. */
export function Pictures(props: PicturesProps) {
  return useCan("media:read") && props.ids.length > 0 ? <Shown {...props} /> : null;
}

function Shown({ brand, ids, altTexts = {}, described = false }: PicturesProps) {
  const { t } = useTexts();
  const media = useMedia(brand);
  return (
    <ul className={classes["pictures"]} aria-label={t("post.media")}>
      {ids.map((id) => {
        const file = media.data?.find(({ mediaId }) => mediaId === id);
        const picture = file && pictureOf(file);
        const alt = altTexts[id] ?? file?.altText ?? "";
        return (
          <li key={id}>
            {picture ? (
              <img src={picture} alt={described ? "" : alt} loading="lazy" />
            ) : (
              <bdi className={page["more"]}>{file?.fileName ?? "…"}</bdi>
            )}
            {described && file && (
              <p className={page["more"]} dir="auto">
                {alt ? t("library.altIs", { text: alt }) : t("library.noAlt")}
              </p>
            )}
          </li>
        );
      })}
    </ul>
  );
}
