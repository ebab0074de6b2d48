import { useAuth, useMe, useQuery as useQueryMember, useTexts } from "@portico/app-shell";
import { Button } from "@mantine/core";
import { Act, Card, Chip, Confirm, Dialog, Empty, Form, Loaded, Note, useDeed } from "@portico/ui";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { House, Plus } from "lucide-react";
import { useState } from "react";
import { householdsKey, useIdentity, type Household } from "../identity.ts";
import { Members } from "./HouseholdMembers.tsx";
import page from "@portico/ui/page.module.css";
import classes from "../page.module.css";

const longestName = 120;

/** The households of the user. They belong to the personal workspace. */
export default function Households() {
  const { t } = useTexts();
  const api = useIdentity();
  const auth = useAuth();
  const { context } = useMe();
  const { busy, run } = useDeed();
  const [creating, setCreating] = useState(false);
  const personal = context === "personal";
  const query = useQuery({ queryKey: householdsKey, queryFn: async ({ signal }) => (await api.get("/api/households", { signal })).items });
  const add = personal && (
    <Button leftSection={<Plus size={16} aria-hidden />} onClick={() => setCreating(true)}>
      {t("household.new")}
    </Button>
  );
  return (
    <>
      <Invited />
      {!personal && (
        <Note>
          <p>{t("household.personalOnly")}</p>
          <Button size="compact-sm" loading={busy} onClick={() => void run(() => auth.switchContext({ kind: "personal" }))}>
            {t("household.switch")}
          </Button>
        </Note>
      )}
      <Loaded query={query} lines={5}>
        {(households) =>
          households.length === 0 ? (
            <Empty icon={House} title={t("household.none")} text={t("household.noneText")} action={add} />
          ) : (
            <>
              {add && <div className={classes["acts"]}>{add}</div>}
              {personal && <p className={page["muted"]}>{t("household.selectText")}</p>}
              {households.map((each) => (
                <OneHousehold key={each.id} household={each} personal={personal} />
              ))}
            </>
          )
        }
      </Loaded>
      {creating && <NewHousehold onClose={() => setCreating(false)} />}
    </>
  );
}

/** An invitation by e-mail leads here with its token. */
function Invited() {
  const { t } = useTexts();
  const api = useIdentity();
  const client = useQueryClient();
  const { busy, run } = useDeed();
  const [token, setToken] = useQueryMember("invitation");
  if (!token) return null;
  const accept = () =>
    void run(async () => {
      await api.post("/api/household-invitations/{token}/accept", { path: { token }, body: {} });
      setToken(null);
      await client.invalidateQueries({ queryKey: householdsKey });
    }, t("household.joined"));
  return (
    <Note>
      <p>{t("household.invited")}</p>
      <Button variant="filled" loading={busy} onClick={accept}>
        {t("household.accept")}
      </Button>
    </Note>
  );
}

function NewHousehold({ onClose }: { onClose: () => void }) {
  const { t } = useTexts();
  const api = useIdentity();
  const client = useQueryClient();
  return (
    <Dialog open title={t("household.new")} onClose={onClose}>
      <Form
        initial={{ name: "" }}
        schema={{ required: ["name"], properties: { name: { type: "string", maxLength: longestName } } }}
        fields={[{ name: "name", label: t("household.name"), hint: t("household.nameHint") }]}
        first="name"
        act={t("household.create")}
        onCancel={onClose}
        submit={async ({ name }, idempotencyKey) => {
          await api.post("/api/households", { body: { name: name.trim() }, idempotencyKey });
          await client.invalidateQueries({ queryKey: householdsKey });
          onClose();
        }}
      />
    </Dialog>
  );
}

/** One household: its members, who is invited, and whether it is selected. */
function OneHousehold({ household, personal }: { household: Household; personal: boolean }) {
  const { t } = useTexts();
  const api = useIdentity();
  const auth = useAuth();
  const client = useQueryClient();
  const { user, answer } = useMe();
  const { busy, run } = useDeed();
  const [asking, setAsking] = useState(false);
  const manager = household.myRole === "manager";
  const selected = (answer as { selectedHouseholdId?: string | null }).selectedHouseholdId === household.id;
  const lastManager = manager && household.members.filter(({ role }) => role === "manager").length === 1;
  const again = () => client.invalidateQueries({ queryKey: householdsKey });
  const select = () =>
    void run(
      async () => {
        await api.put("/api/household-selection", { body: { selectedHouseholdId: selected ? null : household.id } });
        await auth.readMe();
      },
      t(selected ? "household.unselected" : "household.selected", { name: household.name }),
    );
  const leave = () =>
    void run(
      () =>
        api
          .delete("/api/households/{householdId}/members/{userId}", { path: { householdId: household.id, userId: user.id } })
          .finally(again),
      t("household.left", { name: household.name }),
    );
  const remove = () => {
    setAsking(false);
    void run(
      () => api.delete("/api/households/{householdId}", { path: { householdId: household.id } }).finally(again),
      t("household.deleted", { name: household.name }),
    );
  };
  return (
    <Card title={household.name} tools={selected && <Chip kind="good">{t("household.isSelected")}</Chip>}>
      <div className={classes["stack"]}>
        <Members household={household} editable={manager && personal} />
        {personal && (
          <div className={classes["acts"]}>
            <Button loading={busy} onClick={select}>
              {t(selected ? "household.unselect" : "household.select")}
            </Button>
            {household.memberCount > 1 && (
              <Act loading={busy} off={lastManager ? t("household.lastManager") : undefined} onClick={leave}>
                {t("household.leave")}
              </Act>
            )}
            {manager && (
              <Button variant="subtle" color="red" loading={busy} onClick={() => setAsking(true)}>
                {t("household.delete")}
              </Button>
            )}
          </div>
        )}
        {personal && lastManager && household.memberCount > 1 && <p className={page["muted"]}>{t("household.lastManager")}</p>}
      </div>
      <Confirm
        open={asking}
        title={t("household.deleteName", { name: household.name })}
        text={t("household.deleteText")}
        act={t("household.delete")}
        typed={household.name}
        onClose={() => setAsking(false)}
        onConfirm={remove}
      />
    </Card>
  );
}
