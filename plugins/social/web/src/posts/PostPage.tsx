import { Link, useCan, useTexts, type PageProps } from "@portico/app-shell";
import { Button } from "@mantine/core";
import { Card, Facts, Loaded, Note } from "@portico/ui";
import { useQuery } from "@tanstack/react-query";
import { PenLine } from "lucide-react";
import { ItemActions } from "../actions.tsx";
import { Blocked, BrandPage, excerpt, ItemStatus, PostStatusOf, useBrandTime } from "../parts.tsx";
import { useSocial, whole, type Brand, type Item, type Post } from "../service.ts";
import { Pictures } from "../library/Pictures.tsx";
import { DeletePost } from "./DeletePost.tsx";
import { Numbers } from "./Numbers.tsx";
import { chosenTime, nextTry } from "./times.ts";
import page from "@portico/ui/page.module.css";
import classes from "../page.module.css";

const editable: readonly Post["status"][] = ["draft", "pending_approval", "scheduled", "failed", "partially_published"];

type Attempt = NonNullable<Post["attempts"]>[number];

/** Whether something of the post is published and nothing is under way: it can be deleted. */
const isPublished = (post: Post): boolean => post.status === "published" || post.status === "partially_published";

/** A post with the state of each of its targets, and the numbers of those that are published. */
export default function PostPage({ params }: PageProps) {
  const { t } = useTexts();
  const api = useSocial();
  const id = params["id"] ?? "";
  const mayWrite = useCan("posts:write");
  const post = useQuery({
    queryKey: ["/api/posts", id],
    queryFn: ({ signal }) =>
      whole(api.get("/api/posts/{postId}", { path: { postId: id }, query: { include: "items,attempts" as never }, signal })),
  });
  const data = post.data as unknown as Post | undefined;
  return (
    <BrandPage
      record={{ brandId: data?.brandId ?? "", list: "/posts" }}
      title={data ? data.title || excerpt(data.text, 60) || t("post.untitled") : t("posts.one")}
      tools={() =>
        data &&
        mayWrite && (
          <>
            {isPublished(data) && <DeletePost post={data} />}
            {editable.includes(data.status) && (
              <Button component={Link} to={`/posts/${id}/edit`} leftSection={<PenLine size={16} aria-hidden />}>
                {t("act.edit")}
              </Button>
            )}
          </>
        )
      }
    >
      {(brand) => (
        <Loaded query={{ ...post, data }} lines={10}>
          {(found) => <Shown post={found} brand={brand} />}
        </Loaded>
      )}
    </BrandPage>
  );
}

function Shown({ post, brand }: { post: Post; brand: Brand }) {
  const { t } = useTexts();
  const time = useBrandTime(brand);
  const items = (post.items ?? []) as unknown as Item[];
  return (
    <>
      <Card title={t("post.content")} tools={<PostStatusOf status={post.status} items={items} />}>
        <div className={classes["stack"]}>
          <p className={classes["text"]} dir="auto">
            {post.text}
          </p>
          {post.thread.map((part, at) => (
            <p key={at} className={classes["text"]} dir="auto">
              {part.text}
            </p>
          ))}
          <Pictures brand={brand} ids={post.mediaIds} />
          <Facts
            list={[
              [t("post.link"), post.linkUrl],
              [t("post.time"), time(items.map(chosenTime).find(Boolean))],
              [t("post.published"), time(post.publishedAt)],
              [t("post.labels"), post.labels.join(", ")],
            ]}
          />
        </div>
      </Card>
      {items.some(({ publishStatus }) => publishStatus === "published") && <Numbers post={post} brand={brand} />}
      {items.map((each) => (
        <TargetCard
          key={each.contentId}
          item={each}
          attempts={(post.attempts ?? []).filter(({ contentId }) => contentId === each.contentId)}
          own={each.text !== post.text ? each.text : ""}
          name={post.targets.find(({ targetId }) => targetId === each.targetId)?.displayName ?? ""}
          brand={brand}
        />
      ))}
    </>
  );
}

function TargetCard({
  item,
  attempts,
  own,
  name,
  brand,
}: {
  item: Item;
  attempts: readonly Attempt[];
  /** The text of this target; "" is that of the post. */
  own: string;
  name: string;
  brand: Brand;
}) {
  const { t } = useTexts();
  const time = useBrandTime(brand);
  return (
    <Card title={`${t(`platform.${item.platform}`)}${name && ` · ${name}`}`} tools={<ItemStatus item={item} />}>
      <div className={classes["stack"]}>
        {own && (
          <p className={classes["text"]} dir="auto">
            {own}
          </p>
        )}
        {item.blockedReason && (
          <Note kind="warn">
            <Blocked reason={item.blockedReason} />
          </Note>
        )}
        {item.failure && (
          <Note kind="bad">
            <p>{t(`failure.${item.failure.code}`)}</p>
            {item.failure.message && <p className={page["more"]}>{item.failure.message}</p>}
          </Note>
        )}
        <Facts
          list={[
            [t("post.time"), time(chosenTime(item))],
            [t("item.next"), time(nextTry(item))],
            [t("item.published"), time(item.timestamps.publishedAt)],
            [
              t("item.link"),
              item.result?.platformUrl ? (
                <a key="at" href={item.result.platformUrl} target="_blank" rel="noreferrer noopener">
                  {item.result.platformUrl}
                </a>
              ) : null,
            ],
            [
              t("item.approvals"),
              item.approvalSteps > 0
                ? t("item.approvalsOf", {
                    count: item.approvals.filter(({ decision }) => decision === "approved").length,
                    steps: item.approvalSteps,
                  })
                : null,
            ],
          ]}
        />
        <Attempts attempts={attempts} brand={brand} />
        <ItemActions item={item} brand={brand} />
      </div>
    </Card>
  );
}

/** Attempts to publish, newest last. */
function Attempts({ attempts, brand }: { attempts: readonly Attempt[]; brand: Brand }) {
  const { t } = useTexts();
  const time = useBrandTime(brand);
  if (attempts.length === 0) return null;
  return (
    <details>
      <summary>{t("item.attempts", { count: attempts.length })}</summary>
      <ol className={page["plain"]}>
        {attempts.map((each) => (
          <li key={each.attemptId}>
            <span className={page["grow"]}>
              <span>{t(`outcome.${each.outcome ?? "running"}`)}</span>
              <span className={page["more"]}>{[t(`trigger.${each.trigger}`), each.message].filter(Boolean).join(" · ")}</span>
            </span>
            <span className={page["more"]}>{time(each.startedAt)}</span>
          </li>
        ))}
      </ol>
    </details>
  );
}
