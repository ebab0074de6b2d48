import { useTexts } from "@portico/app-shell";
import { Button } from "@mantine/core";
import { Note, useUi } from "@portico/ui";
import { useQuery } from "@tanstack/react-query";
import { Eye } from "lucide-react";
import { useState } from "react";
import { useSocial, whole } from "../service.ts";
import page from "@portico/ui/page.module.css";
import classes from "../page.module.css";

interface Preview {
  readonly url: string;
  readonly title: string;
  readonly description: string;
  readonly siteName: string;
  readonly imageUrl: string | null;
}

/** The link of a post, and on request what its page says of itself. */
export function LinkField({ value, onChange }: { value: string; onChange: (url: string) => void }) {
  const { t } = useTexts();
  const [asked, setAsked] = useState("");
  const url = value.trim();
  return (
    <>
      <label className={classes["label"]}>
        {t("post.link")}
        <input type="url" value={value} onChange={(event) => onChange(event.currentTarget.value)} />
      </label>
      {url && asked !== url && (
        <span>
          <Button variant="subtle" leftSection={<Eye size={16} aria-hidden />} onClick={() => setAsked(url)}>
            {t("link.preview")}
          </Button>
        </span>
      )}
      {url && asked === url && <LinkCard url={url} />}
    </>
  );
}

/** The card that a network shows. Its texts are those that the user has asked for; before, the address. */
export function SentCard({ url }: { url: string }) {
  const { data } = useQuery<Preview>({ queryKey: ["/api/link-preview", url], enabled: false });
  return <Figure url={url} read={data} />;
}

function LinkCard({ url }: { url: string }) {
  const { t } = useTexts();
  const { sentence } = useUi();
  const api = useSocial();
  const preview = useQuery({
    queryKey: ["/api/link-preview", url],
    retry: false,
    staleTime: 300_000,
    queryFn: async ({ signal }) => (await whole(api.get("/api/link-preview", { query: { url }, signal }))) as unknown as Preview,
  });
  if (preview.isError)
    return (
      <Note kind="warn" alert>
        <p>{sentence(preview.error)}</p>
        <Button loading={preview.isFetching} onClick={() => void preview.refetch()}>
          {t("link.again")}
        </Button>
      </Note>
    );
  if (!preview.data)
    return (
      <p className={page["muted"]} role="status">
        {t("link.waiting")}
      </p>
    );
  return <Figure url={url} read={preview.data} />;
}

function Figure({ url, read }: { url: string; read: Preview | undefined }) {
  const { t } = useTexts();
  const { title = "", description = "", siteName = "", imageUrl = null } = read ?? {};
  return (
    <figure className={classes["card"]} aria-label={t("link.card")}>
      {imageUrl && <img src={imageUrl} alt="" loading="lazy" />}
      <figcaption>
        <span className={page["more"]}>{siteName || hostOf(url)}</span>
        <span className={classes["strong"]} dir="auto">
          {title || url}
        </span>
        {description && <span dir="auto">{description}</span>}
        {read && !title && !description && <span className={page["more"]}>{t("link.bare")}</span>}
      </figcaption>
    </figure>
  );
}

function hostOf(url: string): string {
  try {
    return new URL(url).host;
  } catch {
    return url;
  }
}
