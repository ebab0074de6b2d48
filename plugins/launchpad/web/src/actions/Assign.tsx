import { useCan, useMe, useTexts } from "@portico/app-shell";
import { Button } from "@mantine/core";
import { Dialog, Menu, MenuItem, useDeed } from "@portico/ui";
import { UserRound } from "lucide-react";
import { useState } from "react";
import { PersonField } from "../PersonField.tsx";
import { useMembers } from "../people.ts";
import { useLaunchpad, useReload, type Action } from "../service.ts";
import page from "@portico/ui/page.module.css";

const roles = ["owner", "super_admin", "admin", "member"] as const;

/** The person or role that an action is assigned to, in words. */
export function useAssignee({ assignee }: Action): string {
  const { t, has } = useTexts();
  const { user } = useMe();
  const members = useMembers();
  if (assignee.type === "role") return has(`subject.${assignee.id}`) ? t(`subject.${assignee.id}`) : assignee.id;
  if (assignee.id === user.id) return t("actions.you");
  return members?.find(({ userId }) => userId === assignee.id)?.name ?? t("actions.member");
}

/** Assigns an action to a role or to one person. Actions in the personal workspace stay with the person. */
export function Assign({ action }: { action: Action }) {
  const { t } = useTexts();
  const api = useLaunchpad();
  const reload = useReload();
  const may = useCan("actions:resolve");
  const members = useMembers();
  const { busy, run } = useDeed();
  const [choosing, setChoosing] = useState(false);
  const [person, setPerson] = useState("");
  if (!may || action.context.kind === "personal") return null;
  const assign = (type: "user" | "role", id: string) =>
    run(
      () => api.post("/api/actions/{id}/assign", { path: { id: action.id }, body: { assignee: { type, id } } }).finally(reload),
      t("actions.assigned"),
    );
  return (
    <>
      <Menu
        label={t("actions.assign")}
        opener={(props) => (
          <Button
            {...props}
            size="compact-sm"
            variant="subtle"
            loading={busy}
            leftSection={<UserRound size={14} aria-hidden />}
            aria-label={t("actions.assignName", { name: action.title })}
          >
            {t("actions.assign")}
          </Button>
        )}
      >
        {(close) => (
          <>
            {members && members.length > 0 && <MenuItem onClick={() => (close(), setChoosing(true))}>{t("actions.assignPerson")}</MenuItem>}
            {roles.map((each) => (
              <MenuItem
                key={each}
                checked={action.assignee.type === "role" && action.assignee.id === each}
                onClick={() => (close(), void assign("role", each))}
              >
                {t(`subject.${each}`)}
              </MenuItem>
            ))}
          </>
        )}
      </Menu>
      <Dialog
        open={choosing}
        title={t("actions.assignName", { name: action.title })}
        onClose={() => setChoosing(false)}
        actions={
          <>
            <Button onClick={() => setChoosing(false)}>{t("act.cancel")}</Button>
            <Button
              variant="filled"
              disabled={!person}
              loading={busy}
              onClick={() => void assign("user", person).then((done) => done && setChoosing(false))}
            >
              {t("actions.assign")}
            </Button>
          </>
        }
      >
        <div className={page["row"]}>
          <PersonField label={t("actions.person")} value={person} onChange={setPerson} />
        </div>
      </Dialog>
    </>
  );
}
