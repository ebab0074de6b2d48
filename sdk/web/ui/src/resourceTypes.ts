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
  /** Values to choose from. */
  readonly options?: readonly Option[];
}

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
  readonly can?: { readonly create?: string; readonly change?: string; readonly delete?: string };
}
