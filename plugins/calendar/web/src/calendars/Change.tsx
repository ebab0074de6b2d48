import { useTexts } from "@portico/app-shell";
import { Bones, Form, Note, SidePanel, useUi, Waiting } from "@portico/ui";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { useAnew, useCalendar, whole } from "../service.ts";
import { endOf, remotePath, serverOf, useAsking, type Collection, type Remote } from "./calendars.ts";
import { Choose } from "./Choose.tsx";
import page from "@portico/ui/page.module.css";
import classes from "../page.module.css";

/** A connected calendar: what of it is read and written, and a new password. */
export function Change({ remote, onClose }: { remote: Remote; onClose: () => void }) {
  const { t } = useTexts();
  const { sentence } = useUi();
  const api = useCalendar();
  const anew = useAnew();
  const asking = useAsking();
  const { calendarId, kind, url, username, version, name, selectedCollections, busyKinds, writeTarget, direction } = remote;
  const [renewing, setRenewing] = useState(false);
  const isFeed = kind === "ics_feed";
  const account = useQuery({
    queryKey: [remotePath, "discover", calendarId],
    enabled: !isFeed,
    gcTime: 0,
    queryFn: async ({ signal }) =>
      (await asking(whole(api.post(`${remotePath}/discover`, { body: { calendarId }, signal })))).calendars as Collection[],
  });
  const found = [...(account.data ?? [])];
  // What is chosen stays to be seen, also where the account does not answer or has it no more.
  for (const each of [...selectedCollections, ...(writeTarget ? [writeTarget] : [])])
    if (!found.some((known) => known.url === each)) found.push({ url: each, name: endOf(each) });
  const put = async (body: Partial<Remote> & { password?: string }) => {
    await whole(api.put(`${remotePath}/{calendarId}`, { path: { calendarId }, body, version }));
    await anew();
    onClose();
  };
  return (
    <SidePanel open title={t("act.changeWhat", { what: name })} onClose={onClose}>
      <div className={classes["stack"]}>
        <p className={page["muted"]}>{[t(`kind.${kind}`), username, url && serverOf(url)].filter(Boolean).join(" · ")}</p>
        {renewing ? (
          <Form
            initial={{ password: "" }}
            schema={{ required: ["password"], properties: { password: { maxLength: 2000 } } }}
            first="password"
            fields={[{ name: "password", label: t("connect.password"), hint: t("connect.passwordHint"), kind: "password" }]}
            onCancel={() => setRenewing(false)}
            submit={put}
          />
        ) : account.isLoading ? (
          <Waiting skeleton={<Bones lines={6} />} />
        ) : (
          <>
            {kind === "caldav" && (
              <button type="button" className={classes["link"]} onClick={() => setRenewing(true)}>
                {t("calendars.renew")}
              </button>
            )}
            {account.error && <Note kind="warn">{sentence(account.error)}</Note>}
            <Choose
              found={found}
              initial={{ name, selectedCollections, busyKinds, writeTarget, direction }}
              writes={!isFeed}
              act={t("act.save")}
              onCancel={onClose}
              onSave={put}
            />
          </>
        )}
      </div>
    </SidePanel>
  );
}
