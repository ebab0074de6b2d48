import { useCan, useTexts } from "@portico/app-shell";
import { ActionIcon, Button } from "@mantine/core";
import { Confirm, Text, problemOf, useUi } from "@portico/ui";
import { useQuery } from "@tanstack/react-query";
import { Download, FileText, Paperclip, Trash2, X } from "lucide-react";
import { useEffect, useRef, useState, type DragEvent, type ReactNode } from "react";
import { download } from "../download.ts";
import { useCrm, usePeople, whole, type Attachment } from "../service.ts";
import { EntryLine } from "./EntryLine.tsx";
import classes from "./contact.module.css";
import page from "@portico/ui/page.module.css";
import own from "../page.module.css";

interface Upload {
  readonly id: number;
  readonly name: string;
  readonly file: File;
  readonly stop: AbortController;
  readonly problem: string;
  /** Bytes. */
  readonly sent: number;
}

const atATime = 3;

/** Files that are sent to a contact: by drop, by the picker or from the clipboard, three at a time. */
export function useUploads(contactId: string, onDone: () => void): { drop: object; picker: ReactNode; list: ReactNode } {
  const { t, bytes } = useTexts();
  const { sentence } = useUi();
  const api = useCrm();
  const [uploads, setUploads] = useState<readonly Upload[]>([]);
  const [over, setOver] = useState(false);
  const input = useRef<HTMLInputElement>(null);
  const next = useRef(1);
  const running = useRef(0);
  const waiting = useRef<Upload[]>([]);
  const limit =
    useQuery({ queryKey: ["/api"], staleTime: Infinity, queryFn: async ({ signal }) => (await whole(api.get("/api", { signal }))).limits })
      .data?.attachmentBytes ?? 26_214_400;
  const { address, notices } = useUi();
  const here = useRef(true);
  useEffect(() => ((here.current = true), () => void (here.current = false)), []);
  // What waits is sent from other pages, too; closing the tab would lose it.
  const unsent = uploads.some(({ problem }) => !problem);
  useEffect(() => (unsent ? address.guard(() => false) : undefined), [unsent, address]);

  const without = (id: number) => setUploads((all) => all.filter((each) => each.id !== id));
  const change = (id: number, by: Partial<Upload>) => setUploads((all) => all.map((each) => (each.id === id ? { ...each, ...by } : each)));
  const send = async (upload: Upload) => {
    ++running.current;
    try {
      // Read before it is sent: a file that changes or vanishes meanwhile is told as such.
      const bytes = await upload.file.arrayBuffer();
      await api.raw(`/api/contacts/${encodeURIComponent(contactId)}/attachments`, {
        method: "POST",
        body: bytes,
        signal: upload.stop.signal,
        onSent: (sent) => change(upload.id, { sent }),
        headers: {
          "Content-Type": upload.file.type || "application/octet-stream",
          "X-File-Name": `UTF-8''${encodeURIComponent(upload.name)}`,
        },
      });
      without(upload.id);
      onDone();
    } catch (error) {
      if (upload.stop.signal.aborted) without(upload.id);
      else {
        const problem = error instanceof DOMException ? t("file.unreadable") : sentence(error);
        change(upload.id, { problem });
        if (!here.current) notices.tell({ kind: "refused", text: `${upload.name}: ${problem}`, requestId: problemOf(error).requestId });
      }
    } finally {
      --running.current;
      advance();
    }
  };
  const advance = () => {
    while (running.current < atATime && waiting.current.length) {
      const upload = waiting.current.shift();
      if (upload && !upload.stop.signal.aborted) void send(upload);
    }
  };
  const add = (files: readonly File[]) => {
    const made = files.map((file): Upload => ({
      id: next.current++,
      name: [...file.name.replace(/\p{Cs}/gu, "\uFFFD")].slice(0, 255).join(""),
      file,
      stop: new AbortController(),
      sent: 0,
      problem: file.size > limit ? t("file.tooLarge", { most: bytes(limit) }) : file.size === 0 ? t("file.empty") : "",
    }));
    setUploads((all) => [...all, ...made]);
    waiting.current.push(...made.filter(({ problem }) => !problem));
    advance();
  };

  const drop = {
    className: over ? classes["dropping"] : undefined,
    onDragOver: (event: DragEvent) => {
      if (!event.dataTransfer.types.includes("Files")) return;
      event.preventDefault();
      setOver(true);
    },
    onDragLeave: (event: DragEvent) => !event.currentTarget.contains(event.relatedTarget as Node | null) && setOver(false),
    onDrop: (event: DragEvent) => {
      if (!event.dataTransfer.files.length) return;
      event.preventDefault();
      setOver(false);
      add([...event.dataTransfer.files]);
    },
    onPaste: (event: React.ClipboardEvent) => {
      if (!event.clipboardData.files.length) return;
      event.preventDefault();
      add([...event.clipboardData.files]);
    },
  };
  const picker = (
    <>
      <input
        ref={input}
        type="file"
        multiple
        hidden
        aria-label={t("file.add")}
        onChange={(event) => {
          add([...(event.currentTarget.files ?? [])]);
          event.currentTarget.value = "";
        }}
      />
      <Button size="compact-sm" leftSection={<Paperclip size={14} aria-hidden />} onClick={() => input.current?.click()}>
        {t("file.add")}
      </Button>
    </>
  );
  const list = uploads.length > 0 && (
    <ul className={classes["uploads"]} aria-label={t("file.uploads")}>
      {uploads.map((each) => (
        <li key={each.id}>
          <span className={own["grow"]}>
            <Text>{each.name}</Text>
          </span>
          {each.problem ? (
            <span role="alert">{each.problem}</span>
          ) : (
            <>
              <span className={page["muted"]}>{t("file.sent", { sent: bytes(each.sent), size: bytes(each.file.size) })}</span>
              <progress aria-label={t("file.sending", { name: each.name })} max={each.file.size} value={each.sent} />
            </>
          )}
          <ActionIcon
            aria-label={t(each.problem ? "act.close" : "file.cancel", { name: each.name })}
            onClick={() => {
              each.stop.abort();
              without(each.id);
            }}
          >
            <X size={14} aria-hidden />
          </ActionIcon>
        </li>
      ))}
    </ul>
  );
  return { drop, picker, list };
}

const shown = /^image\/(png|jpeg|gif|webp|avif)$/;
const mostShownBytes = 8 * 1024 * 1024;

/** A file in the timeline: pictures are shown, everything else is downloaded. */
export function FileEntry({ file, onChanged }: { file: Attachment; onChanged: () => void }) {
  const { t, bytes } = useTexts();
  const { notices, sentence } = useUi();
  const mayWrite = useCan("attachments:write");
  const people = usePeople();
  const api = useCrm();
  const [deleting, setDeleting] = useState(false);
  const refused = (error: unknown) => notices.tell({ kind: "refused", text: sentence(error), requestId: problemOf(error).requestId });
  const save = () => download(api, `/api/attachments/${encodeURIComponent(file.id)}`, file.fileName).catch(refused);
  return (
    <EntryLine
      icon={<FileText size={16} />}
      at={file.createdAt}
      by={people.name(file.createdBy)}
      head={
        <>
          <strong>
            <Text>{file.fileName}</Text>
          </strong>
          <span className={page["muted"]}>{bytes(file.size)}</span>
        </>
      }
      acts={
        <>
          <ActionIcon
            aria-label={t("file.download", { name: file.fileName })}
            title={t("file.download", { name: file.fileName })}
            onClick={() => void save()}
          >
            <Download size={16} aria-hidden />
          </ActionIcon>
          {mayWrite && (
            <ActionIcon
              aria-label={t("file.delete", { name: file.fileName })}
              title={t("file.delete", { name: file.fileName })}
              onClick={() => setDeleting(true)}
            >
              <Trash2 size={16} aria-hidden />
            </ActionIcon>
          )}
        </>
      }
    >
      {file.description && <bdi>{file.description}</bdi>}
      {shown.test(file.contentType) && file.size <= mostShownBytes && <Picture file={file} />}
      <Confirm
        open={deleting}
        title={t("file.deleteTitle")}
        text={t("file.deleteText", { name: file.fileName })}
        act={t("act.delete")}
        onClose={() => setDeleting(false)}
        onConfirm={() => (setDeleting(false), void api.delete("/api/attachments/{id}", { path: { id: file.id } }).then(onChanged, refused))}
      />
    </EntryLine>
  );
}

function Picture({ file }: { file: Attachment }) {
  const api = useCrm();
  const [address, setAddress] = useState("");
  useEffect(() => {
    const stop = new AbortController();
    let made = "";
    api
      .raw(`/api/attachments/${encodeURIComponent(file.id)}`, { signal: stop.signal })
      .then((response) => response.blob())
      .then((blob) => !stop.signal.aborted && setAddress((made = URL.createObjectURL(blob))))
      .catch(() => undefined);
    return () => {
      stop.abort();
      if (made) URL.revokeObjectURL(made);
    };
  }, [api, file.id]);
  return address ? <img className={classes["picture"]} src={address} alt={file.description || file.fileName} /> : null;
}
