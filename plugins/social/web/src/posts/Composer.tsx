import { Link, navigate, useTexts } from "@portico/app-shell";
import { Button } from "@mantine/core";
import { Card, Chip, Confirm, Loaded, Note, problemOf, readDraft, Unsaved, useDeed, useRequestKey, useUi, writeDraft } from "@portico/ui";
import { useQuery } from "@tanstack/react-query";
import { Plus, X } from "lucide-react";
import { useEffect, useRef, useState, type ReactNode } from "react";
import { useAccounts, useReload, useSocial, whole, type Brand, type Integration, type Item, type Post } from "../service.ts";
import { TimeField } from "../TimeField.tsx";
import { MediaPicker } from "../library/MediaPicker.tsx";
import { Pictures } from "../library/Pictures.tsx";
import { bodyOf, draftOf, emptyDraft, keptOf, startOf, timeOf, type Draft } from "./draft.ts";
import { LinkField, SentCard } from "./LinkField.tsx";
import { Marked, type Mark } from "./Marked.tsx";
import { hasSettings, type NetworkSettings } from "./settings.ts";
import { SettingsFields } from "./SettingsFields.tsx";
import { Versions } from "./Versions.tsx";
import page from "@portico/ui/page.module.css";
import classes from "../page.module.css";

interface Check {
  readonly valid: boolean;
  readonly targets: readonly {
    readonly targetId: string | null;
    readonly errors: readonly { readonly field: string; readonly code: string; readonly message: string }[];
    readonly warnings: readonly { readonly code: string; readonly message: string }[];
    readonly length: number;
    readonly limit: number;
    readonly preview?: {
      readonly parts?: readonly { readonly text: string; readonly marks?: readonly Mark[] }[];
      readonly cardUrl?: string;
    } | null;
  }[];
}

const pause = 400;
/** What the page calls the fields of a post. */
const labels: Readonly<Record<string, string>> = {
  text: "composer.text",
  scheduledFor: "post.time",
  linkUrl: "post.link",
  mediaIds: "post.media",
  targets: "composer.accounts",
  title: "post.internalTitle",
  labels: "post.labels",
};

/** Writes a post: text, thread, accounts with their own texts, time. What the network will show comes from the server's dry run. */
export function Composer({ brand, post: read, at = "", text = "" }: { brand: Brand; post?: Post; at?: string; text?: string }) {
  const { t } = useTexts();
  const api = useSocial();
  const reload = useReload();
  const { notices, sentence, fault } = useUi();
  const { busy, run } = useDeed();
  const accounts = useAccounts(brand.brandId);
  // The version that the user edits: a later one, saved elsewhere, must not be overwritten unseen.
  const [post, setPost] = useState(read);
  const [theirs, setTheirs] = useState<Post | null>(null);
  const name = `post:${post?.postId ?? brand.brandId}`;
  const initial = post ? draftOf(post) : { ...emptyDraft, text, scheduledFor: at };
  const asked = post ? {} : { ...(text && { text }), ...(at && { scheduledFor: at }) };
  const [draft, setDraft] = useState<Draft>(() => startOf(initial, asked, readDraft(name)));
  const [faults, setFaults] = useState<readonly string[]>([]);
  const [sure, setSure] = useState(false);
  // A post has an account, a draft as well.
  const [missing, setMissing] = useState(false);
  const targets = useRef<HTMLFieldSetElement>(null);
  // Callbacks of earlier renders, such as the end of an upload, change the newest draft. After a save or on another page they change
  // nothing.
  const newest = useRef({ draft, name, asked });
  newest.current = { draft, name, asked };
  const ended = useRef(false);
  useEffect(() => ((ended.current = false), () => void (ended.current = true)), []);
  const change = (part: Partial<Draft>) => {
    if (ended.current) return;
    const next = { ...newest.current.draft, ...part };
    newest.current.draft = next;
    setDraft(next);
    writeDraft(newest.current.name, keptOf(next, newest.current.asked));
  };
  const chosen = Object.keys(draft.targets);
  const dirty = JSON.stringify(draft) !== JSON.stringify(initial);
  const body = bodyOf(draft, post);
  const key = useRequestKey();
  const check = useCheck(brand, body);
  const connected = (accounts.data?.items ?? []) as unknown as Integration[];

  const latest = async (postId = post?.postId ?? "") =>
    (await whole(api.get("/api/posts/{postId}", { path: { postId } }))) as unknown as Post;
  const keep = (how: "mine" | "saved") => {
    if (!theirs) return;
    setPost(theirs);
    if (how === "saved") {
      setDraft(draftOf(theirs));
      writeDraft(name, undefined);
    }
    setTheirs(null);
  };

  /** Asks for approval of each item that does not wait for it yet. */
  const submit = async (postId: string) => {
    const { items } = (await api.get("/api/posts/{postId}", { path: { postId }, query: { include: "items" as never } })) as unknown as {
      items: readonly Item[];
    };
    for (const { contentId, approvalState } of items)
      if (approvalState === "not_submitted" || approvalState === "not_required")
        await api.post("/api/content-ops/items/{contentId}/submit", { path: { contentId }, body: {} });
  };

  const save = (how: "draft" | "schedule" | "next" | "now" | "submit") => {
    setMissing(chosen.length === 0);
    if (chosen.length === 0) targets.current?.querySelector("input")?.focus();
    else void run(() => send(how));
  };
  const send = async (how: "draft" | "schedule" | "next" | "now" | "submit") => {
    setFaults([]);
    const time =
      how === "schedule" || (how === "submit" && draft.scheduledFor)
        ? { scheduledFor: draft.scheduledFor }
        : how === "next"
          ? { slot: "next" }
          : how === "draft"
            ? timeOf(draft, post)
            : {};
    const sent = { ...body, ...time };
    /** What the user has typed since the click. */
    const typed = () =>
      ended.current ? [] : Object.entries(newest.current.draft).filter(([field, value]) => value !== draft[field as keyof Draft]);
    /** Stays with what the user has typed. The next save changes the stored post, and makes no second one. */
    const proceed = async (found: Post, rest: Partial<Draft> = {}) => {
      const stored = await latest(found.postId).catch(() => found);
      const next: Draft = { ...draftOf(stored), ...rest, ...Object.fromEntries(typed()) };
      writeDraft(name, undefined);
      if (typed().length > 0) writeDraft(`post:${stored.postId}`, keptOf(next, {}));
      setPost(stored);
      setDraft(next);
    };
    let made: Post | undefined;
    try {
      made = (post
        ? await api.put("/api/posts/{postId}", { path: { postId: post.postId }, body: sent as never, version: post.version })
        : await api.post("/api/posts", {
            query: { brandId: brand.brandId },
            body: { brandId: brand.brandId, ...sent } as never,
            idempotencyKey: key.of(JSON.stringify(sent)),
          })) as unknown as Post;
      if (how === "now") await api.post("/api/posts/{postId}/publish", { path: { postId: made.postId }, body: {} });
      if (how === "submit") await submit(made.postId);
      // Not awaited: without a network it does not end.
      void reload();
      const stays = typed().length > 0;
      if (stays) await proceed(made, how === "draft" ? { scheduledFor: draft.scheduledFor } : {});
      notices.tell({
        kind: "done",
        text: t(how === "draft" && draft.scheduledFor && !made.scheduledFor ? "saved.withoutTime" : `saved.${how}`),
      });
      if (stays) return;
      ended.current = true;
      writeDraft(name, undefined);
      navigate(`/posts/${made.postId}`, { force: true });
    } catch (error) {
      const problem = problemOf(error);
      if (post && !made && problem.status === 412) {
        setTheirs(await latest());
        return;
      }
      key.refused(problem);
      const why =
        problem.errors.length > 0 ? problem.errors.map((each) => nameOf(each.field) + (fault(each) || each.message)) : [sentence(error)];
      if (made) {
        await proceed(made, { scheduledFor: draft.scheduledFor });
        why.push(t("composer.isSaved"));
      }
      setFaults(why);
      throw error;
    }
  };
  const nameOf = (field: string) => {
    const label = labels[field];
    return label ? `${t(label)}: ` : "";
  };

  if (!accounts.data)
    return (
      <Loaded query={accounts} lines={10}>
        {() => null}
      </Loaded>
    );
  if (connected.length === 0)
    return (
      <Note>
        {t("composer.noAccounts")} <Link to="/accounts">{t("accounts.connect")}</Link>
      </Note>
    );
  if (theirs)
    return <Versions mine={draft} saved={draftOf(theirs)} busy={busy} onMine={() => keep("mine")} onSaved={() => keep("saved")} />;
  return (
    <div className={classes["composer"]}>
      <Unsaved when={dirty} onDiscard={() => writeDraft(name, undefined)} />
      <div className={classes["stack"]}>
        {faults.length > 0 && (
          <Note kind="bad" alert>
            {faults.map((each) => (
              <p key={each}>{each}</p>
            ))}
          </Note>
        )}
        <fieldset ref={targets} className={classes["targets"]} aria-describedby={missing && chosen.length === 0 ? "no-account" : undefined}>
          <legend>{t("composer.accounts")}</legend>
          {missing && chosen.length === 0 && (
            <p id="no-account" className={classes["fault"]} role="alert">
              {t("composer.noTargets")}
            </p>
          )}
          {connected.map((each) => (
            <label key={each.integrationId} className={page["check"]}>
              <input
                type="checkbox"
                checked={each.integrationId in draft.targets}
                disabled={each.connectionState !== "connected" && !(each.integrationId in draft.targets)}
                onChange={(event) =>
                  change({
                    targets: event.currentTarget.checked
                      ? { ...draft.targets, [each.integrationId]: "" }
                      : Object.fromEntries(Object.entries(draft.targets).filter(([id]) => id !== each.integrationId)),
                  })
                }
              />
              <span>
                {t(`platform.${each.platform}`)} · <bdi>{each.displayName || each.handle}</bdi>
                {each.connectionState !== "connected" && <small>{t(`connection.${each.connectionState}`)}</small>}
              </span>
            </label>
          ))}
        </fieldset>
        <label className={classes["label"]}>
          {t("composer.text")}
          <textarea rows={8} dir="auto" value={draft.text} onChange={(event) => change({ text: event.currentTarget.value })} />
        </label>
        {draft.thread.map((part, index) => (
          <label key={index} className={classes["label"]}>
            {t("composer.part", { number: index + 2 })}
            <textarea
              rows={4}
              dir="auto"
              value={part}
              onChange={(event) => change({ thread: draft.thread.map((each, of) => (of === index ? event.currentTarget.value : each)) })}
            />
            <Button
              className={classes["small"] ?? ""}
              variant="subtle"
              leftSection={<X size={16} aria-hidden />}
              onClick={() => change({ thread: draft.thread.filter((_, of) => of !== index) })}
            >
              {t("composer.removePart", { number: index + 2 })}
            </Button>
          </label>
        ))}
        <span>
          <Button
            variant="subtle"
            leftSection={<Plus size={16} aria-hidden />}
            disabled={draft.thread.length >= 10}
            onClick={() => change({ thread: [...draft.thread, ""] })}
          >
            {t("composer.addPart")}
          </Button>
        </span>
        <MediaPicker brand={brand} value={draft.mediaIds} onChange={(to) => change({ mediaIds: to(newest.current.draft.mediaIds) })} />
        <LinkField value={draft.linkUrl} onChange={(linkUrl) => change({ linkUrl })} />
        <details>
          <summary>{t("composer.more")}</summary>
          <div className={classes["stack"]}>
            <label className={classes["label"]}>
              {t("post.internalTitle")}
              <input value={draft.title} maxLength={200} onChange={(event) => change({ title: event.currentTarget.value })} />
              <small>{t("post.internalTitleHint")}</small>
            </label>
            <label className={classes["label"]}>
              {t("post.labels")}
              <input value={draft.labels} onChange={(event) => change({ labels: event.currentTarget.value })} />
              <small>{t("post.labelsHint")}</small>
            </label>
          </div>
        </details>
        <TimeField label={t("post.time")} brand={brand} value={draft.scheduledFor} onChange={(scheduledFor) => change({ scheduledFor })} />
        <div className={classes["actions"]}>
          <Button disabled={busy} onClick={() => save("draft")}>
            {t(post && post.status !== "draft" ? "composer.save" : "composer.saveDraft")}
          </Button>
          {brand.approvalPolicy.required ? (
            (!post || post.status === "draft") && (
              <Button disabled={busy} onClick={() => save("submit")}>
                {t("act.submit")}
              </Button>
            )
          ) : (
            <Button disabled={busy} onClick={() => (chosen.length === 0 ? save("now") : setSure(true))}>
              {t("act.publish_now")}
            </Button>
          )}
          {brand.slotPlan.length > 0 && (
            <Button disabled={busy} onClick={() => save("next")}>
              {t("composer.nextSlot")}
            </Button>
          )}
          <Button variant="filled" disabled={busy || !draft.scheduledFor} onClick={() => save("schedule")}>
            {t("act.schedule")}
          </Button>
        </div>
      </div>
      <Confirm
        open={sure}
        title={t("act.publish_now")}
        text={t("sure.publish_now")}
        act={t("act.publish_now")}
        danger={false}
        onClose={() => setSure(false)}
        onConfirm={() => (setSure(false), save("now"))}
      />
      <aside className={classes["previews"]} aria-label={t("composer.preview")}>
        {chosen.length === 0 ? (
          <p className={page["muted"]}>{t("composer.chooseAccounts")}</p>
        ) : (
          chosen.map((id, index) => (
            <Preview
              key={id}
              account={connected.find(({ integrationId }) => integrationId === id)}
              result={check?.targets[index]}
              text={draft.targets[id] || draft.text}
              pictures={<Pictures brand={brand} ids={draft.mediaIds} />}
              settings={draft.settings[id] ?? {}}
              onSettings={(settings) => change({ settings: { ...draft.settings, [id]: settings } })}
              own={draft.targets[id] ?? ""}
              onOwn={(text) => change({ targets: { ...draft.targets, [id]: text } })}
            />
          ))
        )}
      </aside>
    </div>
  );
}

/** The dry run of a body, a moment after the last change. */
function useCheck(brand: Brand, body: ReturnType<typeof bodyOf>): Check | undefined {
  const api = useSocial();
  const text = JSON.stringify(body);
  const [asked, setAsked] = useState(text);
  useEffect(() => {
    const timer = setTimeout(() => setAsked(text), pause);
    return () => clearTimeout(timer);
  }, [text]);
  const sent = JSON.parse(asked) as ReturnType<typeof bodyOf>;
  const { data } = useQuery({
    queryKey: ["/api/posts/dry-run", brand.brandId, asked],
    enabled: sent.targets.length > 0 && (sent.text.trim() !== "" || sent.mediaIds.length > 0),
    retry: false,
    staleTime: 60_000,
    placeholderData: (before: unknown) => before as never,
    queryFn: ({ signal }) =>
      whole(
        api.post("/api/posts", {
          query: { brandId: brand.brandId, dryRun: true } as never,
          body: { brandId: brand.brandId, ...sent } as never,
          signal,
        }),
      ),
  });
  return data as unknown as Check | undefined;
}

function Preview({
  account,
  result,
  text,
  pictures,
  settings,
  onSettings,
  own,
  onOwn,
}: {
  account: Integration | undefined;
  result: Check["targets"][number] | undefined;
  text: string;
  pictures: ReactNode;
  settings: NetworkSettings;
  onSettings: (settings: NetworkSettings) => void;
  own: string;
  onOwn: (text: string) => void;
}) {
  const { t, number } = useTexts();
  const [open, setOpen] = useState(own !== "");
  if (!account) return null;
  const over = result !== undefined && result.limit > 0 && result.length > result.limit;
  const parts = result?.preview?.parts ?? [{ text }];
  return (
    <Card
      title={`${t(`platform.${account.platform}`)} · ${account.displayName || account.handle}`}
      tools={
        result &&
        result.limit > 0 && (
          <Chip kind={over ? "bad" : "plain"}>{t("composer.count", { length: number(result.length), limit: number(result.limit) })}</Chip>
        )
      }
    >
      <div className={classes["stack"]}>
        {parts.map((each, at) => (
          <p key={at} className={classes["bubble"]} dir="auto">
            {each.text ? <Marked text={each.text} marks={each.marks ?? []} /> : t("composer.empty")}
          </p>
        ))}
        {pictures}
        {result?.preview?.cardUrl && <SentCard url={result.preview.cardUrl} />}
        {result?.errors.map(({ code, message }) => (
          <Note key={code + message} kind="bad">
            {message}
          </Note>
        ))}
        {result?.warnings.map(({ code, message }) => (
          <Note key={code + message} kind="warn">
            {message}
          </Note>
        ))}
        {hasSettings(account.platform) && <SettingsFields platform={account.platform} value={settings} onChange={onSettings} />}
        {open ? (
          <label className={classes["label"]}>
            {t("composer.ownText", { network: t(`platform.${account.platform}`) })}
            <textarea rows={4} dir="auto" value={own} onChange={(event) => onOwn(event.currentTarget.value)} />
          </label>
        ) : (
          <span>
            <Button variant="subtle" onClick={() => setOpen(true)}>
              {t("composer.customize")}
            </Button>
          </span>
        )}
      </div>
    </Card>
  );
}
