import { Link, navigate, setQuery, useCan, useQuery as useAddressQuery, useTexts, type PageProps } from "@portico/app-shell";
import { Button } from "@mantine/core";
import {
  Board,
  type BoardColumn,
  Bones,
  type Cards,
  Empty,
  Failed,
  Menu,
  MenuItem,
  Page,
  type Place,
  problemOf,
  Text,
  useKeys,
  Waiting,
} from "@portico/ui";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { ChevronDown, Clock, Kanban, List } from "lucide-react";
import { useEffect, useMemo, useRef, useState, type RefObject } from "react";
import { Tags } from "../parts.tsx";
import { useCrm, usePeople, useReadPipelines, useTags, whole, type Board as Answer, type Card, type Pipeline } from "../service.ts";
import { closedBetween, useMove } from "./move.tsx";
import classes from "./board.module.css";

/** `/pipeline` is the default board. */
export default function BoardPage({ params }: PageProps) {
  const { t } = useTexts();
  const { data: pipelines, error, refetch } = useReadPipelines();
  const id = params["id"];
  const pipeline = id ? pipelines?.find(({ pipelineId }) => pipelineId === id) : pipelines?.[0];
  useEffect(() => {
    if (!id && pipeline) navigate(`/pipeline/${pipeline.pipelineId}${location.search}`, { replace: true });
  }, [id, pipeline]);
  if (!pipelines)
    return (
      <Page title={t("pipeline.title")} wide>
        {error ? <Failed error={error} retry={() => void refetch()} /> : <Waiting skeleton={<Bones lines={8} />} />}
      </Page>
    );
  if (!pipeline)
    return (
      <Page title={t("pipeline.title")} wide>
        <Empty
          icon={Kanban}
          title={t("pipeline.gone")}
          action={
            <Button component={Link} to="/pipeline">
              {t("pipeline.default")}
            </Button>
          }
        />
      </Page>
    );
  return <OneBoard key={pipeline.pipelineId} pipeline={pipeline} pipelines={pipelines} />;
}

/** The form for a new contact that begins in a stage. */
const newIn = (pipelineId: string, stageId: string): string => `/contacts/new?${new URLSearchParams({ pipelineId, stageId })}`;

/** Cards of a column at first, in one request once there are more, and at most when they are read again. */
const [perStage, perRequest, mostAgain] = [50, 200, 2_000];
const searchMilliseconds = 150;

/** Cursors go on with the number of cards that they began with. */
type Loaded = Answer & { readonly limitPerStage: number };

function OneBoard({ pipeline, pipelines }: { pipeline: Pipeline; pipelines: readonly Pipeline[] }) {
  const texts = useTexts();
  const { t } = texts;
  const api = useCrm();
  const client = useQueryClient();
  const mayMove = useCan("pipeline:move");
  const mayWrite = useCan("contacts:write");
  const mayAdd = mayMove && mayWrite;
  // A contact that is lost has a reason, and was somewhere before.
  const isLost = (wanted: string) => pipeline.stages.some(({ stageId, kind }) => stageId === wanted && kind === "lost");
  const people = usePeople();
  const tags = useTags();
  const [q] = useAddressQuery("q");
  const [owner] = useAddressQuery("ownerUserId");
  const [tag] = useAddressQuery("tag");
  const filters = { ...(q && { q }), ...(owner && { ownerUserId: owner }), ...(tag && { tag }) };
  const key = ["board", pipeline.pipelineId, filters] as const;
  const read = (part: { limitPerStage: number; stageId?: string; cursor?: string }, signal?: AbortSignal) =>
    whole(
      api.get("/api/pipeline/{pipelineId}/board", {
        path: { pipelineId: pipeline.pipelineId },
        query: { ...filters, ...part } as never,
        signal,
      }),
    ) as Promise<Answer>;
  /** As many cards of each column as had been read: who has scrolled down stays there. */
  const readAgain = async (signal: AbortSignal): Promise<Loaded> => {
    const had = new Map(
      client.getQueryData<Loaded>(key)?.columns.map(({ stageId, items }) => [stageId, Math.min(items.length, mostAgain)]),
    );
    const limitPerStage = Math.max(0, ...had.values()) > perStage ? perRequest : perStage;
    const answer = await read({ limitPerStage }, signal);
    const filled = answer.columns.map(async (column) => {
      let { items, nextCursor } = column;
      while (nextCursor && items.length < (had.get(column.stageId) ?? 0)) {
        const [next] = (await read({ limitPerStage, stageId: column.stageId, cursor: nextCursor }, signal)).columns;
        items = [...items, ...(next?.items ?? [])];
        nextCursor = (next?.items.length && next.nextCursor) || null;
      }
      return { ...column, items, nextCursor };
    });
    return { ...answer, columns: await Promise.all(filled), limitPerStage };
  };
  const board = useQuery({ queryKey: key, queryFn: ({ signal }) => readAgain(signal), placeholderData: (before) => before });
  const columns = board.data?.columns ?? [];

  const cards = useMemo<Cards<Card>>(() => new Map(columns.map(({ stageId, items }) => [stageId, items])), [board.data]);
  const place = useRef<HTMLDivElement>(null);
  const { move, dialog } = useMove(useUndoneFocus(place, cards));
  const shown: BoardColumn[] = columns.map(({ stageId, name, count, valueSum, nextCursor }) => ({
    id: stageId,
    label: name,
    count,
    more: nextCursor !== null,
    ...(valueSum > 0 && { sum: texts.money(valueSum, pipeline.currency) }),
    ...(mayAdd && !isLost(stageId) && { onAdd: () => navigate(newIn(pipeline.pipelineId, stageId)) }),
  }));

  const reading = useRef(new Set<string>());
  const more = (stageId: string) => {
    const cursor = columns.find((each) => each.stageId === stageId)?.nextCursor;
    if (!cursor || !board.data || reading.current.has(cursor)) return;
    reading.current.add(cursor);
    void read({ limitPerStage: board.data.limitPerStage, stageId, cursor })
      .then(
        ({ columns: [next] }) =>
          next &&
          client.setQueryData<Loaded>(
            key,
            (before) =>
              before && {
                ...before,
                columns: before.columns.map((each) =>
                  each.stageId === stageId && each.nextCursor === cursor
                    ? { ...each, items: [...each.items, ...next.items], nextCursor: next.nextCursor }
                    : each,
                ),
              },
          ),
        () => undefined,
      )
      // An older board response may arrive later, without these cards and with this cursor. The cursor must be readable again.
      .finally(() => reading.current.delete(cursor));
  };

  const onMove = async (moved: readonly Card[], to: Place, from: (card: Card) => string) => {
    const ids = new Set(moved.map(({ contactId }) => contactId));
    const rest = (cards.get(to.column) ?? []).filter(({ contactId }) => !ids.has(contactId));
    const [before, after] = [rest[to.index]?.contactId, rest.slice(0, to.index).at(-1)?.contactId];
    // Each card but the first follows the one before it: the server would store several cards behind the same one in reverse.
    const neighbour = (at: number): { beforeContactId?: string; afterContactId?: string } => {
      const behind = moved[at - 1]?.contactId ?? (before ? undefined : after);
      return behind ? { afterContactId: behind } : before ? { beforeContactId: before } : {};
    };
    const done = await move(
      moved.map((card, at) => ({
        contactId: card.contactId,
        name: card.displayName,
        pipeline,
        from: from(card),
        stageId: to.column,
        ...neighbour(at),
      })),
    );
    // The board paints the move until its new state is here.
    if (done) await client.refetchQueries({ queryKey: key });
  };

  const filtered = Object.keys(filters).length > 0;
  const total = columns.reduce((sum, { count }) => sum + count, 0);
  const worth = columns.reduce((sum, { valueSum }) => sum + valueSum, 0);
  const firstStage = pipeline.stages[0]?.stageId;
  return (
    <Page
      full
      title={<bdi>{pipeline.name}</bdi>}
      tools={
        <>
          {pipelines.length > 1 && (
            <Menu
              end
              label={t("pipeline.choose")}
              opener={(props) => (
                <Button {...props} rightSection={<ChevronDown size={16} aria-hidden />}>
                  <Text>{t("pipeline.choose")}</Text>
                </Button>
              )}
            >
              {(close) =>
                pipelines.map((each) => (
                  <MenuItem
                    key={each.pipelineId}
                    checked={each === pipeline}
                    onClick={() => (close(), navigate(`/pipeline/${each.pipelineId}`))}
                  >
                    <Text>{each.name}</Text>
                  </MenuItem>
                ))
              }
            </Menu>
          )}
          <Button
            component={Link}
            to={`/contacts?stageId=${pipeline.stages.map(({ stageId }) => stageId).join(",")}`}
            leftSection={<List size={16} aria-hidden />}
          >
            {t("pipeline.asList")}
          </Button>
        </>
      }
    >
      <div className={classes["bar"]} role="search">
        <Search value={q ?? ""} />
        <select
          aria-label={t("contact.owner")}
          value={owner ?? ""}
          onChange={(event) => setQuery({ ownerUserId: event.currentTarget.value || null })}
        >
          <option value="">{t("pipeline.allOwners")}</option>
          {owner && !people.list.some(({ value }) => value === owner) && <option value={owner}>{people.name(owner)}</option>}
          {people.list.map(({ value, label }) => (
            <option key={value} value={value}>
              {label}
            </option>
          ))}
        </select>
        <select aria-label={t("contact.tag")} value={tag ?? ""} onChange={(event) => setQuery({ tag: event.currentTarget.value || null })}>
          <option value="">{t("pipeline.allTags")}</option>
          {[...new Set([...(tag ? [tag] : []), ...(tags ?? []).map(({ name }) => name)])].map((name) => (
            <option key={name} value={name}>
              {name}
            </option>
          ))}
        </select>
        {filtered && (
          <Button variant="subtle" size="compact-sm" onClick={() => setQuery({ q: null, ownerUserId: null, tag: null })}>
            {t("pipeline.clear")}
          </Button>
        )}
        {board.data && (
          <output className={classes["total"]}>
            {t("pipeline.total", { count: total })}
            {worth > 0 && <b>{texts.money(worth, pipeline.currency)}</b>}
          </output>
        )}
      </div>
      {board.error && !board.data ? (
        <Failed error={problemOf(board.error)} retry={() => void board.refetch()} />
      ) : !board.data ? (
        <Waiting skeleton={<Bones lines={10} />} />
      ) : total === 0 && !filtered ? (
        <Empty
          icon={Kanban}
          title={t("pipeline.empty")}
          text={t("pipeline.emptyText")}
          action={
            <>
              {mayAdd && firstStage && (
                <Button component={Link} variant="filled" to={newIn(pipeline.pipelineId, firstStage)}>
                  {t("contact.create")}
                </Button>
              )}
              <Button component={Link} to="/contacts">
                {t("pipeline.toContacts")}
              </Button>
            </>
          }
        />
      ) : (
        <div ref={place} className={classes["board"]}>
          <Board<Card>
            label={pipeline.name}
            columns={shown}
            cards={cards}
            height={84}
            id={(card) => card.contactId}
            name={(card) => card.displayName}
            href={(card) => `/contacts/${card.contactId}`}
            render={(card) => <CardFace card={card} />}
            onMore={more}
            addLabel={t("contact.create")}
            closed={(card, stageId) => closedBetween(pipeline, card.stageId, stageId, t)}
            {...(mayMove && { onMove })}
          />
        </div>
      )}
      {dialog}
    </Page>
  );
}

/** Returns a function that focuses a card after an undo, as soon as its column has it, unless the user has focused something else. */
function useUndoneFocus(place: RefObject<HTMLElement | null>, cards: Cards<Card>): (contactId: string, stageId: string) => void {
  const [undone, setUndone] = useState<{ contactId: string; stageId: string } | null>(null);
  useEffect(() => {
    if (!undone || !cards.get(undone.stageId)?.some(({ contactId }) => contactId === undone.contactId)) return;
    setUndone(null);
    if (document.activeElement && document.activeElement !== document.body) return;
    const card = place.current?.querySelector<HTMLElement>(`[data-card="${CSS.escape(undone.contactId)}"]`);
    card?.focus({ preventScroll: true });
    card?.scrollIntoView({ block: "nearest", inline: "nearest" });
  }, [undone, cards, place]);
  return (contactId, stageId) => setUndone({ contactId, stageId });
}

function Search({ value }: { value: string }) {
  const { t } = useTexts();
  const [text, setText] = useState(value);
  const field = useRef<HTMLInputElement>(null);
  useKeys({ "/": () => field.current?.focus() });
  useEffect(() => {
    if (text.trim() === value) return undefined;
    const timer = setTimeout(() => setQuery({ q: text.trim() || null }), searchMilliseconds);
    return () => clearTimeout(timer);
  }, [text, value]);
  useEffect(() => {
    if (document.activeElement !== field.current) setText(value);
  }, [value]);
  return (
    <input
      ref={field}
      type="search"
      aria-label={t("pipeline.search")}
      placeholder={t("pipeline.search")}
      value={text}
      maxLength={200}
      onChange={(event) => setText(event.currentTarget.value)}
    />
  );
}

function CardFace({ card }: { card: Card }) {
  const texts = useTexts();
  const { t, relative } = texts;
  const people = usePeople();
  const owner = people.name(card.ownerUserId);
  return (
    <div className={classes["card"]}>
      <span className={classes["name"]}>
        <Text>{card.displayName}</Text>
      </span>
      <span className={classes["second"]}>
        <Text>{card.companyName || card.primaryEmail || owner || ""}</Text>
      </span>
      <span className={`${classes["second"]} ${classes["third"]}`}>
        {card.stale ? (
          <span className={classes["stale"]} title={t("pipeline.stale")}>
            <Clock size={12} aria-hidden /> <span className="ui-hidden">{t("pipeline.stale")}</span> {relative(card.since)}
          </span>
        ) : (
          <Tags tags={card.tags} most={card.value === null ? 2 : 1} />
        )}
        {card.value !== null && <span className={classes["value"]}>{texts.money(card.value, card.currency)}</span>}
      </span>
    </div>
  );
}
