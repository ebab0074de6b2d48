import type { Api } from "@portico/api";
import { saveAs } from "@portico/ui";
import type { paths } from "./api.d.ts";

/** What is told of a download while it goes on. */
export interface Progress {
  readonly onBytes?: (bytes: number) => void;
  readonly signal?: AbortSignal;
}

/** Reads an answer to its end and hands it to the browser as a file. What is cut leaves no file: it rejects. */
export async function download(api: Api<paths>, path: string, name: string, { onBytes, signal }: Progress = {}): Promise<void> {
  const response = await api.raw(path, signal ? { signal } : {});
  const reader = response.body?.getReader();
  const parts: BlobPart[] = [];
  let bytes = 0;
  for (let chunk; reader && !(chunk = await reader.read()).done; onBytes?.(bytes)) {
    parts.push(chunk.value as Uint8Array<ArrayBuffer>);
    bytes += chunk.value.byteLength;
  }
  saveAs(new Blob(parts, { type: response.headers.get("Content-Type") ?? "" }), nameIn(response) || name);
}

function nameIn(response: Response): string {
  const said = response.headers.get("Content-Disposition") ?? "";
  const encoded = /filename\*=UTF-8''([^;]+)/i.exec(said)?.[1];
  if (!encoded) return /filename="([^"]+)"/.exec(said)?.[1] ?? "";
  try {
    return decodeURIComponent(encoded);
  } catch {
    return "";
  }
}
