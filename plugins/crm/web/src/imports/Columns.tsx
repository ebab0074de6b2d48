import { useTexts } from "@portico/app-shell";
import { Text } from "@portico/ui";
import { useId } from "react";
import { useCustomFields, type ImportReport } from "../service.ts";
import { Fault, faulty } from "../parts.tsx";
import { choices, targets, type Options } from "./options.ts";
import classes from "./imports.module.css";
import page from "@portico/ui/page.module.css";

/** What is refused of what was said, by the option: `tags`, `mapping.E-mail`. */
export type Faults = Readonly<Record<string, string>>;
type Rows = readonly (readonly string[])[];
const shownValues = 3;

/** One thing that is said of a file. */
export function Choice({ name, value, onChange }: { name: keyof typeof choices; value: string; onChange: (value: string) => void }) {
  const { t } = useTexts();
  return (
    <label>
      {t(`imports.${name}`)}
      <select value={value} onChange={(event) => onChange(event.currentTarget.value)}>
        {choices[name].map((each) => (
          <option key={each} value={each}>
            {t(`imports.${name}.${each}`)}
          </option>
        ))}
      </select>
    </label>
  );
}

/** The first rows of a file, as they are read. */
export function FirstRows({ rows, hasHeader }: { rows: Rows; hasHeader: boolean }) {
  const { t } = useTexts();
  if (rows.length === 0) return null;
  const cells = (row: readonly string[], Cell: "th" | "td") =>
    row.map((cell, at) => (
      <Cell key={at} {...(Cell === "th" && { scope: "col" })}>
        <Text>{cell}</Text>
      </Cell>
    ));
  return (
    <div className={classes["scroll"]} tabIndex={0} role="group" aria-label={t("imports.firstRows")}>
      <table className={classes["table"]}>
        <caption className={page["muted"]}>{t("imports.firstRows")}</caption>
        {hasHeader && rows[0] && (
          <thead>
            <tr>{cells(rows[0], "th")}</tr>
          </thead>
        )}
        <tbody>
          {rows.slice(hasHeader ? 1 : 0).map((row, line) => (
            <tr key={line}>{cells(row, "td")}</tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

/** Each column with some of its values, and where it goes. What only some files need (order of dates, country of phones) is asked where it matters. */
export function Columns({
  report,
  rows,
  options,
  working,
  faults,
  onChange,
}: {
  report: ImportReport;
  rows: Rows;
  options: Options;
  working: boolean;
  faults: Faults;
  onChange: (by: Options) => void;
}) {
  const { t } = useTexts();
  const id = useId();
  const fields = useCustomFields() ?? [];
  const ambiguous = options.dateFormat !== undefined || (report.errors?.some(({ code }) => code === "ambiguous_date") ?? false);
  const phones = report.columns.some(({ mappedTo }) => mappedTo?.startsWith("phones"));
  // As it is said, also while the service has not looked again.
  const columns = report.columns.map(({ name, mappedTo }) => ({
    name,
    mappedTo: options.mapping && name in options.mapping ? options.mapping[name] : mappedTo,
  }));
  const map = (name: string, to: string) =>
    onChange({ mapping: { ...Object.fromEntries(columns.map((each) => [each.name, each.mappedTo ?? null])), [name]: to || null } });
  // What is none is refused by the service.
  const setCountry = (typed: string) => {
    const country = typed.trim().toUpperCase();
    if (country !== (options.defaultCountry ?? "")) onChange({ defaultCountry: country || undefined });
  };
  return (
    <>
      <div className={classes["scroll"]}>
        <table className={`${classes["table"]} ${classes["stack"]}`} aria-busy={working}>
          <thead>
            <tr>
              {["column", "values", "goesTo"].map((each) => (
                <th key={each} scope="col">
                  {t(`imports.${each}`)}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {columns.map(({ name, mappedTo }, at) => (
              <tr key={`${at} ${name}`}>
                <th scope="row">
                  <Text>{name}</Text>
                </th>
                <td className={classes["examples"]}>
                  <Text lines={2}>
                    {rows
                      .slice(options.hasHeader === false ? 0 : 1)
                      .map((row) => row[at] ?? "")
                      .filter(Boolean)
                      .slice(0, shownValues)
                      .join(" · ")}
                  </Text>
                </td>
                <td>
                  <select
                    aria-label={t("imports.goesToWhat", { column: name })}
                    {...faulty(`${id}-${at}`, faults[`mapping.${name}`])}
                    value={mappedTo ?? ""}
                    onChange={(event) => map(name, event.currentTarget.value)}
                  >
                    <option value="">{t("imports.nowhere")}</option>
                    {targets.map((each) => (
                      <option key={each} value={each}>
                        {t(`target.${each}`)}
                      </option>
                    ))}
                    {fields.map(({ key, label }) => (
                      <option key={key} value={`customFields.${key}`}>
                        {label}
                      </option>
                    ))}
                    {mappedTo &&
                      !targets.some((each) => each === mappedTo) &&
                      !fields.some(({ key }) => mappedTo === `customFields.${key}`) && <option value={mappedTo}>{mappedTo}</option>}
                  </select>
                  <Fault id={`${id}-${at}`} text={faults[`mapping.${name}`]} />
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      {(ambiguous || phones) && (
        <div className={classes["fields"]}>
          {ambiguous && (
            <Choice name="dateFormat" value={options.dateFormat ?? "auto"} onChange={(dateFormat) => onChange({ dateFormat })} />
          )}
          {phones && (
            <div>
              <label>
                {t("imports.defaultCountry")}
                <input
                  {...faulty(`${id}-country`, faults["defaultCountry"])}
                  defaultValue={options.defaultCountry ?? ""}
                  maxLength={2}
                  placeholder={t("imports.countryExample")}
                  onBlur={(event) => setCountry(event.currentTarget.value)}
                />
              </label>
              <Fault
                id={`${id}-country`}
                text={faults["defaultCountry"] && t("imports.notCountry", { example: t("imports.countryExample") })}
              />
            </div>
          )}
        </div>
      )}
    </>
  );
}
