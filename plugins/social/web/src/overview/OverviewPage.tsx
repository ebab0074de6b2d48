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
      title={t("overview.title")}
      tools={() =>
        mayWrite && (
          <Button component={Link} to="/posts/new" variant="filled" leftSection={<PenLine size={16} aria-hidden />}>
            {t("posts.new")}
          </Button>
        )
      }
    >
      {(brand) => <Overview brand={brand} />}
    </BrandPage>
  );
}

function Overview({ brand }: { brand: Brand }) {
  const { t } = useTexts();
  const api = useSocial();
  const { brandId } = brand;
  const queue = useQuery({
    queryKey: ["/api/content-ops/queue", brandId],
    queryFn: ({ signal }) => whole(api.get("/api/content-ops/queue", { query: { brandId, limit: shown }, signal })),
  });
  const accounts = useAccounts(brandId);
  const broken = accounts.data?.items.filter(({ connectionState }) => connectionState === "reconnect_required") ?? [];
  return (
    <>
      {broken.length > 0 && (
        <Note kind="bad">
          <Link to="/accounts">{t("overview.reconnect", { count: broken.length })}</Link>
        </Note>
      )}
      {accounts.data?.items.length === 0 && (
        <Note>
          <Link to="/accounts">{t("overview.connectFirst")}</Link>
        </Note>
      )}
      <Loaded query={queue} lines={10}>
        {({ items }) => {
          const all = items as unknown as Item[];
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
              <Part title={t("overview.attention")} none={t("overview.attentionNone")} items={waiting} brand={brand} />
              <Part
                title={t("overview.due")}
                none={t("overview.dueNone")}
                items={due.filter(({ scheduledFor }) => Date.parse(scheduledFor ?? "") < Date.now() + 7 * day)}
                brand={brand}
              />
            </>
          );
        }}
      </Loaded>
    </>
  );
}

function Part({ title, none, items, brand }: { title: string; none: string; items: readonly Item[]; brand: Brand }) {
  const { t } = useTexts();
  const time = useBrandTime(brand);
  return (
    <Card title={title}>
      {items.length === 0 ? (
        <p className={page["muted"]}>{none}</p>
      ) : (
        <ul className={page["plain"]}>
          {items.map((each) => (
            <li key={each.contentId}>
              <span className={page["grow"]}>
                <Link to={each.postId ? `/posts/${each.postId}` : "/approvals"} className={classes["strong"]}>
                  <bdi>{excerpt(each.text) || t("post.untitled")}</bdi>
                </Link>
                <span className={page["more"]}>
                  <PlatformName platform={each.platform} />
                  {each.scheduledFor && <> · {time(each.scheduledFor)}</>}
                  {each.blockedReason && (
                    <>
                      {" · "}
                      <Blocked reason={each.blockedReason} />
                    </>
                  )}
                  {each.failure && <> · {t(`failure.${each.failure.code}`)}</>}
                </span>
              </span>
              <ItemStatus item={each} />
            </li>
          ))}
        </ul>
      )}
    </Card>
  );
}
