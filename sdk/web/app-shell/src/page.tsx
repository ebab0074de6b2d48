import { memo } from "react";
import { useLater } from "@portico/ui";
import { useShell, type PageProps, type Section } from "./core.tsx";

/** The page of a section, once its code is here; until then its name as the only heading. */
export const SectionPage = memo(function SectionPage({ section, params }: { section: Section } & PageProps) {
  const { t } = useShell().texts;
  const Page = useLater(section.page);
  if (Page) return <Page params={params} />;
  return (
    <div aria-busy="true">
      <h1 className="ui-hidden">{t(section.label)}</h1>
    </div>
  );
});
