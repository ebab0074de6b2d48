import type { EventType } from "../service.ts";

/** Where people meet; a chat meeting needs a service that makes rooms. */
export const meetingKinds = [
  "none",
  "external_link",
  "phone",
  "in_person",
  "instructions",
  "chat_meeting",
] as const satisfies readonly EventType["meetingKind"][];
export const visibilities = ["public", "unlisted", "disabled"] as const satisfies readonly EventType["visibility"][];
export const questionTypes = ["text", "textarea", "select", "multi_select", "checkbox", "phone", "email", "number"] as const;
