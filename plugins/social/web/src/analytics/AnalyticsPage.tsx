import { Link, useTexts } from "@portico/app-shell";
import { NativeSelect } from "@mantine/core";
import { Card, Empty, Loaded } from "@portico/ui";
import { useQuery } from "@tanstack/react-query";
import { ChartColumn } from "lucide-react";
import { useState, type ReactNode } from "react";
import { BrandPage, useBrandTime } from "../parts.tsx";
import { useSocial, whole, type Brand, type Platform } from "../service.ts";
import page from "@portico/ui/page.module.css";
import classes from "../page.module.css";

interface Sum {
  readonly key: string;
  readonly posts: number;
  readonly likes: number;
  readonly reposts: number;
  readonly replies: number;
}
interface Row {
  readonly postId: string;
  readonly contentId: string;
  readonly platform: Platform;
  readonly publishedAt: string;
  readonly likes: number | null;
  readonly reposts: number | null;
  readonly replies: number | null;
}

const groups = ["day", "platform", "label", "weekday_hour"] as const;
const counted = ["likes", "reposts", "replies"] as const;
const days = [7, 30, 90] as const;
const dayMs = 86_400_000;

/** How published posts did: sums by day, network, label or time of the week, and the posts themselves. */
export default function AnalyticsPage() {
  const { t } = useTexts();
  return (
    <BrandPage wide title={t("analytics.title")} text={t("analytics.text")}>
      {(brand) => <Numbers key={brand.brandId} brand={brand} />}
    </BrandPage>
  );
}

function Numbers({ brand }: { brand: Brand }) {
  const { t, locale } = useTexts();
  const api = useSocial();
  const time = useBrandTime(brand);
  const [range, setRange] = useState<number>(30);
  const [groupBy, setGroupBy] = useState<(typeof groups)[number]>("day");
  const [sort, setSort] = useState("-publishedAt");
  const day = (at: number) => new Intl.DateTimeFormat("en-CA", { timeZone: brand.timeZone, dateStyle: "short" }).format(new Date(at));
  const to = day(Date.now());
  const from = day(Date.now() - (range - 1) * dayMs);
  const summary = useQuery({
    queryKey: ["/api/analytics/summary", brand.brandId, from, to, groupBy],
    queryFn: ({ signal }) =>
      whole(api.get("/api/analytics/summary", { query: { brandId: brand.brandId, from, to, groupBy } as never, signal })),
  });
  const posts = useQuery({
    queryKey: ["/api/analytics/posts", brand.brandId, from, to, sort],
    queryFn: async ({ signal }) =>
      (await whole(api.get("/api/analytics/posts", { query: { brandId: brand.brandId, from, to, sort, limit: 50 } as never, signal })))
        .items as unknown as readonly Row[],
  });
  const number = (value: number | null) => (value === null ? "–" : new Intl.NumberFormat(locale).format(value));
  const names: Record<string, string> = Object.fromEntries(
    Array.from({ length: 7 }, (_, at) => [
      String(at + 1),
      new Intl.DateTimeFormat(locale, { weekday: "short", timeZone: "UTC" }).format(new Date(Date.UTC(2026, 0, 5 + at))),
    ]),
  );
  const keyOf = (key: string) =>
    groupBy === "platform"
      ? t(`platform.${key}`)
      : groupBy === "weekday_hour"
        ? `${names[key[0] ?? ""] ?? ""} ${key.slice(2)}:00`
        : groupBy === "day"
          ? new Intl.DateTimeFormat(locale, { dateStyle: "medium", timeZone: "UTC" }).format(new Date(key))
          : key;
  return (
    <>
      <div className={classes["fields"]}>
        <NativeSelect
          label={t("analytics.range")}
          value={String(range)}
          onChange={(event) => setRange(Number(event.currentTarget.value))}
          data={days.map((value) => ({ value: String(value), label: t("analytics.days", { count: value }) }))}
        />
        <NativeSelect
          label={t("analytics.groupBy")}
          value={groupBy}
          onChange={(event) => setGroupBy(event.currentTarget.value as typeof groupBy)}
          data={groups.map((value) => ({ value, label: t(`analytics.by.${value}`) }))}
        />
        <NativeSelect
          label={t("analytics.sort")}
          value={sort}
          onChange={(event) => setSort(event.currentTarget.value)}
          data={[
            { value: "-publishedAt", label: t("post.published") },
            ...counted.map((value) => ({ value: `-${value}`, label: t(`analytics.${value}`) })),
          ]}
        />
      </div>
      <Loaded query={summary} lines={8}>
        {(found) => {
          const list = found.groups as unknown as readonly Sum[];
          if (list.length === 0) return <Empty icon={ChartColumn} title={t("analytics.none")} text={t("analytics.noneText")} />;
          return (
            <Card title={t("analytics.sums")}>
              <Table
                head={t(`analytics.by.${groupBy}`)}
                rows={[...list, { ...(found.totals as unknown as Sum), key: "" }].map((each) => ({
                  id: each.key,
                  name: each.key ? keyOf(each.key) : t("analytics.total"),
                  cells: [each.posts, each.likes, each.reposts, each.replies].map(number),
                }))}
                columns={[t("posts.title"), ...counted.map((each) => t(`analytics.${each}`))]}
              />
            </Card>
          );
        }}
      </Loaded>
      <Loaded query={posts} lines={8}>
        {(list) =>
          list.length === 0 ? null : (
            <Card title={t("posts.title")}>
              <Table
                head={t("post.published")}
                columns={[t("post.network"), ...counted.map((each) => t(`analytics.${each}`))]}
                rows={list.map((each) => ({
                  id: each.contentId,
                  name: <Link to={`/posts/${each.postId}`}>{time(each.publishedAt)}</Link>,
                  cells: [t(`platform.${each.platform}`), ...counted.map((name) => number(each[name]))],
                }))}
              />
            </Card>
          )
        }
      </Loaded>
      <p className={page["muted"]}>{t("analytics.note")}</p>
    </>
  );
}

function Table({
  head,
  columns,
  rows,
}: {
  head: string;
  columns: readonly string[];
  rows: readonly { readonly id: string; readonly name: ReactNode; readonly cells: readonly string[] }[];
}) {
  return (
    <div className={classes["scroll"]} tabIndex={0} role="region" aria-label={head}>
      <table className={classes["table"]}>
        <thead>
          <tr>
            <th scope="col">{head}</th>
            {columns.map((each) => (
              <th key={each} scope="col">
                {each}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map(({ id, name, cells }) => (
            <tr key={id}>
              <th scope="row">{name}</th>
              {cells.map((cell, at) => (
                <td key={at}>{cell}</td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
