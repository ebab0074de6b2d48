import { Link, setQuery, useCan, useQuery as useAddressQuery, useTexts } from "@portico/app-shell";
import { Button, NativeSelect } from "@mantine/core";
import { Card, Chip, Empty, Loaded, useDeed } from "@portico/ui";
import { Flame, Rss, Sprout } from "lucide-react";
import { useState, type ReactNode } from "react";
import { BrandPage, useBrandTime } from "../parts.tsx";
import { useReload, useSocial, type Brand } from "../service.ts";
import { Suggest } from "./Suggest.tsx";
import { Sources } from "./Sources.tsx";
import { useSeeds, useTrends, type Entry, type Seed } from "./trends.ts";
import page from "@portico/ui/page.module.css";
import classes from "../page.module.css";

const views = ["trends", "seeds", "sources"] as const;
const kinds = ["rss", "mastodon_trends", "bluesky_feed"] as const;

/** What the sources show, what the team saved of it, and the sources. */
export default function TrendsPage() {
  const { t } = useTexts();
  const [asked] = useAddressQuery("view");
  const view = views.find((each) => each === asked) ?? "trends";
  return (
    <BrandPage title={t("trends.title")} text={t("trends.text")}>
      {(brand) => (
        <>
          <div className={classes["bar"]} role="group" aria-label={t("calendar.view")}>
            {views.map((each) => (
              <Button
                key={each}
                variant={each === view ? "filled" : "default"}
                aria-pressed={each === view}
                onClick={() => setQuery({ view: each === "trends" ? null : each })}
              >
                {t(`trends.${each}`)}
              </Button>
            ))}
          </div>
          {view === "sources" ? (
            <Sources key={brand.brandId} brand={brand} />
          ) : view === "seeds" ? (
            <Seeds key={brand.brandId} brand={brand} />
          ) : (
            <Trends key={brand.brandId} brand={brand} />
          )}
        </>
      )}
    </BrandPage>
  );
}

function Trends({ brand }: { brand: Brand }) {
  const { t } = useTexts();
  const api = useSocial();
  const reload = useReload();
  const { run } = useDeed();
  const mayWrite = useCan("content:write");
  const [source, setSource] = useState("");
  const trends = useTrends(brand.brandId, source);
  const seeds = useSeeds(brand.brandId);
  const saved = new Set(seeds.data?.map(({ sourceItemId }) => sourceItemId));
  const save = (entry: Entry) =>
    run(async () => {
      await api.post("/api/seeds/share", { query: { brandId: brand.brandId }, body: { sourceItemId: entry.sourceItemId } as never });
      await reload();
    }, t("trends.saved"));
  return (
    <>
      <NativeSelect
        label={t("trends.from")}
        value={source}
        onChange={(event) => setSource(event.currentTarget.value)}
        data={[{ value: "", label: t("trends.all") }, ...kinds.map((value) => ({ value, label: t(`sourceKind.${value}`) }))]}
      />
      <Loaded query={trends} lines={10}>
        {(list) =>
          list.length === 0 ? (
            <Empty icon={Flame} title={t("trends.none")} text={t("trends.noneText")} />
          ) : (
            <ul className={classes["cards"]}>
              {list.map((each) => (
                <li key={each.sourceItemId}>
                  <EntryCard entry={each} brand={brand}>
                    {mayWrite && (
                      <Button disabled={saved.has(each.sourceItemId)} onClick={() => void save(each)}>
                        {t(saved.has(each.sourceItemId) ? "trends.isSaved" : "trends.save")}
                      </Button>
                    )}
                  </EntryCard>
                </li>
              ))}
            </ul>
          )
        }
      </Loaded>
    </>
  );
}

function Seeds({ brand }: { brand: Brand }) {
  const { t } = useTexts();
  const api = useSocial();
  const reload = useReload();
  const { run } = useDeed();
  const mayWrite = useCan("content:write");
  const seeds = useSeeds(brand.brandId);
  const archive = (seed: Seed) =>
    run(async () => {
      await api.patch("/api/seeds/{seedId}", {
        path: { seedId: seed.seedId },
        query: { brandId: brand.brandId },
        body: { archived: true } as never,
        version: seed.version,
      });
      await reload();
    }, t("trends.archived"));
  return (
    <Loaded query={seeds} lines={8}>
      {(list) =>
        list.length === 0 ? (
          <Empty icon={Sprout} title={t("seeds.none")} text={t("seeds.noneText")} />
        ) : (
          <ul className={classes["cards"]}>
            {list.map((each) => (
              <li key={each.seedId}>
                <EntryCard entry={each} brand={brand} note={each.note} used={each.useCount}>
                  {mayWrite && <Button onClick={() => void archive(each)}>{t("seeds.archive")}</Button>}
                </EntryCard>
              </li>
            ))}
          </ul>
        )
      }
    </Loaded>
  );
}

function EntryCard({
  entry,
  brand,
  note = "",
  used = 0,
  children,
}: {
  entry: Entry;
  brand: Brand;
  note?: string;
  used?: number;
  children?: ReactNode;
}) {
  const { t, number } = useTexts();
  const time = useBrandTime(brand);
  const mayWrite = useCan("content:write");
  const mayPost = useCan("posts:write");
  const [open, setOpen] = useState(false);
  const text = entry.url ? `${entry.title}\n\n${entry.url}` : entry.title;
  return (
    <Card title={entry.title} tools={<Chip>{t("trends.score", { score: number(Math.round(entry.score * 100)) })}</Chip>}>
      <div className={classes["stack"]}>
        {entry.summary && entry.summary !== entry.title && (
          <p className={classes["text"]} dir="auto">
            {entry.summary}
          </p>
        )}
        {note && <p className={page["muted"]}>{note}</p>}
        <span className={page["row"]}>
          <Rss size={16} aria-hidden />
          <span className={page["more"]}>
            {entry.source.name} · {time(entry.publishedAt ?? entry.observedAt)}
          </span>
          {used > 0 && <Chip>{t("seeds.used", { count: used })}</Chip>}
          {entry.tags.slice(0, 5).map((tag) => (
            <Chip key={tag}>{tag}</Chip>
          ))}
        </span>
        <span className={classes["actions"]}>
          {mayWrite && (
            <Button variant="filled" onClick={() => setOpen(true)}>
              {t("trends.suggest")}
            </Button>
          )}
          {mayPost && (
            <Button component={Link} to={`/posts/new?text=${encodeURIComponent(text)}`}>
              {t("trends.write")}
            </Button>
          )}
          {children}
          {entry.url && (
            <Button component="a" href={entry.url} target="_blank" rel="noreferrer noopener" variant="subtle">
              {t("trends.open")}
            </Button>
          )}
        </span>
      </div>
      {open && <Suggest entry={entry} brand={brand} onClose={() => setOpen(false)} />}
    </Card>
  );
}
