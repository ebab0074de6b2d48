import type { ImportReport } from "../service.ts";

/** Where the columns of a file go; null: nowhere. */
export type Mapping = Readonly<Record<string, string | null>>;

/** What is said of a file; what is not said the service finds out. */
export interface Options {
  readonly format?: string | undefined;
  readonly preset?: string | undefined;
  readonly encoding?: string | undefined;
  readonly delimiter?: string | undefined;
  readonly hasHeader?: boolean | undefined;
  readonly dateFormat?: string | undefined;
  readonly defaultCountry?: string | undefined;
  readonly onDuplicate?: string | undefined;
  readonly mapping?: Mapping | undefined;
  readonly tags?: readonly string[] | undefined;
  readonly ownerUserId?: string | undefined;
  readonly pipelineId?: string | undefined;
  readonly stageId?: string | undefined;
}

/** What was said of a file in a dry run of it; what was left to the service is left to it again. */
export const optionsOf = ({ options }: ImportReport): Options =>
  Object.fromEntries(
    Object.entries(options ?? {}).filter(
      ([name, value]) =>
        name !== "dryRun" &&
        value !== "auto" &&
        value !== "" &&
        value !== null &&
        (typeof value !== "object" || Object.keys(value).length > 0),
    ),
  );

/** A file as a report, before the service can read it: where its columns go is to be said first. `first`: its first row. */
export const withoutNames = (fileName: string, { hasHeader, encoding, delimiter }: Options, first: readonly string[]): ImportReport =>
  ({
    importId: "",
    status: "completed",
    dryRun: true,
    fileName,
    format: "csv",
    encoding: encoding ?? "auto",
    delimiter: delimiter ?? "auto",
    columns: first.map((name, at) => ({ name: hasHeader === false ? String(at + 1) : name, mappedTo: null })),
    totals: { rows: 0, created: 0, updated: 0, skipped: 0, failed: 0 },
    errors: [],
  }) as unknown as ImportReport;

export const choices = {
  format: ["auto", "csv", "vcard", "json", "ndjson"],
  preset: ["auto", "google", "google_legacy", "outlook", "hubspot", "generic"],
  encoding: ["auto", "utf-8", "utf-16", "windows-1252"],
  delimiter: ["auto", ",", ";", "tab", "|"],
  dateFormat: ["auto", "iso", "dmy", "mdy"],
  onDuplicate: ["skip", "update", "merge", "create"],
} as const;

/** Fields that a column can go to, beside the workspace's own. */
export const targets = [
  "displayName",
  "firstName",
  "middleName",
  "lastName",
  "prefix",
  "suffix",
  "nickname",
  "companyName",
  "jobTitle",
  "department",
  "emails[0].address",
  "emails[1].address",
  "emails[2].address",
  "phones[0].number",
  "phones[1].number",
  "phones[2].number",
  "addresses[0].street",
  "addresses[0].street2",
  "addresses[0].postalCode",
  "addresses[0].city",
  "addresses[0].region",
  "addresses[0].country",
  "phones[0].callingCode",
  "websites[0]",
  "birthday",
  "birthday.year",
  "birthday.month",
  "birthday.day",
  "tags",
  "notes",
  "lifecycle",
  "ownerEmail",
  "sourceDetail",
] as const;

/** Where the wizard begins with the sample. */
export const samplePath = "/imports/new?sample=true";

/** Something to try and take back, with one row that is left out. */
export const sample =
  "First name,Last name,E-mail,Phone,Company,Tags\r\nMary,Somerville,mary.somerville@example.com,+44 20 7946 0001,Celestial Mechanics,sample\r\n" +
  "Emmy,Noether,emmy.noether@example.com,,Invariants GmbH,sample\r\nLise,Meitner,lise.meitner(at)example.com,,Fission Works,sample\r\n";
