import { useQuery } from "@tanstack/react-query";
import { allPages, useReload, useSocial, whole, type Brand } from "../service.ts";

export interface Media {
  readonly mediaId: string;
  readonly brandId: string;
  readonly kind: "image" | "gif" | "video" | "document";
  readonly status: "pending_upload" | "processing" | "ready" | "rejected";
  readonly fileName: string;
  readonly size: number;
  readonly altText: string;
  readonly url: string | null;
  readonly thumbnailUrl: string | null;
  readonly rejectReason: string | null;
  readonly usedBy: number;
  readonly version: number;
}

/** The types of files that the server accepts, by their endings. */
export const fileTypes = ".jpg,.jpeg,.png,.webp,.gif,.avif,.mp4,.mov,.webm,.pdf";

/** What a list shows of a file: its thumbnail, else the image. */
export const pictureOf = ({ thumbnailUrl, url, kind }: Pick<Media, "thumbnailUrl" | "url" | "kind">): string | null =>
  thumbnailUrl ?? (kind === "image" || kind === "gif" ? url : null);

const max = 200;

export function useMedia(brand: Brand) {
  const api = useSocial();
  return useQuery({
    queryKey: ["/api/media", brand.brandId],
    queryFn: ({ signal }) =>
      allPages<Media>(
        (cursor) =>
          whole(api.get("/api/media", { query: { brandId: brand.brandId, limit: max, ...(cursor && { cursor }) }, signal })) as never,
      ),
  });
}

/** Uploads a file: ticket, bytes, completion. @return the id of the file */
export function useUpload(brand: Brand): (file: File) => Promise<string> {
  const api = useSocial();
  const reload = useReload();
  return async (file) => {
    const ticket = (await whole(
      api.post("/api/media/upload", {
        body: {
          brandId: brand.brandId,
          fileName: file.name,
          contentType: file.type || "application/octet-stream",
          size: file.size,
        } as never,
      }),
    )) as unknown as { mediaId: string; uploadUrl: string };
    // The address is signed: it needs no credential.
    const sent = await fetch(ticket.uploadUrl, {
      method: "PUT",
      body: file,
      headers: { "Content-Type": file.type || "application/octet-stream" },
    });
    if (!sent.ok) throw new Error(String(sent.status));
    await api.post("/api/media/{mediaId}/complete", {
      path: { mediaId: ticket.mediaId },
      query: { brandId: brand.brandId },
      body: {},
    });
    await reload();
    return ticket.mediaId;
  };
}
