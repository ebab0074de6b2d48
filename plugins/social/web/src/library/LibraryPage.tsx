import { setQuery, useCan, useQuery as useAddressQuery, useTexts } from "@portico/app-shell";
import { Button } from "@mantine/core";
import { Chip, Confirm, Empty, FileDrop, Form, Loaded, SidePanel, useDeed } from "@portico/ui";
import { Images } from "lucide-react";
import { useState } from "react";
import { BrandPage } from "../parts.tsx";
import { useReload, useSocial, type Brand } from "../service.ts";
import { GenerateImages } from "./GenerateImages.tsx";
import { fileTypes, pictureOf, useMedia, useUpload, type Media } from "./media.ts";
import page from "@portico/ui/page.module.css";
import classes from "../page.module.css";

/** Images, videos and documents of a brand. */
export default function LibraryPage() {
  const { t } = useTexts();
  const mayGenerate = useCan("ai:generate");
  return (
    <BrandPage wide title={t("library.title")} tools={(brand) => mayGenerate && <GenerateImages brand={brand} />}>
      {(brand) => <Library key={brand.brandId} brand={brand} />}
    </BrandPage>
  );
}

function Library({ brand }: { brand: Brand }) {
  const { t } = useTexts();
  const mayWrite = useCan("media:write");
  const media = useMedia(brand);
  const upload = useUpload(brand);
  const { busy, run } = useDeed();
  const [missing] = useAddressQuery("missingAlt");
  const [opened, setOpened] = useState<Media | null>(null);
  return (
    <>
      {mayWrite && (
        <FileDrop
          accept={fileTypes}
          most={10}
          onFiles={(files) =>
            void run(async () => {
              for (const file of files) await upload(file);
            }, t("library.uploaded"))
          }
        />
      )}
      {busy && <p className={page["muted"]}>{t("library.uploading")}</p>}
      <label className={page["check"]}>
        <input
          type="checkbox"
          checked={missing === "1"}
          onChange={(event) => setQuery({ missingAlt: event.currentTarget.checked ? "1" : null })}
        />
        <span>{t("library.missingAlt")}</span>
      </label>
      <Loaded query={media} lines={8}>
        {(all) => {
          const list = missing === "1" ? all.filter(({ altText, kind }) => !altText && kind !== "document") : all;
          if (list.length === 0) return <Empty icon={Images} title={t("library.none")} text={t("library.noneText")} />;
          return (
            <ul className={classes["grid"]}>
              {list.map((each) => (
                <li key={each.mediaId}>
                  <button type="button" className={classes["tile"]} onClick={() => setOpened(each)}>
                    {pictureOf(each) ? <img src={pictureOf(each) ?? ""} alt={each.altText} loading="lazy" /> : null}
                    <bdi>{each.fileName}</bdi>
                    <span className={page["row"]}>
                      {each.status !== "ready" && (
                        <Chip kind={each.status === "rejected" ? "bad" : "plain"}>{t(`media.${each.status}`)}</Chip>
                      )}
                      {each.status === "ready" && !each.altText && each.kind !== "document" && (
                        <Chip kind="warn">{t("library.noAlt")}</Chip>
                      )}
                    </span>
                  </button>
                </li>
              ))}
            </ul>
          );
        }}
      </Loaded>
      {opened && <File media={opened} mayWrite={mayWrite} onClose={() => setOpened(null)} />}
    </>
  );
}

function File({ media, mayWrite, onClose }: { media: Media; mayWrite: boolean; onClose: () => void }) {
  const { t } = useTexts();
  const api = useSocial();
  const reload = useReload();
  const { run } = useDeed();
  const [deleting, setDeleting] = useState(false);
  const path = { mediaId: media.mediaId };
  const query = { brandId: media.brandId };
  const shown = media.kind === "image" || media.kind === "gif" ? media.url : media.thumbnailUrl;
  return (
    <SidePanel open title={media.fileName} onClose={onClose}>
      <div className={classes["stack"]}>
        {shown && <img className={classes["picture"]} src={shown} alt={media.altText} />}
        {media.rejectReason && <p className={page["muted"]}>{media.rejectReason}</p>}
        {mayWrite && (
          <>
            <Form
              initial={{ altText: media.altText }}
              schema={{ properties: { altText: { type: "string", maxLength: 1500 } } }}
              fields={[{ name: "altText", label: t("library.alt"), hint: t("library.altHint"), kind: "multiline" }]}
              submit={async ({ altText }) => {
                await api.patch("/api/media/{mediaId}", { path, query, body: { altText } as never, version: media.version });
                await reload();
                onClose();
              }}
            />
            <span>
              <Button color="red" onClick={() => setDeleting(true)}>
                {t("act.delete")}
              </Button>
            </span>
          </>
        )}
      </div>
      <Confirm
        open={deleting}
        title={t("library.deleteWhat", { name: media.fileName })}
        text={t("library.deleteText")}
        act={t("act.delete")}
        onClose={() => setDeleting(false)}
        onConfirm={() => (
          setDeleting(false),
          void run(async () => {
            await api.delete("/api/media/{mediaId}", { path, query });
            await reload();
            onClose();
          })
        )}
      />
    </SidePanel>
  );
}
