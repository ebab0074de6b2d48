import type en from "./en.ts";

const texts: Record<keyof typeof en, string> = {
  "people.title": "Menschen",
  "people.name": "Vorname",
  "people.note": "Notiz",
  "people.create": "Anlegen",
  "people.count": "{count, plural, one {# Mensch} other {# Menschen}}",
  "broken.title": "Kaputt",
  "broken.break": "Kaputt machen",
  "broken.prove": "Beweisen",
  "broken.proven": "Bewiesen",
  "broken.rest": "Der Rest",
};
export default texts;
