import { Link, useTexts } from "@portico/app-shell";
import { Card, Text } from "@portico/ui";
import { primaryOf, type ImportReport } from "../service.ts";
import classes from "./imports.module.css";
import page from "@portico/ui/page.module.css";

/** How an import ended, in words; a dry run is none. */
export const statusOf = (report: ImportReport, t: (key: string) => string): string =>
  t(report.dryRun ? "imports.status.dryRun" : `imports.status.${report.undoneAt ? "undone" : report.status}`);

/** What became of the rows, or would, in the order in which it is told. */
export const totalsOf = ({ totals: { rows, created, updated, skipped, failed } }: ImportReport) => ({
  rows,
  created,
  updated,
  skipped,
  failed,
});

/** The first rows of a dry run, each with what becomes of it and the contact that is there already. */
export function Sample({ report }: { report: ImportReport }) {
  const { t, number } = useTexts();
  if (!report.sample?.length) return null;
  const title = t("imports.sampleRows");
  return (
    <Card title={title}>
      <div className={classes["scroll"]} tabIndex={0} role="group" aria-label={title}>
        <table className={classes["table"]}>
          <thead>
            <tr>
              {["imports.error.row", "imports.fate", "contact.one", "contact.email", "imports.match"].map((each) => (
                <th key={each} scope="col">
                  {t(each)}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {report.sample.map(({ row, fate, contact, match }) => (
              <tr key={row}>
                <td>{number(row)}</td>
                <td>{t(`imports.totals.${fate}`)}</td>
                <td>
                  <Text lines={2}>{contact.displayName || contact.companyName}</Text>
                </td>
                <td>
                  <Text lines={2}>{primaryOf(contact.emails ?? [])?.address ?? ""}</Text>
                </td>
                <td>
                  {match?.contactId ? (
                    <Link to={`/contacts/${match.contactId}`}>
                      <Text lines={2}>{match.displayName ?? match.contactId}</Text>
                    </Link>
                  ) : (
                    match?.row && t("imports.matchRow", { row: match.row })
                  )}
                  {match?.matchedOn && <span className={page["muted"]}>{t(`match.${match.matchedOn}`)}</span>}
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </Card>
  );
}

/** Each row that was left out: where it is, what was found, and what to do. */
export function Errors({ report }: { report: ImportReport }) {
  const texts = useTexts();
  const { t, number } = texts;
  if (!report.errors?.length) return null;
  const title = t("imports.errors", { count: report.errorCount });
  return (
    <Card title={title}>
      <div className={classes["scroll"]} tabIndex={0} role="group" aria-label={title}>
        <table className={`${classes["table"]} ${classes["stack"]}`}>
          <thead>
            <tr>
              {["row", "column", "found", "remedy"].map((each) => (
                <th key={each} scope="col">
                  {t(`imports.error.${each}`)}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {report.errors.map((each, at) => (
              <tr key={at}>
                <td>{number(each.row)}</td>
                <td>
                  <Text lines={2}>{each.column || each.field}</Text>
                </td>
                <td>
                  <Text lines={2}>{each.value}</Text>
                </td>
                <td className={classes["remedy"]}>
                  {texts.has(`imports.code.${each.code}`)
                    ? t(`imports.code.${each.code}`, { text: each.message.replace(/\.$/, "") })
                    : each.message}
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      {report.errorCount > report.errors.length && (
        <p className={page["muted"]}>{t("imports.moreErrors", { count: report.errorCount - report.errors.length })}</p>
      )}
    </Card>
  );
}
