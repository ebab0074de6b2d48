import { Link, useCan, useTexts } from "@portico/app-shell";
import { Button } from "@mantine/core";
import { Bones, Card, Empty, Failed, Page, problemOf, Text, useDeed, useUi, Waiting } from "@portico/ui";
import { useInfiniteQuery, useQueryClient } from "@tanstack/react-query";
import { UsersRound } from "lucide-react";
import { useState } from "react";
import { primaryOf, useCrm, usePeople, whole, type Contact, type Merge, type Whole } from "../service.ts";
import type { components } from "../api.d.ts";
import classes from "./duplicates.module.css";
import page from "@portico/ui/page.module.css";
import own from "../page.module.css";

type Pair = Whole<components["schemas"]["DuplicatePair"]>;
interface Answer<T> {
  readonly items: readonly T[];
  readonly nextCursor: string | null;
}
const mostShortPages = 5;

/** Contacts that may be the same, and the merges that can still be taken back. */
export default function DuplicatesPage() {
  const { t } = useTexts();
  const api = useCrm();
  const pairs = useInfiniteQuery({
    queryKey: ["/api/contacts/duplicates"],
    initialPageParam: undefined as string | undefined,
    queryFn: async ({ pageParam, signal }): Promise<Answer<Pair>> => {
      const items: Pair[] = [];
      let cursor = pageParam;
      // A page may be empty and yet have a cursor.
      for (let read = 0; read < mostShortPages; ++read) {
        const answer = (await whole(
          api.get("/api/contacts/duplicates", { query: { limit: 50, ...(cursor !== undefined && { cursor }) }, signal }),
        )) as Answer<Pair>;
        items.push(...answer.items);
        cursor = answer.nextCursor ?? undefined;
        if (items.length || cursor === undefined) break;
      }
      return { items, nextCursor: cursor ?? null };
    },
    getNextPageParam: (last) => last.nextCursor ?? undefined,
  });
  const list = pairs.data?.pages.flatMap(({ items }) => items) ?? [];
  return (
    <Page title={t("duplicates.title")}>
      <Card title={t("duplicates.maybe")}>
        {pairs.error && list.length === 0 ? (
          <Failed error={pairs.error} retry={() => void pairs.refetch()} />
        ) : !pairs.data ? (
          <Waiting skeleton={<Bones lines={4} />} />
        ) : list.length === 0 && !pairs.hasNextPage ? (
          <Empty icon={UsersRound} title={t("duplicates.none")} text={t("duplicates.noneText")} />
        ) : (
          <div>
            {list.map((pair) => (
              <PairLine key={pair.contacts.map(({ id }) => id).join()} pair={pair} />
            ))}
          </div>
        )}
        {pairs.hasNextPage && (
          <Button loading={pairs.isFetchingNextPage} onClick={() => void pairs.fetchNextPage()}>
            {t("duplicates.further")}
          </Button>
        )}
      </Card>
      <Merges />
    </Page>
  );
}

function PairLine({ pair }: { pair: Pair }) {
  const { t } = useTexts();
  const { undo } = useUi();
  const { run } = useDeed();
  const mayWrite = useCan("contacts:write");
  const api = useCrm();
  const client = useQueryClient();
  const contactIds = pair.contacts.map(({ id }) => id);
  const reread = () => client.invalidateQueries({ queryKey: ["/api/contacts/duplicates"] });
  const dismiss = () =>
    run(async () => {
      await api.post("/api/contacts/duplicates/dismiss", { body: { contactIds } });
      undo.push({
        text: t("duplicates.dismissed", { names: pair.contacts.map(({ displayName }) => displayName).join(", ") }),
        undo: () => api.delete("/api/contacts/duplicates/dismiss", { body: { contactIds } }).then(reread),
      });
      await reread();
    });
  return (
    <div className={classes["pair"]}>
      <div>
        <div className={classes["both"]}>
          {pair.contacts.map((contact) => (
            <div key={contact.id}>
              <Link to={`/contacts/${contact.id}`}>
                <Text>{contact.displayName}</Text>
              </Link>
              <div className={`${page["muted"]} ${page["small"]}`}>
                <Text>{[contact.companyName, primaryOf((contact as Contact).emails)?.address].filter(Boolean).join(" · ")}</Text>
              </div>
            </div>
          ))}
        </div>
        <span className={`${page["muted"]} ${page["small"]}`}>
          {t("duplicates.because", { why: pair.matchedOn.map((each) => t(`match.${each}`)).join(", ") })}
        </span>
      </div>
      {mayWrite && (
        <div className={page["row"]}>
          <Button size="compact-sm" variant="subtle" color="gray" onClick={() => void dismiss()}>
            {t("duplicates.notTheSame")}
          </Button>
          <Button size="compact-sm" component={Link} to={`/contacts/merge?ids=${contactIds.join(",")}`}>
            {t("merge.compare")}
          </Button>
        </div>
      )}
    </div>
  );
}

function Merges() {
  const { t, dateTime } = useTexts();
  const { notices, sentence } = useUi();
  const mayWrite = useCan("contacts:write");
  const people = usePeople();
  const api = useCrm();
  const client = useQueryClient();
  const [working, setWorking] = useState("");
  const merges = useInfiniteQuery({
    queryKey: ["/api/contacts/merges"],
    initialPageParam: undefined as string | undefined,
    queryFn: ({ pageParam, signal }) =>
      whole(
        api.get("/api/contacts/merges", { query: { all: true, limit: 50, ...(pageParam !== undefined && { cursor: pageParam }) }, signal }),
      ) as Promise<Answer<Merge>>,
    getNextPageParam: (last) => last.nextCursor ?? undefined,
  });
  const list = merges.data?.pages.flatMap(({ items }) => items) ?? [];
  const takeBack = async ({ mergeId }: Merge) => {
    setWorking(mergeId);
    try {
      const { restoredIds } = await whole(api.post("/api/contacts/merges/{mergeId}/undo", { path: { mergeId } }));
      notices.tell({ kind: "done", text: t("merge.undone", { count: restoredIds.length }) });
    } catch (error) {
      notices.tell({ kind: "refused", text: problemOf(error).detail || sentence(error), requestId: problemOf(error).requestId });
    }
    setWorking("");
    for (const key of ["/api/contacts", "/api/contacts/merges", "/api/contacts/duplicates"])
      void client.invalidateQueries({ queryKey: [key] });
  };
  if (merges.error && list.length === 0)
    return (
      <Card title={t("merge.recent")}>
        <Failed error={merges.error} retry={() => void merges.refetch()} />
      </Card>
    );
  if (list.length === 0) return null;
  return (
    <Card title={t("merge.recent")}>
      <ul className={page["plain"]}>
        {list.map((merge) => (
          <li key={merge.mergeId}>
            <span className={own["grow"]}>
              <Link to={`/contacts/${merge.contact.id}`}>
                <Text>{merge.contact.displayName}</Text>
              </Link>
              <span className={`${page["muted"]} ${page["small"]}`}>
                <Text lines={2}>
                  {t("merge.from", {
                    names: merge.sources.map(({ displayName }) => displayName).join(", "),
                    who: people.name(merge.mergedBy),
                    when: dateTime(merge.mergedAt),
                  })}
                </Text>
              </span>
            </span>
            {!merge.undoable && <span className={`${page["muted"]} ${page["small"]}`}>{t("merge.changedSince")}</span>}
            {mayWrite && merge.undoable && (
              <Button size="compact-sm" loading={working === merge.mergeId} onClick={() => void takeBack(merge)}>
                {t("merge.undo")}
              </Button>
            )}
          </li>
        ))}
      </ul>
      {merges.hasNextPage && <Button onClick={() => void merges.fetchNextPage()}>{t("timeline.older")}</Button>}
    </Card>
  );
}
