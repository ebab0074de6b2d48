import { Link, useCan, useTexts } from "@portico/app-shell";
import { ActionIcon, Button } from "@mantine/core";
import { Card, Confirm, Empty, Failed, Markdown, Text, useDeed, Waiting } from "@portico/ui";
import { useInfiniteQuery, useQueryClient } from "@tanstack/react-query";
import {
  ArrowRightLeft,
  FilePlus2,
  Merge as MergeIcon,
  MessageSquareText,
  Pencil,
  Pin,
  PinOff,
  Sparkles,
  StickyNote,
  Trash2,
  UserPlus,
} from "lucide-react";
import { useMemo, useState } from "react";
import { StageName } from "../parts.tsx";
import {
  stageOf,
  useCrm,
  usePeople,
  usePipelines,
  whole,
  type Attachment,
  type Contact,
  type HistoryEntry,
  type Merge,
  type Note,
} from "../service.ts";
import { Composer } from "./Composer.tsx";
import { EntryLine } from "./EntryLine.tsx";
import { FileEntry, useUploads } from "./Files.tsx";
import classes from "./contact.module.css";
import page from "@portico/ui/page.module.css";

const kinds = ["all", "notes", "files", "moves", "merges"] as const;
type Kind = (typeof kinds)[number];
type Entry = { at: string; id: string } & (
  { note: Note } | { file: Attachment } | { move: HistoryEntry } | { merge: Merge } | { born: true }
);
const pageSize = 50;

/** What happened with a contact, newest first and pinned notes on top: notes, files, moves and merges in one line of time. */
export function Timeline({ contact, onChanged }: { contact: Contact; onChanged: () => void }) {
  const { t } = useTexts();
  const api = useCrm();
  const client = useQueryClient();
  const [mayRead, mayNote, mayAttach, maySeeFiles, maySeeMoves] = [
    useCan("notes:read"),
    useCan("notes:write"),
    useCan("attachments:write"),
    useCan("attachments:read"),
    useCan("pipeline:read"),
  ];
  const [kind, setKind] = useState<Kind>("all");
  /** The note that is being changed: it stays, with what is typed, although others delete it. */
  const [edited, setEdited] = useState<Note | null>(null);
  const path = { id: contact.id };
  type Answer<T> = { items: T[]; nextCursor: string | null };
  const useSource = <T,>(name: string, on: boolean, read: (cursor: string | undefined, signal: AbortSignal) => Promise<unknown>) =>
    useInfiniteQuery({
      queryKey: ["timeline", contact.id, name],
      enabled: on,
      initialPageParam: undefined as string | undefined,
      queryFn: ({ pageParam, signal }) => read(pageParam, signal) as Promise<Answer<T>>,
      getNextPageParam: (last) => last.nextCursor ?? undefined,
    });
  const query = (cursor: string | undefined) => ({ limit: pageSize, ...(cursor !== undefined && { cursor }) });
  const notes = useSource<Note>("notes", mayRead, (cursor, signal) =>
    whole(api.get("/api/contacts/{id}/notes", { path, query: query(cursor), signal })),
  );
  const files = useSource<Attachment>("files", maySeeFiles, (cursor, signal) =>
    whole(api.get("/api/contacts/{id}/attachments", { path, query: query(cursor), signal })),
  );
  const moves = useSource<HistoryEntry>("moves", maySeeMoves, (cursor, signal) =>
    whole(api.get("/api/pipeline/{contactId}/history", { path: { contactId: contact.id }, query: query(cursor), signal })),
  );
  const merges = useSource<Merge>("merges", true, (cursor, signal) =>
    whole(api.get("/api/contacts/merges", { query: { ...query(cursor), contactId: contact.id }, signal })),
  );
  const reread = () => {
    void client.invalidateQueries({ queryKey: ["timeline", contact.id] });
    onChanged();
  };
  const uploads = useUploads(contact.id, reread);

  const sources = [notes, files, moves, merges];
  const entries = useMemo(() => {
    const read = <T,>(
      { data, hasNextPage }: { data: { pages: Answer<T>[] } | undefined; hasNextPage: boolean },
      entryOf: (item: T) => Entry,
    ) => ({ list: data?.pages.flatMap(({ items }) => items.map(entryOf)) ?? [], hasNextPage });
    const gone =
      edited && notes.data?.pages.every(({ items }) => items.every(({ noteId }) => noteId !== edited.noteId))
        ? [{ at: edited.createdAt, id: edited.noteId, note: edited }]
        : [];
    const all = [
      read(notes, (note) => ({ at: note.createdAt, id: note.noteId, note })),
      read(files, (file) => ({ at: file.createdAt, id: file.id, file })),
      read(moves, (move) => ({ at: move.movedAt, id: move.historyId, move })),
      read(merges, (merge) => ({ at: merge.mergedAt, id: merge.mergeId, merge })),
    ];
    const born: Entry[] = all.some((each) => each.hasNextPage) ? [] : [{ at: contact.createdAt, id: "born", born: true }];
    // What is older than the oldest that was read of a source with more would stand in the wrong place.
    const horizon =
      all
        .map(({ list, hasNextPage }) => (hasNextPage ? (list.map(({ at }) => at).sort()[0] ?? "") : ""))
        .sort()
        .at(-1) ?? "";
    return [...all.flatMap(({ list }) => list), ...gone, ...born]
      .filter(({ at }) => at >= horizon)
      .sort((a, b) => b.at.localeCompare(a.at));
  }, [notes.data, files.data, moves.data, merges.data, contact.createdAt, edited]);
  const fits = (each: Entry) => kind === "all" || kind.slice(0, -1) in each;
  const pinned = entries.filter((each) => "note" in each && each.note.pinned && fits(each));
  const rest = entries.filter((each) => fits(each) && !pinned.includes(each));
  const failed = sources.find((each) => each.isError);
  const more = sources.filter((each) => each.hasNextPage);

  return (
    <div {...(mayAttach ? uploads.drop : {})} data-testid="timeline">
      <Card title={t("timeline.title")} tools={mayAttach && uploads.picker}>
        {mayNote && <Composer contactId={contact.id} onSaved={reread} />}
        {uploads.list}
        <div className={classes["kinds"]} role="group" aria-label={t("timeline.show")} style={{ marginTop: "1rem" }}>
          {kinds.map((each) => (
            <button key={each} type="button" aria-pressed={kind === each} onClick={() => setKind(each)}>
              {t(`timeline.${each}`)}
            </button>
          ))}
        </div>
        {failed && <Failed error={failed.error} retry={() => void failed.refetch()} />}
        {!failed && sources.some((each) => each.isLoading) ? (
          <Waiting skeleton={<div style={{ height: "12rem" }} />} />
        ) : pinned.length + rest.length === 0 ? (
          <Empty icon={MessageSquareText} title={t(`timeline.none.${kind}`)} />
        ) : (
          <ol className={classes["entries"]}>
            {[...pinned, ...rest].map((each) => (
              <Line key={each.id} entry={each} contact={contact} edited={edited} onEdit={setEdited} onChanged={reread} />
            ))}
          </ol>
        )}
        {more.length > 0 && (
          <Button
            style={{ marginTop: "1rem" }}
            loading={more.some((each) => each.isFetchingNextPage)}
            onClick={() => more.forEach((each) => void each.fetchNextPage())}
          >
            {t("timeline.older")}
          </Button>
        )}
      </Card>
    </div>
  );
}

interface Editing {
  readonly edited: Note | null;
  readonly onEdit: (note: Note | null) => void;
  readonly onChanged: () => void;
}

function Line({ entry, contact, onChanged, ...editing }: Editing & { entry: Entry; contact: Contact }) {
  if ("note" in entry) return <NoteEntry note={entry.note} contactId={contact.id} onChanged={onChanged} {...editing} />;
  if ("file" in entry) return <FileEntry file={entry.file} onChanged={onChanged} />;
  if ("move" in entry) return <MoveEntry move={entry.move} />;
  if ("merge" in entry) return <MergeEntry merge={entry.merge} />;
  return <BornEntry contact={contact} />;
}

function NoteEntry({ note, contactId, edited, onEdit, onChanged }: Editing & { note: Note; contactId: string }) {
  const { t } = useTexts();
  const { run } = useDeed();
  const mayWrite = useCan("notes:write");
  const people = usePeople();
  const api = useCrm();
  const [deleting, setDeleting] = useState(false);
  const path = { contactId, noteId: note.noteId };
  const pin = () =>
    run(() =>
      api.put("/api/contacts/{contactId}/notes/{noteId}", { path, body: { pinned: !note.pinned }, version: note.version }).then(onChanged),
    );
  const remove = () => run(() => api.delete("/api/contacts/{contactId}/notes/{noteId}", { path }).then(onChanged));
  return (
    <EntryLine
      icon={<StickyNote size={16} />}
      at={note.createdAt}
      by={people.name(note.createdBy)}
      head={note.pinned ? <span className={classes["pin"]}>{t("note.pinned")}</span> : <strong>{t("note.one")}</strong>}
      acts={
        mayWrite && (
          <>
            <ActionIcon
              aria-label={t(note.pinned ? "note.unpin" : "note.pin")}
              title={t(note.pinned ? "note.unpin" : "note.pin")}
              onClick={() => void pin()}
            >
              {note.pinned ? <PinOff size={16} aria-hidden /> : <Pin size={16} aria-hidden />}
            </ActionIcon>
            <ActionIcon aria-label={t("note.edit")} title={t("note.edit")} onClick={() => onEdit(note)}>
              <Pencil size={16} aria-hidden />
            </ActionIcon>
            <ActionIcon aria-label={t("note.delete")} title={t("note.delete")} onClick={() => setDeleting(true)}>
              <Trash2 size={16} aria-hidden />
            </ActionIcon>
          </>
        )
      }
    >
      {edited?.noteId === note.noteId ? (
        <Composer
          contactId={contactId}
          note={note}
          onSaved={() => {
            onEdit(null);
            onChanged();
          }}
          onCancel={() => onEdit(null)}
        />
      ) : (
        <div className={classes["body"]}>
          {note.format === "markdown" ? <Markdown>{note.body}</Markdown> : <Text lines={0}>{note.body}</Text>}
        </div>
      )}
      <Confirm
        open={deleting}
        title={t("note.deleteTitle")}
        text={t("note.deleteText")}
        act={t("note.delete")}
        onClose={() => setDeleting(false)}
        onConfirm={() => (setDeleting(false), void remove())}
      />
    </EntryLine>
  );
}

function MoveEntry({ move }: { move: HistoryEntry }) {
  const { t } = useTexts();
  const pipelines = usePipelines();
  const people = usePeople();
  const [from, to] = [stageOf(pipelines, move.fromStageId), stageOf(pipelines, move.toStageId)];
  const days = move.durationInPreviousStageSeconds === null ? null : Math.floor(move.durationInPreviousStageSeconds / 86_400);
  return (
    <EntryLine
      icon={<ArrowRightLeft size={16} />}
      at={move.movedAt}
      by={people.name(move.movedBy)}
      head={
        <>
          {from && <StageName stage={from} />}
          {from && <span aria-hidden>{"→"}</span>}
          {to ? <StageName stage={to} /> : <span>{t(move.toStageId === null ? "move.off" : "move.goneStage")}</span>}
        </>
      }
    >
      {(days !== null || move.note || move.lostReason) && (
        <p className={`${page["muted"]} ${page["small"]}`} style={{ margin: 0 }}>
          {days !== null && t("move.after", { days })} <bdi>{[move.lostReason, move.note].filter(Boolean).join(" · ")}</bdi>
        </p>
      )}
    </EntryLine>
  );
}

function MergeEntry({ merge }: { merge: Merge }) {
  const { t } = useTexts();
  const people = usePeople();
  return (
    <EntryLine
      icon={<MergeIcon size={16} />}
      at={merge.mergedAt}
      by={people.name(merge.mergedBy)}
      head={
        <span>
          {t("timeline.merged")} <bdi>{merge.sources.map(({ displayName }) => displayName).join(", ")}</bdi>
        </span>
      }
      acts={merge.undoable && <Link to="/contacts/duplicates">{t("merge.recent")}</Link>}
    />
  );
}

function BornEntry({ contact }: { contact: Contact }) {
  const { t } = useTexts();
  const people = usePeople();
  return (
    <EntryLine
      icon={
        contact.source === "import" ? <FilePlus2 size={16} /> : contact.source === "api" ? <Sparkles size={16} /> : <UserPlus size={16} />
      }
      at={contact.createdAt}
      by={people.name(contact.createdBy)}
      head={
        <span>
          {t(`born.${contact.source ?? "manual"}`)} <bdi className={page["muted"]}>{contact.sourceDetail}</bdi>
        </span>
      }
    />
  );
}
