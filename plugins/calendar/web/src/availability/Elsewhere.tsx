import { useTexts } from "@portico/app-shell";
import { Select } from "@mantine/core";
import { Card } from "@portico/ui";
import { useState } from "react";
import { PageFrame } from "../embed/PageFrame.tsx";
import { ZoneSelect } from "../parts.tsx";
import { useEventTypes, type Host } from "../service.ts";
import classes from "../page.module.css";

/** The times as a guest in another zone sees them. */
export function Elsewhere({ host, version }: { host: Host; version: number }) {
  const { t } = useTexts();
  const types = (useEventTypes().data ?? []).filter(({ visibility }) => visibility !== "disabled");
  const [slug, setSlug] = useState("");
  const [zone, setZone] = useState("");
  if (types.length === 0) return null;
  const shown = slug || types[0]?.slug;
  return (
    <Card title={t("elsewhere.title")} text={t("elsewhere.text")}>
      <div className={classes["stack"]}>
        <div className={classes["fields"]}>
          <ZoneSelect label={t("elsewhere.zone")} placeholder={t("elsewhere.choose")} value={zone} onChange={setZone} />
          {types.length > 1 && (
            <Select
              label={t("types.one")}
              data={types.map(({ slug: value, title: label }) => ({ value, label }))}
              value={shown ?? null}
              allowDeselect={false}
              onChange={(value) => setSlug(value ?? "")}
            />
          )}
        </div>
        {zone && (
          <PageFrame
            size="page"
            src={`/${host.handle}/${shown}?${new URLSearchParams({ embed: "preview", tz: zone })}`}
            title={t("elsewhere.page", { zone: zone.replaceAll("_", " ") })}
            version={version}
          />
        )}
      </div>
    </Card>
  );
}
