import { Upload } from "lucide-react";
import { useId, useState, type ClipboardEvent, type DragEvent, type ReactNode } from "react";
import { useUi } from "./ui.tsx";
import classes from "./parts.module.css";

/** Where files come in. */
export interface FileDropProps {
  /** Gets what passed; never an empty list. */
  readonly onFiles: (files: readonly File[]) => void;
  /** Endings and types as in `<input accept>`: `.csv,.vcf,image/*`; absent: all. People are told the endings. */
  readonly accept?: string;
  /** Bytes that one file may have. */
  readonly limit?: number;
  /** How many are taken at once; 1 unless said. */
  readonly most?: number;
  readonly label?: string;
}

/**
 * Takes files by drop, paste or picker. A file that is too large, empty, of another kind, or a folder is refused in a sentence, before anything is sent.
 *
 * @example
 * const drop = <FileDrop accept=".csv" limit={50 * 1024 * 1024} onFiles={([file]) => console.log(file?.name)} />;
 * console.log(drop.type);
 */
export function FileDrop({ onFiles, accept = "", limit = Infinity, most = 1, label }: FileDropProps): ReactNode {
  const { say, texts } = useUi();
  const id = useId();
  const [over, setOver] = useState(false);
  const [refused, setRefused] = useState<readonly string[]>([]);
  const take = (files: readonly File[], folders: readonly string[] = []): void => {
    const sentenceFor = (file: File): string | undefined => {
      if (file.size === 0) return say("files.empty", { name: file.name });
      if (file.size > limit) return say("files.tooLarge", { name: file.name, size: texts.bytes(file.size), limit: texts.bytes(limit) });
      return isAccepted(file, accept)
        ? undefined
        : say("files.type", { name: file.name, kinds: texts.list(accept.match(/(?<!\w)\.\w+/g) ?? [accept], "or") });
    };
    const good = files.filter((file) => !folders.includes(file.name) && sentenceFor(file) === undefined);
    const bad = files.filter((file) => !folders.includes(file.name)).flatMap((file) => sentenceFor(file) ?? []);
    setRefused([
      ...folders.map((name) => say("files.folder", { name })),
      ...bad.slice(0, 5),
      ...(good.length > most ? [say("files.many", { count: most })] : []),
    ]);
    // Which of many is meant where one is taken nobody knows.
    if (good.length && (most > 1 || good.length === 1)) onFiles(good.slice(0, most));
  };
  const drop = (event: DragEvent): void => {
    event.preventDefault();
    setOver(false);
    const folders = [...event.dataTransfer.items].flatMap((item) =>
      item.webkitGetAsEntry?.()?.isDirectory ? [item.getAsFile()?.name ?? ""] : [],
    );
    take([...event.dataTransfer.files], folders);
  };
  const paste = (event: ClipboardEvent): void => {
    if (event.clipboardData.files.length === 0) return;
    event.preventDefault();
    take([...event.clipboardData.files]);
  };
  return (
    <div onPaste={paste}>
      <label
        htmlFor={id}
        className={classes["drop"]}
        data-over={over || undefined}
        onDragOver={(event) => (event.preventDefault(), setOver(true))}
        onDragLeave={() => setOver(false)}
        onDrop={drop}
      >
        <Upload size={22} aria-hidden />
        <span>{label ?? say(most === 1 ? "files.dropOne" : "files.drop")}</span>
        <input
          id={id}
          type="file"
          accept={accept || undefined}
          multiple={most > 1}
          onChange={(event) => {
            take([...(event.currentTarget.files ?? [])]);
            // The same file can be chosen again.
            event.currentTarget.value = "";
          }}
        />
      </label>
      {refused.length > 0 && (
        <ul className={classes["refused"]} role="alert">
          {refused.map((sentence) => (
            <li key={sentence}>{sentence}</li>
          ))}
        </ul>
      )}
    </div>
  );
}

function isAccepted({ name, type }: File, accept: string): boolean {
  const kinds = accept
    .split(",")
    .map((kind) => kind.trim().toLowerCase())
    .filter(Boolean);
  return (
    kinds.length === 0 ||
    kinds.some((kind) =>
      kind.startsWith(".") ? name.toLowerCase().endsWith(kind) : kind.endsWith("/*") ? type.startsWith(kind.slice(0, -1)) : type === kind,
    )
  );
}
