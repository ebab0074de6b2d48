import { useTexts } from "@portico/app-shell";
import { Select, type OptionsFilter } from "@mantine/core";
import { useEffect, useState } from "react";

/** Whether the window is as a media query says, now and when it changes. */
export function useMedia(query: string): boolean {
  const [fits, setFits] = useState(() => matchMedia(query).matches);
  useEffect(() => {
    const media = matchMedia(query);
    const look = () => setFits(media.matches);
    look();
    media.addEventListener("change", look);
    return () => media.removeEventListener("change", look);
  }, [query]);
  return fits;
}

/** Every zone that the browser knows, by its name. */
export const zones = (...more: readonly string[]): { value: string; label: string }[] =>
  [...new Set(["UTC", ...Intl.supportedValuesOf("timeZone"), ...more])].map((value) => ({ value, label: value.replaceAll("_", " ") }));

const plain = (text: string): string => text.toLowerCase().replaceAll("_", " ").trim();
/** Finds `New York`, `new_york` and `America/New_York`. */
const finds: OptionsFilter = ({ options, search }) =>
  options.filter((each) => "label" in each && plain(each.label).includes(plain(search)));

/** One zone of all; `placeholder`: there may be none. */
export function ZoneSelect({
  label,
  bare = false,
  placeholder,
  value,
  className,
  onChange,
}: {
  label: string;
  bare?: boolean;
  placeholder?: string;
  value: string;
  className?: string | undefined;
  onChange: (zone: string) => void;
}) {
  const { t } = useTexts();
  const optional = placeholder !== undefined;
  return (
    <Select
      {...(bare ? { "aria-label": label } : { label })}
      {...(optional && { placeholder })}
      className={className ?? ""}
      data={zones(...(value ? [value] : []))}
      value={value || null}
      searchable
      filter={finds}
      nothingFoundMessage={t("zone.none")}
      clearable={optional}
      allowDeselect={false}
      onChange={(zone) => (zone || optional) && onChange(zone ?? "")}
    />
  );
}

/** Goes to the first field that is marked wrong; whether there is one. */
export function goToWrong(room: HTMLElement | null): boolean {
  const wrong = room?.querySelector<HTMLElement>("[aria-invalid='true']");
  wrong?.focus();
  return wrong != null;
}

/** The zone of this browser. */
export const ownZone = (): string => Intl.DateTimeFormat().resolvedOptions().timeZone || "UTC";
