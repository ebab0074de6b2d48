import type en from "./en.ts";

const texts: Partial<Record<keyof typeof en, string>> = {
  "dashboard.title": "Übersicht",
};
export default texts;
