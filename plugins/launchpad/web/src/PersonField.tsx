import { useTexts } from "@portico/app-shell";
import { useState } from "react";
import { useMembers } from "./people.ts";
import page from "@portico/ui/page.module.css";

const many = 20;

/** A choice of one member. In a large organization a search narrows the list. */
export function PersonField({
  label,
  value,
  without = [],
  onChange,
}: {
  label: string;
  value: string;
  without?: readonly string[];
  onChange: (userId: string) => void;
}) {
  const { t } = useTexts();
  const [text, setText] = useState("");
  const members = useMembers(text) ?? [];
  const [searched, setSearched] = useState(false);
  const large = searched || members.length > many;
  return (
    <>
      {large && (
        <label className={page["field"]}>
          {t("people.search")}
          <input
            type="search"
            value={text}
            onChange={(event) => {
              setSearched(true);
              setText(event.currentTarget.value);
              onChange("");
            }}
          />
        </label>
      )}
      <label className={page["field"]}>
        {label}
        <select value={value} onChange={(event) => onChange(event.currentTarget.value)}>
          <option value="">{t("people.choose")}</option>
          {members
            .filter(({ userId }) => !without.includes(userId))
            .map(({ userId, name }) => (
              <option key={userId} value={userId}>
                {name}
              </option>
            ))}
        </select>
      </label>
    </>
  );
}
