import { useTexts } from "@portico/app-shell";
import { TextInput } from "@mantine/core";
import { linkOf } from "../service.ts";
import type { useHandle } from "./handle.ts";
import page from "@portico/ui/page.module.css";
import classes from "../page.module.css";

/** A handle as it is typed, whether it can be had, and free ones near it; `own` is one's own already. */
export function HandleField({
  handle,
  own = "",
  answer,
  first = false,
  onChange,
}: {
  handle: string;
  own?: string;
  answer: ReturnType<typeof useHandle>;
  first?: boolean;
  onChange: (handle: string) => void;
}) {
  const { t } = useTexts();
  const { state, suggestions } = answer;
  return (
    <div>
      <TextInput
        label={t("host.handle")}
        description={t("host.handleHint", { link: linkOf(handle || "…") })}
        value={handle}
        maxLength={40}
        autoComplete="off"
        autoCapitalize="none"
        spellCheck={false}
        error={state === "taken" || state === "wrong"}
        {...(first && { "data-autofocus": true })}
        onChange={({ currentTarget: { value } }) => onChange(value.toLowerCase().replace(/[^a-z0-9-]+/g, "-"))}
      />
      <p className={classes["said"]} role="status" data-kind={state === "free" ? "good" : state === "asking" ? undefined : "bad"}>
        {handle !== own && t(`handle.${state}`)}
      </p>
      {suggestions.length > 0 && (
        <p className={page["row"]}>
          <span className={page["more"]}>{t("handle.near")}</span>
          {suggestions.map((each) => (
            <button key={each} type="button" className={classes["link"]} onClick={() => onChange(each)}>
              {each}
            </button>
          ))}
        </p>
      )}
    </div>
  );
}
