import type en from "./en.ts";

const texts: Record<keyof typeof en, string> = {
  "shell.loading": "Wird geladen …",
  "shell.slow": "Das dauert länger, als es sollte.",
  "shell.unreachable": "Der Server ist nicht zu erreichen.",
  "shell.tryAgain": "Noch einmal",
  "error.panel": "Dieser Teil hat nicht funktioniert",
  "error.panelText": "Der Rest der Seite geht weiter. Wenn es wieder geschieht, melden Sie es im Kontomenü.",
  "error.chunk": "Ein Teil der App konnte nicht geladen werden",
  "error.chunkText": "Vielleicht ist die Verbindung unterbrochen.",
  "error.newBuild": "Eine neue Fassung ist da",
  "error.newBuildText": "Laden Sie sie, um weiterzumachen.",
  "error.load": "Laden",
  "login.title": "Anmelden",
  "login.identifier": "E-Mail",
  "login.password": "Passwort",
};
export default texts;
