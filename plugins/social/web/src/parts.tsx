import { navigate, useCan, useTexts } from "@portico/app-shell";
import { Select } from "@mantine/core";
import { Chip, Empty, Form, Loaded, Page } from "@portico/ui";
import { useQuery } from "@tanstack/react-query";
import { Megaphone } from "lucide-react";
import type { ReactNode } from "react";
import { allBrands, useBrand, useReload, useSocial, whole, type Brand, type Item, type Platform, type Post } from "./service.ts";

/** A page of the selected brand, or of the brand of a record. Without a brand it offers to create one. */
export function BrandPage({
  title,
  text,
  tools,
  wide = false,
  full = false,
  record,
  several: mayShowAll = false,
  children,
}: {
  title: string;
  /** The page can show all brands at once. */
  several?: boolean;
  /** The record of the page: its brand, "" until it is read, and the page of all records, which another brand leads to. */
  record?: { readonly brandId: string; readonly list: string };
  text?: ReactNode;
  tools?: (brand: Brand) => ReactNode;
  wide?: boolean;
  full?: boolean;
  /** `shown`: the brand, or all of them. */
  children: (brand: Brand, shown: readonly Brand[]) => ReactNode;
}) {
  const { brand: chosen, brands, all: allAsked, choose } = useBrand();
  const { t } = useTexts();
  const brand = brands.data?.find(({ brandId }) => brandId === record?.brandId) ?? chosen;
  if (!brands.data)
    return (
      <Page title={title} text={text} wide={wide}>
        <Loaded query={brands} lines={6}>
          {() => null}
        </Loaded>
      </Page>
    );
  if (!brand)
    return (
      <Page title={title}>
        <FirstBrand />
      </Page>
    );
  const several = brands.data.length > 1 && record?.brandId !== "";
  const all = mayShowAll && several && allAsked;
  return (
    <Page
      title={title}
      text={text}
      wide={wide}
      full={full}
      tools={
        <>
          {several && (
            <Select
              aria-label={t("brand.choose")}
              data={[
                ...(mayShowAll ? [{ value: allBrands, label: t("brand.all") }] : []),
                ...brands.data.map(({ brandId: value, name: label }) => ({ value, label })),
              ]}
              value={all ? allBrands : brand.brandId}
              allowDeselect={false}
              searchable={brands.data.length > 8}
              onChange={(id) => {
                if (!id) return;
                choose(id);
                if (record && id !== record.brandId) navigate(record.list);
              }}
            />
          )}
          {tools?.(brand)}
        </>
      }
    >
      {children(brand, all ? brands.data : [brand])}
    </Page>
  );
}

function FirstBrand() {
  const { t } = useTexts();
  const api = useSocial();
  const reload = useReload();
  const may = useCan("brands:write");
  if (!may) return <Empty icon={Megaphone} title={t("brand.none")} text={t("brand.noneAsk")} />;
  const zone = Intl.DateTimeFormat().resolvedOptions().timeZone || "UTC";
  return (
    <>
      <Empty icon={Megaphone} title={t("brand.none")} text={t("brand.noneText")} />
      <Form
        initial={{ name: "" }}
        schema={{ required: ["name"], properties: { name: { type: "string", maxLength: 120 } } }}
        fields={[{ name: "name", label: t("brand.name"), hint: t("brand.nameHint") }]}
        act={t("brand.create")}
        submit={async ({ name }, idempotencyKey) => {
          await api.post("/api/brands", { body: { name, timeZone: zone }, idempotencyKey });
          await reload();
          navigate("/accounts");
        }}
      />
    </>
  );
}

const postKinds: Record<Post["status"], "plain" | "good" | "warn" | "bad"> = {
  draft: "plain",
  pending_approval: "warn",
  scheduled: "plain",
  publishing: "plain",
  published: "good",
  partially_published: "warn",
  failed: "bad",
  cancelled: "plain",
};

export function PostStatus({ status }: { status: Post["status"] }) {
  const { t } = useTexts();
  return <Chip kind={postKinds[status] ?? "plain"}>{t(`postStatus.${status}`)}</Chip>;
}

type State = Pick<Item, "approvalState" | "publishStatus">;

/** The status of a post with its items: one without a time is no draft once all of them are approved, or one is rejected. */
export function PostStatusOf({ status, items }: { status: Post["status"]; items: readonly State[] }) {
  const rejected = items.find(({ approvalState }) => approvalState === "rejected");
  const approved = items.length > 0 && items.every(({ approvalState }) => approvalState === "approved");
  const item = rejected ?? (approved ? items[0] : undefined);
  return status === "draft" && item?.publishStatus === "none" ? <ItemStatus item={item} /> : <PostStatus status={status} />;
}

/** The status of a post of a list. The items of a draft are read where drafts can be approved. */
export function ListedStatus({ post, brand }: { post: Post; brand: Brand }) {
  const api = useSocial();
  const { data } = useQuery({
    queryKey: ["/api/posts", post.postId, "states", post.version],
    enabled: post.status === "draft" && brand.approvalPolicy.required,
    staleTime: 60_000,
    queryFn: async ({ signal }) =>
      ((await whole(api.get("/api/posts/{postId}", { path: { postId: post.postId }, query: { include: "items" as never }, signal })))
        .items ?? []) as unknown as readonly State[],
  });
  return <PostStatusOf status={post.status} items={data ?? []} />;
}

/** The state of an item in one word: what is next for it, or its outcome. */
export function ItemStatus({ item }: { item: Pick<Item, "approvalState" | "publishStatus"> }) {
  const { t } = useTexts();
  const { approvalState, publishStatus } = item;
  if (publishStatus === "none") {
    const kind =
      approvalState === "pending"
        ? "warn"
        : approvalState === "rejected" || approvalState === "expired"
          ? "bad"
          : approvalState === "approved"
            ? "good"
            : "plain";
    return <Chip kind={kind}>{t(`approvalState.${approvalState}`)}</Chip>;
  }
  const kind =
    publishStatus === "published"
      ? "good"
      : publishStatus === "failed"
        ? "bad"
        : publishStatus === "retrying" || publishStatus === "verifying"
          ? "warn"
          : "plain";
  return <Chip kind={kind}>{t(`publishStatus.${publishStatus}`)}</Chip>;
}

/** Why an item waits. */
export function Blocked({ reason }: { reason: Item["blockedReason"] }) {
  const { t } = useTexts();
  return reason ? <>{t(`blocked.${reason}`)}</> : null;
}

export function PlatformName({ platform }: { platform: Platform }) {
  const { t } = useTexts();
  return <>{t(`platform.${platform}`)}</>;
}

/** A time in the zone of the brand. */
export function useBrandTime(brand: Brand): (at: string | null | undefined) => string {
  const { locale } = useTexts();
  return (at) =>
    at ? new Intl.DateTimeFormat(locale, { dateStyle: "medium", timeStyle: "short", timeZone: brand.timeZone }).format(new Date(at)) : "";
}

/** The first words of a text, for lists. */
export const excerpt = (text: string, max = 120): string => {
  const line = text.replace(/\s+/g, " ").trim();
  return line.length > max ? `${line.slice(0, max - 1).trimEnd()}…` : line;
};
