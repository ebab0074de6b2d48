import { useTexts } from "@portico/app-shell";
import type { Brand } from "./service.ts";
import { instantOf, localOf } from "./zone.ts";
import classes from "./page.module.css";

/** Date and time in the brand's zone, as an instant; "" without a time. */
export function TimeField({
  label,
  brand,
  value,
  onChange,
  error,
}: {
  label: string;
  brand: Brand;
  value: string;
  onChange: (at: string) => void;
  error?: string | undefined;
}) {
  const { t } = useTexts();
  return (
    <label className={classes["label"]}>
      {label}
      <input
        type="datetime-local"
        value={value ? localOf(value, brand.timeZone) : ""}
        min={localOf(Date.now(), brand.timeZone)}
        max="9999-12-31T23:59"
        aria-invalid={error ? true : undefined}
        onChange={(event) => onChange(event.currentTarget.value ? instantOf(event.currentTarget.value, brand.timeZone) : "")}
      />
      <small>{error ?? t("post.zone", { zone: brand.timeZone.replaceAll("_", " ") })}</small>
    </label>
  );
}
