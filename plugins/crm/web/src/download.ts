import type { Api } from "@portico/api";
import { saveAs } from "@portico/ui";
import type { paths } from "./api.d.ts";

type Bytes = Uint8Array<ArrayBuffer>;

/** A file of this computer that is being written. Until `close` there is nothing in it; `drop` takes it away. */
export interface DiskFile {
  write(part: Bytes): Promise<void>;
  close(): Promise<void>;
  drop(): Promise<void>;
}

/** What is told of a download while it goes on, and where it goes to: into memory where that is not said. */
export interface Progress {
  readonly onPart?: (part: Bytes) => void;
  readonly signal?: AbortSignal;
  readonly disk?: DiskFile | null;
}

/**
 * Reads an answer to its end and hands it to the browser as a file, or writes it to the disk as it comes. What is cut leaves no file: it rejects; so does a
 * page that is left meanwhile.
 */
export async function download(api: Api<paths>, path: string, name: string, { onPart, signal, disk }: Progress = {}): Promise<void> {
  const left = new AbortController();
  addEventListener("pagehide", () => void disk?.drop(), { signal: left.signal });
  try {
    const response = await api.raw(path, signal ? { signal } : {});
    const reader = response.body?.getReader();
    const parts: BlobPart[] = [];
    for (let chunk; reader && !(chunk = await reader.read()).done;) {
      const part = chunk.value as Bytes;
      if (disk) await disk.write(part);
      else parts.push(part);
      onPart?.(part);
    }
    if (disk) await disk.close();
    else saveAs(new Blob(parts, { type: response.headers.get("Content-Type") ?? "" }), nameIn(response) || name);
  } catch (error) {
    await disk?.drop();
    throw error;
  } finally {
    left.abort();
  }
}

interface Handle extends FileSystemFileHandle {
  remove?(): Promise<void>;
}

/**
 * Asks where on the disk a file is to be, which must follow a click. Null: the browser has no such question, or cannot take back a file that comes to
 * nothing. Rejects with `AbortError` where the person wants none.
 */
export async function fileOnDisk(name: string): Promise<DiskFile | null> {
  const { showSaveFilePicker } = window as { showSaveFilePicker?: (options: { suggestedName: string }) => Promise<Handle> };
  if (!showSaveFilePicker || !("remove" in FileSystemFileHandle.prototype)) return null;
  const handle = await showSaveFilePicker({ suggestedName: name });
  const out = await handle.createWritable();
  return {
    write: (part) => out.write(part),
    close: () => out.close(),
    // The question has made an empty file already.
    drop: () =>
      out
        .abort()
        .catch(() => undefined)
        .then(() => handle.remove?.())
        .catch(() => undefined),
  };
}

const [newLine, quote, comma, brace, letterE, letterN] = Array.from('\n",}EN', (sign) => sign.charCodeAt(0));

/** Counts contacts in the parts of an exported file: rows of CSV but for the headings, vCards by their ends, lines of JSON. */
export function contactCounter(format: "csv" | "vcard" | "json" | "ndjson"): (part: Uint8Array) => number {
  let [count, quoted, before, beforeThat] = [format === "csv" ? -1 : 0, false, 0, newLine];
  const ends = {
    csv: (byte: number) => byte === newLine && !quoted,
    vcard: (byte: number) => byte === letterN && before === letterE && beforeThat === newLine,
    json: (byte: number) => byte === newLine && (before === comma || before === brace),
    ndjson: (byte: number) => byte === newLine,
  }[format];
  return (part) => {
    for (const byte of part) {
      if (byte === quote) quoted = !quoted;
      if (ends(byte)) ++count;
      [beforeThat, before] = [before, byte];
    }
    return Math.max(0, count);
  };
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
