import type { Auth } from "@portico/auth-client";
import type { Sender } from "./sender.ts";

/** An app that one may go to. */
export interface AppEntry {
  readonly serviceId: string;
  readonly name: string;
  readonly launchUrl: string;
}

const text = (value: unknown): string => (typeof value === "string" ? value : "");

/** The apps of the active context in the person's order, those without access left out. Empty where the server does not say. */
export async function loadApps(sender: Sender, auth: Auth): Promise<readonly AppEntry[]> {
  const context = auth.state.status === "signedIn" ? auth.state.context : "personal";
  const response = await sender.fetch(`/api/auth/services/app-switcher?context=${context}`);
  if (!response.ok) return [];
  const { items } = (await response.json()) as { items?: Record<string, unknown>[] };
  return (items ?? [])
    .filter((each) => each["launchable"] === true && each["accessible"] === true)
    .sort((a, b) => Number(a["order"]) - Number(b["order"]))
    .map((each) => ({ serviceId: text(each["service_id"]), name: text(each["name"]), launchUrl: text(each["launchUrl"]) }));
}
