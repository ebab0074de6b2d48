import { useTexts } from "@portico/app-shell";
import type { ReactNode } from "react";
import { useMedia } from "../parts.tsx";
import page from "@portico/ui/page.module.css";
import classes from "../page.module.css";

/** A page of guests as they see it now. `size`: how much room it has. It is read again when `version` is another. */
export function PageFrame({
  src,
  title,
  size,
  version = "",
}: {
  src: string;
  title: string;
  size: "page" | "phone";
  version?: string | number;
}) {
  const { t } = useTexts();
  return (
    <figure className={classes["frame"]} data-size={size}>
      <iframe key={`${src} ${version}`} src={src} title={title} loading="lazy" />
      <figcaption className={page["more"]}>{t("preview.real")}</figcaption>
    </figure>
  );
}

/** What is worked on, with a page of guests in sight where there is room for both. */
export function BesidePage({
  src,
  title,
  version,
  children,
}: {
  src: string;
  title: string;
  version: string | number;
  children: ReactNode;
}) {
  const roomy = useMedia("(min-width: 72rem)");
  return (
    <div className={classes["beside"]}>
      <div className={classes["stack"]}>{children}</div>
      {roomy && (
        <aside aria-label={title}>
          <PageFrame src={src} title={title} size="phone" version={version} />
        </aside>
      )}
    </div>
  );
}
