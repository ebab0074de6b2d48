import type { Pick } from "./form/RecordName.tsx";
import type { FieldKind } from "./form/schema.ts";
import type { Filter, Option } from "./list/useList.ts";
import type { Versioned } from "./record/useRecord.ts";

/**
 * How a field of a resource is typed; what is absent follows from the schema.
 *
 * @example
 * const field: ResourceField = { multiline: true };
 * console.log(field.multiline);
 */
export interface ResourceField {
  /** Several lines of text. */
  readonly multiline?: boolean;
  /** Input of the field. */
  readonly kind?: FieldKind;
  /** Values to choose from; their labels are keys of the app's catalog (default: those of the schema). */
  readonly options?: readonly Option[];
  /** ISO 4217 code of an amount in minor units, which makes the field one of money. */
  readonly currency?: string;
  /** Records that the field refers to by id, which makes it a picker of records. */
  readonly pick?: Pick;
}

/**
 * A button of a record that does something other than changing its fields.
 *
 * @example
 * const archive: ResourceAction = { label: "notes.archive", path: "archive", can: "notes:write", when: (row) => row["archived"] === false };
 * console.log(archive.path);
 */
export interface ResourceAction {
  /** Key of the button's text in the app's catalog. */
  readonly label: string;
  /** Route below the record: `archive` sends to `/api/notes/{id}/archive`; an empty one sends to the record. */
  readonly path: string;
  /** Method of the request (default: POST). */
  readonly method?: "POST" | "PUT" | "PATCH" | "DELETE";
  /** Body of the request (default: none). */
  readonly body?: (row: Row) => unknown;
  /** Permission, without the service's name; without it everybody has the button. */
  readonly can?: string;
  /** Whether a record has the button (default: yes). */
  readonly when?: (row: Row) => boolean;
  /** Key of a question that is asked first (default: nothing is asked). */
  readonly confirm?: string;
}

/** The text of a choice of a member. */
export type ChoiceName = (member: string, value: string) => string;

/** A row of any resource. */
export interface Row extends Versioned {
  readonly [member: string]: unknown;
}

/** `ResourceOptions` of any resource. */
export interface Plain {
  readonly title: string;
  readonly columns: readonly string[];
  readonly form: Readonly<Record<string, ResourceField>>;
  readonly filters?: readonly Filter[];
  readonly sorts?: readonly string[];
  readonly search?: boolean;
  readonly method?: "PATCH" | "PUT";
  readonly actions?: readonly ResourceAction[];
  readonly can?: { readonly create?: string; readonly change?: string; readonly delete?: string };
}
