import { useTexts } from "@portico/app-shell";
import { Form, SidePanel, Unsaved, useDeed, type Schema } from "@portico/ui";
import { CalendarDays, ChevronRight, Rss, type LucideIcon } from "lucide-react";
import { useState } from "react";
import { useAnew, useCalendar, whole } from "../service.ts";
import { isOfProvider, remotePath, serverOf, useAsking, useConsent, type Collection, type Kind } from "./calendars.ts";
import { Choose } from "./Choose.tsx";
import page from "@portico/ui/page.module.css";
import classes from "../page.module.css";

export interface Account {
  readonly kind: Kind;
  readonly url: string;
  readonly username: string;
  readonly password: string;
}

const signs: Partial<Record<Kind, LucideIcon>> = { caldav: CalendarDays, ics_feed: Rss };
const providers: readonly Kind[] = ["google", "microsoft"];
const address = { type: "string", maxLength: 2000 } as const;
const schemas: Partial<Record<Kind, Schema>> = {
  caldav: {
    required: ["url", "username", "password"],
    properties: { url: address, username: { maxLength: 320 }, password: { maxLength: 2000 } },
  },
  ics_feed: { required: ["url"], properties: { url: address } },
};

/** A new calendar: what kind, which account, and what of it. */
export function Connect({ kinds, onClose }: { kinds: readonly Kind[]; onClose: () => void }) {
  const { t, list } = useTexts();
  const api = useCalendar();
  const anew = useAnew();
  const consent = useConsent();
  const asking = useAsking();
  const { busy, run } = useDeed();
  const [kind, setKind] = useState<Kind | null>(null);
  const [account, setAccount] = useState<Account | null>(null);
  const [found, setFound] = useState<readonly Collection[] | null>(null);
  const look = async (made: Account) => {
    const { calendars } = await asking(whole(api.post(`${remotePath}/discover`, { body: made })));
    setAccount(made);
    setFound(calendars);
  };
  const missing = providers.filter((each) => !kinds.includes(each));
  const leave = (provider: Kind) =>
    void run(async () => consent((await whole(api.post(remotePath, { body: { kind: provider } }))).calendarId));
  return (
    <SidePanel open title={t(kind ? `connect.${kind}` : "calendars.connect")} onClose={onClose}>
      {/* Typed once and looked at already, and still not kept anywhere. */}
      <Unsaved when={account !== null} />
      {!kind ? (
        <div className={classes["stack"]}>
          <ul className={classes["choices"]}>
            {kinds.map((each) => (
              <li key={each}>
                <KindButton kind={each} busy={busy} onClick={() => (isOfProvider(each) ? leave(each) : setKind(each))} />
              </li>
            ))}
          </ul>
          {missing.length > 0 && (
            <p className={page["more"]}>
              {t("connect.setupRequired", { providers: list(missing.map((each) => t(`kind.${each}`))), count: missing.length })}
            </p>
          )}
        </div>
      ) : account && found ? (
        <div className={classes["stack"]}>
          <p className={page["muted"]}>{t("connect.found", { count: found.length, server: serverOf(account.url) })}</p>
          <Choose
            found={found}
            initial={{
              name: (kind === "caldav" && found.length === 1 && found[0]?.name) || serverOf(account.url),
              selectedCollections: found.map(({ url }) => url),
              busyKinds: { tentative: true, allDay: true },
              writeTarget: null,
              direction: "busy_only",
            }}
            writes={kind === "caldav"}
            act={t("connect.act")}
            onCancel={() => setFound(null)}
            onSave={async (choice) => {
              await asking(whole(api.post(remotePath, { body: { ...account, ...choice } })));
              await anew();
              onClose();
            }}
          />
        </div>
      ) : (
        <div className={classes["stack"]}>
          <p className={page["muted"]}>{t(`connect.${kind}Text`)}</p>
          <Form
            initial={{ url: account?.url ?? "", username: account?.username ?? "", password: account?.password ?? "" }}
            schema={schemas[kind]}
            first="url"
            fields={[
              { name: "url", label: t("connect.url"), hint: t(`connect.${kind}Hint`), kind: "text" },
              ...(kind === "caldav"
                ? ([
                    { name: "username", label: t("connect.username") },
                    { name: "password", label: t("connect.password"), hint: t("connect.passwordHint"), kind: "password" },
                  ] as const)
                : []),
            ]}
            act={t("connect.look")}
            onCancel={() => setKind(null)}
            submit={(values) => look({ kind, ...values })}
          />
        </div>
      )}
    </SidePanel>
  );
}

function KindButton({ kind, busy, onClick }: { kind: Kind; busy: boolean; onClick: () => void }) {
  const { t } = useTexts();
  const Sign = signs[kind] ?? CalendarDays;
  return (
    <button type="button" className={classes["way"]} disabled={busy} onClick={onClick}>
      <Sign size={20} aria-hidden />
      <span className={page["grow"]}>
        <span className={classes["strong"]}>{t(`kind.${kind}`)}</span>
        <span className={page["more"]}>{t(`kind.${kind}Text`)}</span>
      </span>
      <ChevronRight size={18} aria-hidden />
    </button>
  );
}
