// Reads a file from standard input with other people's parsers, as strictly as they can, and writes what they found as JSON.
//   node read.mjs csv|vcard
import { readFileSync } from "node:fs";
import { parse as parseCsv } from "csv-parse/sync";
import { parse as parseVcard } from "vcard4";

const text = readFileSync(0, "utf8");

// One card at a time: a card that the parser refuses is given as its message, and does not hide the others.
function readCard(card) {
  try {
    return parseVcard(card).parsedVcard;
  } catch (error) {
    return String(error);
  }
}

const read = {
  csv: () => parseCsv(text, { bom: true, record_delimiter: "\r\n" }),
  vcard: () => text.split(/(?<=\r\nEND:VCARD\r\n)/).map(readCard),
};
process.stdout.write(JSON.stringify(read[process.argv[2]]()));
