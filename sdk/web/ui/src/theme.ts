import { createTheme, type MantineColorSchemeManager, type VariantColorsResolver } from "@mantine/core";

/** Colours of a variant, in tokens: the same words in both themes, so nothing is computed in the page. */
const variantColorResolver: VariantColorsResolver = ({ color, variant }) => {
  const danger = color === "red" || color === "danger";
  const ink = danger ? "var(--portico-danger)" : color === "gray" ? "var(--portico-text)" : "var(--portico-accent)";
  const none = "1px solid transparent";
  switch (variant) {
    case "filled":
      return danger
        ? { background: "var(--portico-danger)", hover: "var(--portico-danger)", color: "var(--portico-surface)", border: none }
        : { background: "var(--portico-accent)", hover: "var(--portico-accent-strong)", color: "var(--portico-on-accent)", border: none };
    case "light":
      return {
        background: danger ? "var(--portico-danger-surface)" : "var(--portico-selected)",
        hover: "var(--portico-hover)",
        color: ink,
        border: none,
      };
    case "subtle":
    case "transparent":
      return { background: "transparent", hover: "var(--portico-hover)", color: ink, border: none };
    default:
      return {
        background: "var(--portico-surface)",
        hover: "var(--portico-hover)",
        color: danger ? ink : "var(--portico-text)",
        border: "1px solid var(--portico-border-control)",
      };
  }
};

const still = { transitionProps: { duration: 0 } };

/** The theme of all pages: Mantine's parts in the tokens' colours, without what writes `<style>` elements. */
export const theme = createTheme({
  variantColorResolver,
  cursorType: "pointer",
  respectReducedMotion: true,
  fontFamily: "var(--portico-font)",
  components: {
    Button: { defaultProps: { size: "sm", variant: "default" } },
    ActionIcon: { defaultProps: { size: "md", variant: "subtle", color: "gray" } },
    Popover: { defaultProps: { ...still, shadow: "md", withinPortal: true } },
    Combobox: { defaultProps: { ...still, shadow: "md" } },
    // Opened by what somebody does with it, not by passing with Tab: an opened list scrolls the page to where it is.
    Select: { defaultProps: { openOnFocus: false, withScrollArea: false, comboboxProps: { ...still, shadow: "md" } } },
    TagsInput: { defaultProps: { openOnFocus: false, withScrollArea: false, comboboxProps: { ...still, shadow: "md" } } },
  },
});

/** Themes follow the tokens (`data-theme` on the root), so Mantine keeps nothing and reads no storage. */
export const noSchemeManager: MantineColorSchemeManager = {
  get: () => "light",
  set: () => undefined,
  subscribe: () => undefined,
  unsubscribe: () => undefined,
  clear: () => undefined,
};
