import { Link, navigate, useCan, useCommands, useTexts } from "@portico/app-shell";
import { Button } from "@mantine/core";
import { Empty, ListView, useList, type Filter, type ListOptions } from "@portico/ui";
import { Newspaper, PenLine } from "lucide-react";
import { useMemo } from "react";
import { BrandPage, excerpt, ListedStatus, useBrandTime } from "../parts.tsx";
import type { Brand, Post } from "../service.ts";

export const statuses: readonly Post["status"][] = [
  "draft",
  "pending_approval",
  "scheduled",
  "publishing",
  "published",
  "partially_published",
  "failed",
  "cancelled",
];
export const platforms = ["bluesky", "mastodon", "webhook", "linkedin", "facebook_page", "instagram", "threads", "x"] as const;

/** All posts of a brand. */
export default function PostsPage() {
  const { t } = useTexts();
  const mayWrite = useCan("posts:write");
  useCommands(
    useMemo(
      () => (mayWrite ? [{ id: "post.new", label: t("posts.new"), key: "c", icon: PenLine, run: () => navigate("/posts/new") }] : []),
      [mayWrite, t],
    ),
  );
  const create = mayWrite && (
    <Button component={Link} to="/posts/new" variant="filled" leftSection={<PenLine size={16} aria-hidden />}>
      {t("posts.new")}
    </Button>
  );
  return (
    <BrandPage full title={t("posts.title")} tools={() => create}>
      {(brand) => <Posts key={brand.brandId} brand={brand} create={create} />}
    </BrandPage>
  );
}

function Posts({ brand, create }: { brand: Brand; create: React.ReactNode }) {
  const texts = useTexts();
  const { t } = texts;
  const time = useBrandTime(brand);
  const filters = useMemo<readonly Filter[]>(
    () => [
      {
        key: "status",
        label: t("post.status"),
        kind: "choice",
        options: statuses.map((value) => ({ value, label: t(`postStatus.${value}`) })),
      },
      {
        key: "platform",
        label: t("post.network"),
        kind: "choice",
        options: platforms.map((value) => ({ value, label: t(`platform.${value}`) })),
      },
      { key: "label", label: t("post.label"), kind: "text" },
      { key: "scheduledFrom", label: t("filter.scheduledFrom"), kind: "date" },
      { key: "scheduledTo", label: t("filter.scheduledTo"), kind: "date" },
    ],
    [t],
  );
  const options = useMemo<ListOptions<Post>>(
    () => ({
      label: t("posts.title"),
      path: "/api/posts",
      fixed: { brandId: brand.brandId },
      id: ({ postId }) => postId,
      name: ({ title, text }) => title || excerpt(text) || t("post.untitled"),
      href: ({ postId }) => `/posts/${postId}`,
      filters,
      zone: brand.timeZone,
      columns: [
        {
          key: "text",
          label: t("post.one"),
          width: 280,
          cell: ({ title, text }) => <bdi>{title || excerpt(text) || t("post.untitled")}</bdi>,
        },
        { key: "status", label: t("post.status"), width: 170, cell: (post) => <ListedStatus post={post} brand={brand} /> },
        {
          key: "networks",
          label: t("post.networks"),
          width: 140,
          cell: ({ targets }) => texts.list([...new Set(targets.map(({ platform }) => t(`platform.${platform}`)))]),
        },
        {
          key: "scheduledFor",
          label: t("post.when"),
          sort: "scheduledFor",
          width: 200,
          cell: ({ scheduledFor, publishedAt }) => time(publishedAt ?? scheduledFor),
        },
        {
          key: "updatedAt",
          label: t("post.updated"),
          sort: "updatedAt",
          width: 160,
          cell: ({ updatedAt }) => <time dateTime={updatedAt}>{texts.relative(updatedAt)}</time>,
        },
        { key: "labels", label: t("post.labels"), width: 150, optional: true, cell: ({ labels }) => labels.join(", ") },
      ],
    }),
    [t, texts, filters, brand, time],
  );
  const list = useList(options);
  return <ListView list={list} empty={<Empty icon={Newspaper} title={t("posts.none")} text={t("posts.noneText")} action={create} />} />;
}
