import { useCan, useTexts } from "@portico/app-shell";
import { Button, NativeSelect } from "@mantine/core";
import { Card, Chip, Confirm, Empty, Form, Loaded, useDeed } from "@portico/ui";
import { Rss } from "lucide-react";
import { useState } from "react";
import { useBrandTime } from "../parts.tsx";
import { useReload, useSocial, type Brand } from "../service.ts";
import { useSources, type Source } from "./trends.ts";
import page from "@portico/ui/page.module.css";
import classes from "../page.module.css";

const kinds = ["rss", "mastodon_trends", "bluesky_feed"] as const;

/** The feeds that the service reads for a brand. */
export function Sources({ brand }: { brand: Brand }) {
  const { t } = useTexts();
  const mayWrite = useCan("content:write");
  const sources = useSources(brand.brandId);
  return (
    <>
      {mayWrite && <Add brand={brand} />}
      <Loaded query={sources} lines={6}>
        {(list) =>
          list.length === 0 ? (
            <Empty icon={Rss} title={t("sources.none")} text={t("sources.noneText")} />
          ) : (
            <ul className={classes["cards"]}>
              {list.map((each) => (
                <li key={each.trendSourceId}>
                  <SourceCard source={each} brand={brand} mayWrite={mayWrite} />
                </li>
              ))}
            </ul>
          )
        }
      </Loaded>
    </>
  );
}

function Add({ brand }: { brand: Brand }) {
  const { t } = useTexts();
  const api = useSocial();
  const reload = useReload();
  const [kind, setKind] = useState<(typeof kinds)[number]>("rss");
  const [key, setKey] = useState(0);
  return (
    <Card title={t("sources.add")}>
      <div className={classes["stack"]}>
        <NativeSelect
          label={t("sources.kind")}
          value={kind}
          onChange={(event) => setKind(event.currentTarget.value as typeof kind)}
          data={kinds.map((value) => ({ value, label: t(`sourceKind.${value}`) }))}
        />
        <Form
          key={key}
          initial={{ name: "", url: "" }}
          schema={{
            required: ["name", "url"],
            properties: { name: { type: "string", maxLength: 120 }, url: { type: "string", maxLength: 2048 } },
          }}
          fields={[
            { name: "name", label: t("brand.name") },
            { name: "url", label: t("connect.url"), hint: t(`sources.${kind}Hint`) },
          ]}
          act={t("sources.add")}
          submit={async ({ name, url }, idempotencyKey) => {
            await api.post("/api/trend-sources", { query: { brandId: brand.brandId }, body: { kind, name, url } as never, idempotencyKey });
            await reload();
            setKey(key + 1);
          }}
        />
      </div>
    </Card>
  );
}

function SourceCard({ source, brand, mayWrite }: { source: Source; brand: Brand; mayWrite: boolean }) {
  const { t } = useTexts();
  const api = useSocial();
  const reload = useReload();
  const time = useBrandTime(brand);
  const { busy, run } = useDeed();
  const [deleting, setDeleting] = useState(false);
  const path = { trendSourceId: source.trendSourceId };
  const query = { brandId: brand.brandId };
  return (
    <Card
      title={source.name}
      tools={
        <Chip kind={source.lastError ? "bad" : source.enabled ? "good" : "plain"}>
          {t(source.lastError ? "sources.failing" : source.enabled ? "sources.enabled" : "sources.disabled")}
        </Chip>
      }
    >
      <div className={classes["stack"]}>
        <span className={page["more"]}>
          {t(`sourceKind.${source.kind}`)} · <bdi>{source.url}</bdi>
        </span>
        {source.lastError && <span className={page["more"]}>{source.lastError}</span>}
        <span className={page["more"]}>
          {source.lastFetchedAt ? t("sources.fetched", { time: time(source.lastFetchedAt), count: source.itemCount }) : t("sources.notYet")}
        </span>
        {mayWrite && (
          <span className={classes["actions"]}>
            <Button
              disabled={busy}
              onClick={() =>
                void run(async () => {
                  await api.post("/api/trend-sources/{trendSourceId}/refresh", { path, query, body: {} as never });
                  await reload();
                }, t("sources.refreshing"))
              }
            >
              {t("sources.refresh")}
            </Button>
            <Button
              disabled={busy}
              onClick={() =>
                void run(async () => {
                  await api.patch("/api/trend-sources/{trendSourceId}", {
                    path,
                    query,
                    body: { enabled: !source.enabled } as never,
                    version: source.version,
                  });
                  await reload();
                })
              }
            >
              {t(source.enabled ? "sources.disable" : "sources.enable")}
            </Button>
            <Button color="red" disabled={busy} onClick={() => setDeleting(true)}>
              {t("act.delete")}
            </Button>
          </span>
        )}
      </div>
      <Confirm
        open={deleting}
        title={t("library.deleteWhat", { name: source.name })}
        text={t("sources.deleteText")}
        act={t("act.delete")}
        onClose={() => setDeleting(false)}
        onConfirm={() => (
          setDeleting(false),
          void run(async () => {
            await api.delete("/api/trend-sources/{trendSourceId}", { path, query });
            await reload();
          })
        )}
      />
    </Card>
  );
}
