import { useTexts } from "@portico/app-shell";
import { Button } from "@mantine/core";
import { Card, Loaded } from "@portico/ui";
import { useQuery } from "@tanstack/react-query";
import { RefreshCw } from "lucide-react";
import { useBrandTime } from "../parts.tsx";
import { useSocial, whole, type Brand, type Platform, type Post } from "../service.ts";
import page from "@portico/ui/page.module.css";
import classes from "../page.module.css";

interface TargetNumbers {
  readonly targetId: string | null;
  readonly platform: Platform;
  readonly likes: number | null;
  readonly reposts: number | null;
  readonly replies: number | null;
  readonly fetchedAt: string | null;
}

const counted = ["likes", "reposts", "replies"] as const;

/** Likes, reposts and replies of a published post, by target. Reading them asks the networks where they are older than 15 minutes. */
export function Numbers({ post, brand }: { post: Post; brand: Brand }) {
  const { t, number } = useTexts();
  const api = useSocial();
  const time = useBrandTime(brand);
  const numbers = useQuery({
    queryKey: ["/api/posts", post.postId, "metrics"],
    queryFn: async ({ signal }) =>
      (await whole(api.get("/api/posts/{postId}/metrics", { path: { postId: post.postId }, signal }))).targets as readonly TargetNumbers[],
  });
  return (
    <Card
      title={t("numbers.title")}
      text={t("numbers.text")}
      tools={
        <Button
          variant="subtle"
          loading={numbers.isFetching}
          leftSection={<RefreshCw size={16} aria-hidden />}
          onClick={() => void numbers.refetch()}
        >
          {t("numbers.refresh")}
        </Button>
      }
    >
      <Loaded query={numbers} lines={3}>
        {(list) => {
          if (list.length === 0) return <p className={page["muted"]}>{t("numbers.none")}</p>;
          return (
            <div className={classes["scroll"]} tabIndex={0} role="region" aria-label={t("numbers.table")}>
              <table className={classes["table"]}>
                <thead>
                  <tr>
                    <th scope="col">{t("post.network")}</th>
                    {counted.map((each) => (
                      <th key={each} scope="col">
                        {t(`analytics.${each}`)}
                      </th>
                    ))}
                    <th scope="col">{t("numbers.updated")}</th>
                  </tr>
                </thead>
                <tbody>
                  {list.map((each) => {
                    const name = post.targets.find(({ targetId }) => targetId === each.targetId)?.displayName;
                    return (
                      <tr key={each.targetId}>
                        <th scope="row">
                          {t(`platform.${each.platform}`)}
                          {name && (
                            <>
                              {" · "}
                              <bdi>{name}</bdi>
                            </>
                          )}
                        </th>
                        {counted.map((one) => (
                          <td key={one}>{each[one] === null ? "–" : number(each[one])}</td>
                        ))}
                        <td>{time(each.fetchedAt) || "–"}</td>
                      </tr>
                    );
                  })}
                </tbody>
              </table>
            </div>
          );
        }}
      </Loaded>
    </Card>
  );
}
