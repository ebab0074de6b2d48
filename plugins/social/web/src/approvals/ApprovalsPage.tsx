import { Link, useCan, useTexts } from "@portico/app-shell";
import { Button } from "@mantine/core";
import { Card, Chip, Empty, Facts, Loaded, useDeed, useKeys } from "@portico/ui";
import { useQuery } from "@tanstack/react-query";
import { ThumbsUp } from "lucide-react";
import { useLayoutEffect, useRef, useState } from "react";
import { ItemActions } from "../actions.tsx";
import { Pictures } from "../library/Pictures.tsx";
import { BrandPage, ItemStatus, useBrandTime } from "../parts.tsx";
import { useAccountNames, useAuthors, useReload, useSocial, whole, type Brand, type Item } from "../service.ts";
import { Changes } from "./Changes.tsx";
import page from "@portico/ui/page.module.css";
import classes from "../page.module.css";

const max = 50;

/** Items of a brand or of all brands that wait for approval, by rank. J and K walk, A approves, R rejects. */
export default function ApprovalsPage() {
  const { t } = useTexts();
  return (
    <BrandPage title={t("approvals.title")} text={t("approvals.text")} several>
      {(_, brands) => <Deck key={brands.map(({ brandId }) => brandId).join()} brands={brands} />}
    </BrandPage>
  );
}

function Deck({ brands }: { brands: readonly Brand[] }) {
  const { t } = useTexts();
  const api = useSocial();
  const reload = useReload();
  const may = useCan("content:approve");
  const { busy, run } = useDeed();
  const [selected, setSelected] = useState<ReadonlySet<string>>(new Set());
  const deck = useQuery({
    queryKey: ["/api/content-ops/deck", ...brands.map(({ brandId }) => brandId)],
    queryFn: async ({ signal }) => {
      const decks = await Promise.all(
        brands.map(async (brand) => {
          const { items } = await whole(api.get("/api/content-ops/deck", { query: { brandId: brand.brandId, limit: max }, signal }));
          return (items as unknown as { rank: number; item: Item }[]).map((each) => ({ ...each, brand }));
        }),
      );
      return decks.flat().sort((a, b) => b.rank - a.rank);
    },
  });
  const list = useRef<HTMLUListElement>(null);
  const rows = () => [...(list.current?.children ?? [])] as HTMLElement[];
  const here = () => rows().findIndex((each) => each.contains(document.activeElement));
  // The row that the user has decided by a key, and the row that got the focus when another user decided the one before.
  const decided = useRef<Element>(null);
  const unchosen = useRef<Element>(null);
  const walk = (by: number) => {
    unchosen.current = null;
    rows()[Math.min(rows().length - 1, Math.max(0, here() + by))]?.focus();
  };
  // A held key decides only one item. Without a focused row that the user has chosen, keys decide nothing.
  const press = (name: string) => (event: KeyboardEvent) => {
    const row = rows()[here()];
    if (event.repeat || !row || row === unchosen.current) return;
    decided.current = row;
    [...row.querySelectorAll("button")].find((each) => each.textContent === name)?.click();
  };
  useKeys(
    {
      ArrowDown: () => walk(1),
      j: () => walk(1),
      ArrowUp: () => walk(-1),
      k: () => walk(-1),
      a: press(t("act.approve")),
      r: press(t("act.reject")),
    },
    true,
    { a: t("act.approve"), r: t("act.reject") },
  );
  // When the focused row leaves the list, the next row is focused.
  const focused = rows()[here()];
  const place = here();
  useLayoutEffect(() => {
    if (!focused || document.activeElement !== document.body) return;
    const next = focused.isConnected ? focused : rows()[Math.min(place, rows().length - 1)];
    if (next !== focused && decided.current !== focused) unchosen.current = next ?? null;
    next?.focus();
  });
  const hasMoved = ({ target }: { target: Element }) => {
    // A dialog of the row, and the focus that it returns, belong to the row.
    if (!decided.current?.contains(target)) decided.current = null;
    if (target !== unchosen.current) unchosen.current = null;
  };
  return (
    <Loaded query={deck} lines={10}>
      {(all) => {
        const cards = all.filter(({ item }) => item.approvalState === "pending");
        if (cards.length === 0) return <Empty icon={ThumbsUp} title={t("approvals.none")} text={t("approvals.noneText")} />;
        const chosen = cards.filter(({ item }) => selected.has(item.contentId));
        const approveAll = () =>
          void run(
            async () => {
              try {
                for (const { item } of chosen)
                  await api.post("/api/content-ops/items/{contentId}/approve", {
                    path: { contentId: item.contentId },
                    body: { revision: item.revision },
                  });
              } finally {
                setSelected(new Set());
                await reload();
              }
            },
            t("approvals.approved", { count: chosen.length }),
          );
        const select = (id: string, on: boolean) => {
          const next = new Set(selected);
          if (on) next.add(id);
          else next.delete(id);
          setSelected(next);
        };
        return (
          <>
            {may && (
              <div className={classes["bar"]}>
                <label className={page["check"]}>
                  <input
                    type="checkbox"
                    checked={chosen.length === cards.length}
                    onChange={(event) => setSelected(new Set(event.currentTarget.checked ? cards.map(({ item }) => item.contentId) : []))}
                  />
                  <span>{t("approvals.all")}</span>
                </label>
                <Button variant="filled" disabled={busy || chosen.length === 0} onClick={approveAll}>
                  {t("approvals.approveSelected", { count: chosen.length })}
                </Button>
              </div>
            )}
            <ul ref={list} className={classes["cards"]} onFocus={hasMoved} onClick={() => (unchosen.current = null)}>
              {cards.map(({ item, brand }) => (
                <li key={item.contentId} tabIndex={-1}>
                  <Waiting
                    item={item}
                    brand={brand}
                    named={brands.length > 1}
                    selected={selected.has(item.contentId)}
                    {...(may && { onSelect: (on: boolean) => select(item.contentId, on) })}
                  />
                </li>
              ))}
            </ul>
          </>
        );
      }}
    </Loaded>
  );
}

/** An item with all that its approver decides on. */
function Waiting({
  item,
  brand,
  named,
  selected,
  onSelect,
}: {
  item: Item;
  brand: Brand;
  /** Names the brand. */
  named: boolean;
  selected: boolean;
  onSelect?: (on: boolean) => void;
}) {
  const { t } = useTexts();
  const time = useBrandTime(brand);
  const accounts = useAccountNames(brand.brandId);
  const authors = useAuthors(brand.brandId);
  const pictures = (ids: readonly string[]) => <Pictures described brand={brand} ids={ids} altTexts={item.altTexts} />;
  return (
    <Card title={`${t(`platform.${item.platform}`)} · ${t(`kind.${item.kind}`)}`} tools={<ItemStatus item={item} />}>
      <div className={classes["stack"]}>
        <Facts
          list={[
            [t("brand.choose"), named ? brand.name : null],
            [t("approvals.account"), (item.integrationId && accounts.get(item.integrationId)) ?? null],
            [t("approvals.author"), authors.get(item.contentId) ?? null],
            [t("post.link"), item.linkUrl],
            [t("post.time"), time(item.scheduledFor)],
          ]}
        />
        <p className={classes["text"]} dir="auto">
          {item.text}
        </p>
        {pictures(item.mediaIds)}
        {item.thread.map((part, at) => (
          <div key={at} className={classes["stack"]}>
            <p className={classes["text"]} dir="auto">
              {part.text}
            </p>
            {pictures(part.mediaIds)}
          </div>
        ))}
        <Changes item={item} brand={brand} />
        <span className={page["row"]}>
          {item.approvals.length > 0 && (
            <Chip>
              {t("item.approvalsOf", {
                count: item.approvals.filter(({ decision }) => decision === "approved").length,
                steps: item.approvalSteps,
              })}
            </Chip>
          )}
          {item.postId && <Link to={`/posts/${item.postId}`}>{t("approvals.open")}</Link>}
        </span>
        <span className={page["row"]}>
          {onSelect && (
            <label className={page["check"]}>
              <input type="checkbox" checked={selected} onChange={(event) => onSelect(event.currentTarget.checked)} />
              <span>{t("approvals.select")}</span>
            </label>
          )}
          <ItemActions item={item} brand={brand} />
        </span>
      </div>
    </Card>
  );
}
