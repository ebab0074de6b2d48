/** What one network does with a post, beside its text: a target's `overrides.settings`. Members of other clients are kept. */
export interface NetworkSettings {
  readonly visibility?: string;
  readonly contentWarning?: string;
  readonly sensitive?: boolean;
  readonly languages?: readonly string[];
  readonly labels?: readonly string[];
}

export const visibilities = ["public", "unlisted", "private", "direct"] as const;
export const selfLabels = ["sexual", "nudity", "porn", "graphic-media"] as const;

/** Returns the settings without what is empty; null: nothing is set. */
export function withoutBlanks(settings: NetworkSettings): NetworkSettings | null {
  const kept = Object.entries(settings).filter(([, value]) => (Array.isArray(value) ? value.length > 0 : Boolean(value)));
  return kept.length > 0 ? Object.fromEntries(kept) : null;
}

export const languagesOf = (text: string): readonly string[] =>
  text
    .split(",")
    .map((each) => each.trim())
    .filter(Boolean);

/** Networks with settings of their own. */
export const hasSettings = (platform: string): boolean => platform === "mastodon" || platform === "bluesky";
