import { useTexts } from "@portico/app-shell";
import { Card, Loaded, useDeed } from "@portico/ui";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useSocial, whole } from "../service.ts";
import page from "@portico/ui/page.module.css";
import classes from "../page.module.css";

const kinds = ["approvals", "accounts"] as const;

/** Which mails the user gets in this organization. */
export function Mails() {
  const { t } = useTexts();
  const api = useSocial();
  const client = useQueryClient();
  const { busy, run } = useDeed();
  const key = ["/api/mail-settings"];
  const choice = useQuery({ queryKey: key, queryFn: ({ signal }) => whole(api.get("/api/mail-settings", { signal })) });
  return (
    <Card title={t("mails.title")}>
      <Loaded query={choice} lines={2}>
        {(found) => (
          <div className={classes["stack"]}>
            {kinds.map((kind) => (
              <label key={kind} className={page["check"]}>
                <input
                  type="checkbox"
                  disabled={busy}
                  checked={found[kind]}
                  onChange={(event) => {
                    const on = event.currentTarget.checked;
                    void run(async () => {
                      await api.patch("/api/mail-settings", { body: { [kind]: on } as never });
                      await client.invalidateQueries({ queryKey: key });
                    }, t("settings.saved"));
                  }}
                />
                <span>{t(`mails.${kind}`)}</span>
              </label>
            ))}
          </div>
        )}
      </Loaded>
    </Card>
  );
}
