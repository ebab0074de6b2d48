import type { Post } from "../service.ts";
import { withoutBlanks, type NetworkSettings } from "./settings.ts";

/** What a user types of a post. */
export interface Draft {
  readonly title: string;
  readonly text: string;
  readonly thread: readonly string[];
  readonly linkUrl: string;
  readonly labels: string;
  readonly scheduledFor: string;
  readonly mediaIds: readonly string[];
  /** Accounts, each with its own text; "" uses the text of the post. */
  readonly targets: Readonly<Record<string, string>>;
  /** Settings of accounts. */
  readonly settings: Readonly<Record<string, NetworkSettings>>;
}

export const emptyDraft: Draft = {
  title: "",
  text: "",
  thread: [],
  linkUrl: "",
  labels: "",
  scheduledFor: "",
  mediaIds: [],
  targets: {},
  settings: {},
};

const settingsOf = (target: Post["targets"][number] | undefined) =>
  (target?.overrides?.settings ?? undefined) as NetworkSettings | undefined;

export const draftOf = (post: Post): Draft => ({
  title: post.title,
  text: post.text,
  thread: post.thread.map(({ text }) => text),
  linkUrl: post.linkUrl,
  labels: post.labels.join(", "),
  scheduledFor: post.scheduledFor ?? "",
  mediaIds: post.mediaIds,
  targets: Object.fromEntries(post.targets.map(({ integrationId, overrides }) => [integrationId, overrides?.text ?? ""])),
  settings: Object.fromEntries(post.targets.map((target) => [target.integrationId, settingsOf(target) ?? {}])),
});

/** What the composer begins with: the post, or what the address asks for; with what the user typed before a reload of the same address. */
export function startOf(initial: Draft, asked: Partial<Draft>, kept: Record<string, unknown> | undefined): Draft {
  const { asked: before, ...typed } = kept ?? {};
  return { ...initial, ...typed, ...(JSON.stringify(before) !== JSON.stringify(asked) && asked) };
}

/** What a draft is kept as; see `startOf`. */
export const keptOf = (draft: Draft, asked: Partial<Draft>): Record<string, unknown> => ({ ...draft, asked });

/** The time that a save sends. A draft has none: only a post with a time takes another one, or loses it. */
export function timeOf(draft: Draft, post: Post | undefined): { scheduledFor?: string | null } {
  if (!post?.scheduledFor || Date.parse(draft.scheduledFor) === Date.parse(post.scheduledFor)) return {};
  return { scheduledFor: draft.scheduledFor || null };
}

/** The body of a request. Targets that the post has keep their ids, so that their items and metadata stay. */
export function bodyOf(draft: Draft, post: Post | undefined) {
  const known = new Map(post?.targets.map((each) => [each.integrationId, each]));
  return {
    title: draft.title.trim(),
    text: draft.text,
    thread: draft.thread.filter((text) => text.trim()).map((text) => ({ text })),
    linkUrl: draft.linkUrl.trim(),
    labels: draft.labels
      .split(",")
      .map((each) => each.trim())
      .filter(Boolean),
    mediaIds: [...draft.mediaIds],
    targets: Object.entries(draft.targets).map(([integrationId, text]) => {
      const before = known.get(integrationId);
      const settings = withoutBlanks(draft.settings[integrationId] ?? {});
      const overrides = {
        ...((text || before?.overrides?.text) && { text: text || null }),
        ...((settings || settingsOf(before)) && { settings }),
      };
      return {
        integrationId,
        ...(before?.targetId && { targetId: before.targetId }),
        ...(Object.keys(overrides).length > 0 && { overrides }),
      };
    }),
  };
}
