import { Link, navigate, useCan, useCommands, useTexts } from "@portico/app-shell";
import { Button } from "@mantine/core";
import { Card, Empty, Loaded, Note } from "@portico/ui";
import { useQuery } from "@tanstack/react-query";
import { CalendarCheck, PenLine } from "lucide-react";
import { useMemo } from "react";
import { Blocked, BrandPage, excerpt, ItemStatus, PlatformName, useBrandTime } from "../parts.tsx";
import { useAccounts, useSocial, whole, type Brand, type Item } from "../service.ts";
import page from "@portico/ui/page.module.css";
import classes from "../page.module.css";

const day = 86_400_000;
const shown = 50;

/** Home: items that need a hand, and what is due next. */
export default function OverviewPage() {
  const { t } = useTexts();
  const mayWrite = useCan("posts:write");
  useCommands(
    useMemo(
      () => (mayWrite ? [{ id: "post.new", label: t("posts.new"), key: "c", icon: PenLine, run: () => navigate("/posts/new") }] : []),
      [mayWrite, t],
    ),
  );
  return (
    <BrandPage
      several
      title={t("overview.title")}
      tools={() =>
        mayWrite && (
          <Button component={Link} to="/posts/new" variant="filled" leftSection={<PenLine size={16} aria-hidden />}>
            {t("posts.new")}
          </Button>
        )
      }
    >
      {(_, brands) => <Overview brands={brands} />}
    </BrandPage>
  );
}

function Overview({ brands }: { brands: readonly Brand[] }) {
  const { t } = useTexts();
  const api = useSocial();
  const queue = useQuery({
    queryKey: ["/api/content-ops/queue", ...brands.map(({ brandId }) => brandId)],
    queryFn: async ({ signal }) => {
      const queues = await Promise.all(
        brands.map(({ brandId }) => whole(api.get("/api/content-ops/queue", { query: { brandId, limit: shown }, signal }))),
      );
      return queues.flatMap(({ items }) => items as unknown as Item[]);
    },
  });
  return (
    <>
      {brands.map((brand) => (
        <AccountNotes key={brand.brandId} brand={brand} named={brands.length > 1} />
      ))}
      <Loaded query={queue} lines={10}>
        {(all) => {
          const waiting = all.filter(
            ({ publishStatus, approvalState, blockedReason }) =>
              publishStatus === "failed" ||
              publishStatus === "verifying" ||
              approvalState === "pending" ||
              (blockedReason !== null && blockedReason !== undefined),
          );
          const due = all.filter((each) => !waiting.includes(each) && each.scheduledFor);
          if (all.length === 0) return <Empty icon={CalendarCheck} title={t("overview.none")} text={t("overview.noneText")} />;
          return (
            <>
              <Part title={t("overview.attention")} none={t("overview.attentionNone")} items={waiting} brands={brands} />
              <Part
                title={t("overview.due")}
                none={t("overview.dueNone")}
                items={due.filter(({ scheduledFor }) => Date.parse(scheduledFor ?? "") < Date.now() + 7 * day)}
                brands={brands}
              />
            </>
          );
        }}
      </Loaded>
    </>
  );
}

/** What the accounts of a brand need. */
function AccountNotes({ brand: { brandId, name }, named }: { brand: Brand; named: boolean }) {
  const { t } = useTexts();
  const accounts = useAccounts(brandId);
  const broken = accounts.data?.items.filter(({ connectionState }) => connectionState === "reconnect_required") ?? [];
  const none = accounts.data?.items.length === 0;
  if (broken.length === 0 && !none) return null;
  return (
    <Note {...(!none && { kind: "bad" as const })}>
      <p>
        {named && <bdi>{name}: </bdi>}
        <Link to={`/accounts?brand=${brandId}`}>
          {none ? t("overview.connectFirst") : t("overview.reconnect", { count: broken.length })}
        </Link>
      </p>
    </Note>
  );
}

function Part({ title, none, items, brands }: { title: string; none: string; items: readonly Item[]; brands: readonly Brand[] }) {
  return (
    <Card title={title}>
      {items.length === 0 ? (
        <p className={page["muted"]}>{none}</p>
      ) : (
        <ul className={page["plain"]}>
          {items.map((each) => {
            const brand = brands.find(({ brandId }) => brandId === each.brandId);
            return brand && <Row key={each.contentId} item={each} brand={brand} named={brands.length > 1} />;
          })}
        </ul>
      )}
    </Card>
  );
}

function Row({ item, brand, named }: { item: Item; brand: Brand; named: boolean }) {
  const { t } = useTexts();
  const time = useBrandTime(brand);
  return (
    <li>
      <span className={page["grow"]}>
        <Link to={item.postId ? `/posts/${item.postId}` : `/approvals?brand=${brand.brandId}`} className={classes["strong"]}>
          <bdi>{excerpt(item.text) || t("post.untitled")}</bdi>
        </Link>
        <span className={page["more"]}>
          {named && <bdi>{brand.name} · </bdi>}
          <PlatformName platform={item.platform} />
          {item.scheduledFor && <> · {time(item.scheduledFor)}</>}
          {item.blockedReason && (
            <>
              {" · "}
              <Blocked reason={item.blockedReason} />
            </>
          )}
          {item.failure && <> · {t(`failure.${item.failure.code}`)}</>}
        </span>
      </span>
      <ItemStatus item={item} />
    </li>
  );
}
