import { useTexts } from "@portico/app-shell";
import { Card, Chip, Unsaved, useDeed, useUi } from "@portico/ui";
import { Button } from "@mantine/core";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { Send } from "lucide-react";
import { useId, useRef, useState, type FormEvent } from "react";
import { Row, Rows, When, Wrong } from "../parts.tsx";
import { most, useIdentity, whole, type Role } from "../service.ts";
import { OrganizationFrame } from "./Frame.tsx";
import { RoleChoice } from "./RoleChoice.tsx";
import page from "@portico/ui/page.module.css";
import classes from "../page.module.css";

/** Who is asked to join. */
export default function InvitationsPage() {
  return (
    <OrganizationFrame path="/organization/invitations">
      {(id) => (
        <>
          <Invite key={`new ${id}`} id={id} />
          <Invitations key={id} id={id} />
        </>
      )}
    </OrganizationFrame>
  );
}

/** Most characters of the line that goes with an invitation. */
const longest = 1000;

const pathOf = (id: string) => ["/api/auth/organizations", id, "invitations"] as const;

/** What came of one address. */
interface Result {
  readonly email: string;
  readonly problem: string;
}

/** Many addresses at once, one line each with what came of it. Those that were refused stay to be put right. */
function Invite({ id }: { id: string }) {
  const { t } = useTexts();
  const api = useIdentity();
  const client = useQueryClient();
  const { sentence } = useUi();
  const [addresses, setAddresses] = useState("");
  const [role, setRole] = useState<Role>("member");
  const [message, setMessage] = useState("");
  const [results, setResults] = useState<readonly Result[]>([]);
  const [wrong, setWrong] = useState<"addresses" | "message" | null>(null);
  const [busy, setBusy] = useState(false);
  const room = useRef<HTMLFormElement>(null);
  const fieldId = useId();
  const list = [...new Set(addresses.split(/[\s,;]+/).filter(Boolean))];
  const send = async (event: FormEvent): Promise<void> => {
    event.preventDefault();
    if (busy) return;
    const first = list.length === 0 ? "addresses" : [...message].length > longest ? "message" : null;
    setWrong(first);
    if (first) return room.current?.querySelector<HTMLElement>(`[name=${first}]`)?.focus();
    setBusy(true);
    const found: Result[] = [];
    for (const email of list) {
      try {
        await api.post("/api/auth/organizations/{organizationId}/invitations", {
          path: { organizationId: id },
          body: { email, role, message },
        });
        found.push({ email, problem: "" });
      } catch (error) {
        found.push({ email, problem: sentence(error) });
      }
      setResults([...found]);
    }
    setAddresses(
      found
        .filter(({ problem }) => problem)
        .map(({ email }) => email)
        .join("\n"),
    );
    setBusy(false);
    await client.invalidateQueries({ queryKey: pathOf(id) });
  };
  const marked = (field: typeof wrong) => wrong === field && { "aria-invalid": true, "aria-describedby": `${fieldId}-${field}` };
  return (
    <Card title={t("invitations.act")} text={t("invitations.text")}>
      <form ref={room} className={classes["stack"]} onSubmit={(event) => void send(event)}>
        <label className={`${page["field"]} ${classes["wide"]}`}>
          {t("invitations.addresses")}
          <textarea
            name="addresses"
            value={addresses}
            spellCheck={false}
            readOnly={busy}
            {...marked("addresses")}
            onChange={(event) => setAddresses(event.currentTarget.value)}
          />
          <small>{t("invitations.addressesHint")}</small>
          <Wrong id={`${fieldId}-addresses`} text={wrong === "addresses" ? t("invitations.needs") : undefined} />
        </label>
        <RoleChoice value={role} onChange={setRole} />
        <label className={`${page["field"]} ${classes["wide"]}`}>
          {t("invitations.message")}
          <input name="message" value={message} {...marked("message")} onChange={(event) => setMessage(event.currentTarget.value)} />
          <Wrong id={`${fieldId}-message`} text={wrong === "message" ? t("invitations.tooLong", { count: longest }) : undefined} />
        </label>
        <Button type="submit" variant="filled" leftSection={<Send size={16} aria-hidden />} loading={busy}>
          {t("invitations.send", { count: list.length })}
        </Button>
        <div className={classes["wide"]} role="status">
          <ul className={page["plain"]}>
            {results.map(({ email, problem }) => (
              <Row key={email} name={email} more={problem || undefined}>
                <Chip kind={problem ? "bad" : "good"}>{t(problem ? "invitations.refused" : "invitations.sent")}</Chip>
              </Row>
            ))}
          </ul>
        </div>
        <Unsaved when={addresses.trim() !== ""} />
      </form>
    </Card>
  );
}

function Invitations({ id }: { id: string }) {
  const { t } = useTexts();
  const api = useIdentity();
  const client = useQueryClient();
  const { busy, run } = useDeed();
  const list = useQuery({
    queryKey: pathOf(id),
    queryFn: async ({ signal }) =>
      (
        await whole(
          api.get("/api/auth/organizations/{organizationId}/invitations", { path: { organizationId: id }, query: { limit: most }, signal }),
        )
      ).items.filter(({ status }) => status === "pending" || status === "expired"),
  });
  const again = () => client.invalidateQueries({ queryKey: pathOf(id) });
  return (
    <Card title={t("invitations.open")}>
      <Rows query={list} empty={t("invitations.none")}>
        {(each) => {
          const path = { organizationId: id, invitationId: each.id };
          return (
            <Row
              key={each.id}
              name={each.email}
              sign={<Chip kind={each.status === "pending" ? "plain" : "warn"}>{t(`invitation.${each.status}`)}</Chip>}
              more={
                <>
                  {t(`role.${each.role}`)} · {t(each.status === "expired" ? "invitations.ended" : "invitations.until")}{" "}
                  <When at={each.expiresAt} />
                </>
              }
            >
              <Button
                disabled={busy}
                aria-label={t("invitations.againTo", { email: each.email })}
                onClick={() =>
                  void run(
                    () =>
                      api
                        .post("/api/auth/organizations/{organizationId}/invitations/{invitationId}/resend", { path, body: {} })
                        .then(again),
                    t("invitations.resent", { email: each.email }),
                  )
                }
              >
                {t("invitations.again")}
              </Button>
              <Button
                disabled={busy}
                aria-label={t("invitations.revokeOf", { email: each.email })}
                onClick={() =>
                  void run(
                    () => api.delete("/api/auth/organizations/{organizationId}/invitations/{invitationId}", { path }).then(again),
                    t("invitations.revoked", { email: each.email }),
                  )
                }
              >
                {t("invitations.revoke")}
              </Button>
            </Row>
          );
        }}
      </Rows>
    </Card>
  );
}
