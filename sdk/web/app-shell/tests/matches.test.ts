import { expect, test } from "vitest";
import type { Command } from "../src/commands.ts";
import { matches } from "../src/matches.ts";

const named: readonly Omit<Command, "id" | "run">[] = [
  { label: "Remember a place", group: "Here" },
  { label: "Sign in", words: "members" },
  { label: "Show members" },
  { label: "Roles of people" },
  { label: "Members and roles", words: "people" },
  { label: "Member keys", keyOnly: true },
];
const all = named.map((each) => ({ ...each, id: each.label, run: () => undefined }));

test.each([
  ["mem", ["Members and roles", "Show members", "Remember a place", "Sign in"]],
  ["PEOPLE", ["Roles of people", "Members and roles"]],
  ["roles mem", ["Members and roles"]],
  ["members  and", ["Members and roles"]],
  ["here", ["Remember a place"]],
  ["nothing", []],
  [" ", ["Remember a place", "Sign in", "Show members", "Roles of people", "Members and roles"]],
])("%s", (text, labels) => expect(matches(all, text).map(({ label }) => label)).toEqual(labels));
