// Writes the variables and breakpoint classes of Mantine, with our theme, as a file: theme.mjs OUT. Mantine's provider would write them into the page as
// a style element, which the policy of our pages refuses. What the tokens say wins, so both themes and all pages keep one set of colours.
import { readFileSync, writeFileSync } from "node:fs";
import { convertCssVariables, DEFAULT_THEME, defaultCssVariablesResolver, mergeMantineTheme } from "@mantine/core";

const theme = mergeMantineTheme(DEFAULT_THEME, JSON.parse(readFileSync(new URL("../tokens/mantine.json", import.meta.url), "utf8")));
const { variables, light, dark } = defaultCssVariablesResolver(theme);

const tokens = {
  "body": "background", "text": "text", "bright": "text", "dimmed": "text-muted", "placeholder": "text-muted", "error": "danger", "success": "success", "anchor": "accent",
  "default": "surface", "default-hover": "surface-sunken", "default-color": "text", "default-border": "border-control", "disabled": "surface-sunken",
  "disabled-color": "text-muted", "disabled-border": "border", "accent-filled": "accent", "accent-filled-hover": "accent-strong", "accent-text": "accent",
  "accent-light-color": "accent-strong", "accent-outline": "accent", "red-text": "danger", "green-text": "success",
};
const mapped = Object.fromEntries(Object.entries(tokens).map(([name, token]) => [`--mantine-color-${name}`, `var(--portico-${token})`]));
mapped["--mantine-primary-color-contrast"] = "var(--portico-on-accent)";

/** Families that no page of ours uses. */
const unused = /--mantine-color-(pink|grape|violet|cyan|lime|indigo|dark|orange)-(text|filled|light|outline|[0-9])/;
const kept = (values) => Object.fromEntries(Object.entries({ ...values, ...mapped }).filter(([name]) => !unused.test(name) || /-dark-[0-9]$/.test(name)));
const own = Object.fromEntries(Object.entries(variables).filter(([name]) => !(name in mapped) && !(unused.test(name) && !/-dark-[0-9]$/.test(name))));

const scheme = (name) => `:root[data-mantine-color-scheme="${name}"]`;
const classes = Object.entries(theme.breakpoints).map(
  ([name, width]) =>
    `@media (max-width: ${Number.parseFloat(width) - 0.01}em) {.mantine-visible-from-${name} {display: none !important;}}` +
    `@media (min-width: ${Number.parseFloat(width)}em) {.mantine-hidden-from-${name} {display: none !important;}}`,
);
const css = [convertCssVariables({ variables: own, light: {}, dark: {} }, ":root"), `${scheme("light")}{${lines(kept(light))}}`, `${scheme("dark")}{${lines(kept(dark))}}`, ...classes];
writeFileSync(process.argv[2], css.join("\n"));

function lines(values) {
  return Object.entries(values).map(([name, value]) => `${name}:${value};`).join("");
}
