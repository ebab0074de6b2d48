import { useTexts, type PageProps } from "@portico/app-shell";
import { Loaded } from "@portico/ui";
import { useQuery } from "@tanstack/react-query";
import { BrandPage } from "../parts.tsx";
import { useSocial, whole, type Post } from "../service.ts";
import { Composer } from "./Composer.tsx";

/** Changes a post. */
export default function EditPostPage({ params }: PageProps) {
  const { t } = useTexts();
  const api = useSocial();
  const id = params["id"] ?? "";
  const post = useQuery({
    queryKey: ["/api/posts", id, "edit"],
    // The composer starts with the version that it gets first, so it must not get one of an earlier visit.
    gcTime: 0,
    queryFn: ({ signal }) => whole(api.get("/api/posts/{postId}", { path: { postId: id }, signal })),
  });
  const brandId = (post.data as unknown as Post | undefined)?.brandId ?? "";
  return (
    <BrandPage record={{ brandId, list: "/posts" }} wide title={t("posts.edit")}>
      {(brand) => (
        <Loaded query={post} lines={12}>
          {(found) => <Composer key={id} brand={brand} post={found as unknown as Post} />}
        </Loaded>
      )}
    </BrandPage>
  );
}
