import { useCan, useTexts } from "@portico/app-shell";
import type { Brand } from "../service.ts";
import { pictureOf, useMedia } from "./media.ts";
import page from "@portico/ui/page.module.css";
import classes from "../page.module.css";

/** The files of a post: pictures with their alt texts, names of all others. */
export function Pictures({ brand, ids }: { brand: Brand; ids: readonly string[] }) {
  return useCan("media:read") && ids.length > 0 ? <Shown brand={brand} ids={ids} /> : null;
}

function Shown({ brand, ids }: { brand: Brand; ids: readonly string[] }) {
  const { t } = useTexts();
  const media = useMedia(brand);
  return (
    <ul className={classes["pictures"]} aria-label={t("post.media")}>
      {ids.map((id) => {
        const file = media.data?.find(({ mediaId }) => mediaId === id);
        const picture = file && pictureOf(file);
        return (
          <li key={id}>
            {picture ? (
              <img src={picture} alt={file.altText} loading="lazy" />
            ) : (
              <bdi className={page["more"]}>{file?.fileName ?? "…"}</bdi>
            )}
          </li>
        );
      })}
    </ul>
  );
}
