import type { ImportReport } from "../service.ts";

const peekBytes = 128 * 1024;

/** The first rows of a file in the columns that the service found, for looking at: header first. Empty for other files and what cannot be read. */
export async function firstRows(
  file: File,
  { format, encoding, delimiter }: Pick<ImportReport, "format" | "encoding" | "delimiter">,
  most = 6,
): Promise<string[][]> {
  if (format !== "csv") return [];
  try {
    const bytes = await file.slice(0, peekBytes).arrayBuffer();
    const text = (
      encoding === "auto"
        ? guessed(bytes)
        : new TextDecoder(encoding === "utf-16" ? utf16(bytes) : encoding).decode(bytes, { stream: true })
    ).replace(/^sep=.\r?\n/, "");
    return rowsOf(text, delimiter === "tab" ? "\t" : delimiter === null || delimiter === "auto" ? between(text) : delimiter, most);
  } catch {
    return [];
  }
}

function guessed(bytes: ArrayBuffer): string {
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes, { stream: true });
  } catch {
    return new TextDecoder("windows-1252").decode(bytes);
  }
}

/** What stands most often between the cells of the first line. */
const between = (text: string): string => {
  const [line = ""] = text.split(/[\r\n]/, 1);
  return [",", ";", "\t", "|"].reduce((best, each) => (line.split(each).length > line.split(best).length ? each : best));
};

const utf16 = (bytes: ArrayBuffer): string => (new Uint8Array(bytes)[0] === 0xfe ? "utf-16be" : "utf-16le");

/** Cells of rows in RFC 4180's form. */
export function rowsOf(text: string, delimiter: string, most: number): string[][] {
  const rows: string[][] = [];
  let [row, cell, quoted]: [string[], string, boolean] = [[], "", false];
  const endRow = () => {
    row.push(cell);
    if (row.some((each) => each !== "")) rows.push(row);
    [row, cell] = [[], ""];
  };
  for (let at = 0; at < text.length && rows.length < most; ++at) {
    const sign = text[at] as string;
    if (quoted) {
      if (sign !== '"') cell += sign;
      else if (text[at + 1] === '"') cell += text[++at];
      else quoted = false;
    } else if (sign === '"' && cell === "") quoted = true;
    else if (sign === delimiter) {
      row.push(cell);
      cell = "";
    } else if (sign === "\n" || sign === "\r") {
      if (sign === "\r" && text[at + 1] === "\n") ++at;
      endRow();
    } else cell += sign;
  }
  if (rows.length < most && (cell || row.length)) endRow();
  return rows;
}
