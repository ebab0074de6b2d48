import { useTexts } from "@portico/app-shell";
import { Form, SidePanel } from "@portico/ui";
import { useState } from "react";
import { useAnew, useCalendar, whole } from "../service.ts";
import { endOf, remotePath, serverOf, type Collection, type Remote } from "./calendars.ts";
import { Choose } from "./Choose.tsx";
import page from "@portico/ui/page.module.css";
import classes from "../page.module.css";

/** A connected calendar: what of it is read and written, and a new password. */
export function Change({ remote, onClose }: { remote: Remote; onClose: () => void }) {
  const { t } = useTexts();
  const api = useCalendar();
  const anew = useAnew();
  const { calendarId, kind, url, username, version, name, selectedCollections, busyKinds, writeTarget, direction } = remote;
  const [found, setFound] = useState<readonly Collection[]>(() => [...new Set([...selectedCollections, ...(writeTarget ? [writeTarget] : [])])].map((each) => ({ url: each, name: endOf(each) })));
  const [password, setPassword] = useState("");
  const [anewAccount, setAnewAccount] = useState(false);
  const look = async (given: { password: string }) => {
    const { calendars } = await whole(api.post(`${remotePath}/discover`, { body: { kind, url, username, ...given } }));
    setFound(calendars);
    setPassword(given.password);
    setAnewAccount(false);
  };
  return (
    <SidePanel open title={t("act.changeWhat", { what: name })} onClose={onClose}>
      <div className={classes["stack"]}>
        <p className={page["muted"]}>{[username, serverOf(url)].filter(Boolean).join(" · ")}</p>
        {anewAccount ? (
          <Form
            initial={{ password: "" }}
            schema={{ required: ["password"], properties: { password: { maxLength: 2000 } } }}
            first="password"
            fields={[{ name: "password", label: t("connect.password"), hint: t("connect.passwordHint"), kind: "password" }]}
            act={t("connect.look")}
            onCancel={() => setAnewAccount(false)}
            submit={look}
          />
        ) : (
          <>
            {kind === "caldav" && (
              <button type="button" className={classes["link"]} onClick={() => setAnewAccount(true)}>
                {t("calendars.again")}
              </button>
            )}
            <Choose
              key={found.map((each) => each.url).join(" ")}
              found={found}
              initial={{ name, selectedCollections, busyKinds, writeTarget, direction }}
              writes={kind !== "ics_feed"}
              act={t("act.save")}
              onCancel={onClose}
              onSave={async (choice) => {
                await whole(api.put(`${remotePath}/{calendarId}`, { path: { calendarId }, body: { ...choice, ...(password && { password }) }, version }));
                await anew();
                onClose();
              }}
            />
          </>
        )}
      </div>
    </SidePanel>
  );
}
