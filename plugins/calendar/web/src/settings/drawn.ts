import { Problem } from "@portico/api";

/** As many pixels as a picture is wide or high at most: sharp where pages show it, and small to load. */
const most = 640;

/** A picture as it is sent: small, without what cameras write into it (where it was taken), and if `square` the middle of it. Throws a Problem for what is none. */
export async function drawn(file: Blob, square: boolean): Promise<Blob> {
  const address = URL.createObjectURL(file);
  try {
    const image = new Image();
    image.src = address;
    await image.decode();
    const { naturalWidth, naturalHeight } = image;
    const [width, height] = square
      ? [Math.min(naturalWidth, naturalHeight), Math.min(naturalWidth, naturalHeight)]
      : [naturalWidth, naturalHeight];
    const scale = Math.min(1, most / Math.max(width, height));
    const canvas = document.createElement("canvas");
    canvas.width = Math.max(1, Math.round(width * scale));
    canvas.height = Math.max(1, Math.round(height * scale));
    canvas
      .getContext("2d")
      ?.drawImage(image, (naturalWidth - width) / 2, (naturalHeight - height) / 2, width, height, 0, 0, canvas.width, canvas.height);
    const made = await new Promise<Blob | null>((done) => canvas.toBlob(done, "image/webp", 0.9));
    if (made) return made;
  } catch {
    // Told below.
  } finally {
    URL.revokeObjectURL(address);
  }
  throw new Problem("not_a_picture", 400);
}
