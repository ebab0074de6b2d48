import { useTexts } from "@portico/app-shell";
import { Dialog, Form, IconMenu, MenuItem, useDeed, useUi } from "@portico/ui";
import { EllipsisVertical, Folder as FolderIcon } from "lucide-react";
import { useState } from "react";
import { useChangePreferences, type CatalogEntry, type Folder, type Preferences } from "../service.ts";
import { AppCard } from "./AppCard.tsx";
import page from "@portico/ui/page.module.css";
import classes from "./apps.module.css";

const longestName = 60;

/** The folders of the user, each with its apps. */
export function Folders({ apps, preferences, view }: { apps: readonly CatalogEntry[]; preferences: Preferences; view: "tiles" | "list" }) {
  const { t } = useTexts();
  const { undo } = useUi();
  const { run } = useDeed();
  const change = useChangePreferences();
  const [renaming, setRenaming] = useState<Folder | null>(null);
  const remove = (folder: Folder) =>
    void run(async () => {
      await change(({ folders }) => ({ folders: folders.filter(({ id }) => id !== folder.id) }));
      undo.push({
        text: t("folder.removed", { name: folder.name }),
        undo: () => change(({ folders }) => ({ folders: [...folders, folder] })),
      });
    });
  return (
    <>
      {preferences.folders.map((folder) => {
        const inside = apps.filter(({ service_id }) => folder.serviceIds.includes(service_id));
        return (
          <section key={folder.id} aria-label={folder.name}>
            <div className={classes["folder"]}>
              <FolderIcon size={18} aria-hidden />
              <h2>
                <bdi>{folder.name}</bdi>
              </h2>
              <IconMenu label={t("folder.menu", { name: folder.name })} icon={<EllipsisVertical size={16} aria-hidden />}>
                {(close) => (
                  <>
                    <MenuItem onClick={() => (close(), setRenaming(folder))}>{t("folder.rename")}</MenuItem>
                    <MenuItem danger onClick={() => (close(), remove(folder))}>
                      {t("folder.remove")}
                    </MenuItem>
                  </>
                )}
              </IconMenu>
            </div>
            {inside.length === 0 ? (
              <p className={page["muted"]}>{t("folder.empty")}</p>
            ) : (
              <ul className={classes[view]}>
                {inside.map((app) => (
                  <AppCard key={app.service_id} app={app} preferences={preferences} />
                ))}
              </ul>
            )}
          </section>
        );
      })}
      {renaming && (
        <NamedFolder
          title={t("folder.rename")}
          act={t("folder.rename")}
          name={renaming.name}
          onClose={() => setRenaming(null)}
          save={(name) =>
            change(({ folders }) => ({ folders: folders.map((each) => (each.id === renaming.id ? { ...each, name } : each)) }))
          }
        />
      )}
    </>
  );
}

/** Asks for the name of a new folder. */
export function NewFolder({ onClose }: { onClose: () => void }) {
  const { t } = useTexts();
  const change = useChangePreferences();
  const add = (name: string) =>
    change(({ folders }) => {
      const free =
        Array.from({ length: folders.length + 1 }, (_, at) => `f${at + 1}`).find((id) => folders.every((each) => each.id !== id)) ?? "f0";
      return { folders: [...folders, { id: free, name, serviceIds: [] }] };
    });
  return <NamedFolder title={t("folder.new")} act={t("folder.create")} name="" onClose={onClose} save={add} />;
}

function NamedFolder({
  title,
  act,
  name,
  onClose,
  save,
}: {
  title: string;
  act: string;
  name: string;
  onClose: () => void;
  save: (name: string) => Promise<void>;
}) {
  const { t } = useTexts();
  return (
    <Dialog open title={title} onClose={onClose}>
      <Form
        initial={{ name }}
        schema={{ required: ["name"], properties: { name: { type: "string", maxLength: longestName } } }}
        fields={[{ name: "name", label: t("folder.name") }]}
        first="name"
        act={act}
        onCancel={onClose}
        submit={async ({ name: wanted }) => {
          await save(wanted.trim());
          onClose();
        }}
      />
    </Dialog>
  );
}
