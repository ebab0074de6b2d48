import { Button } from "@mantine/core";
import { useState, type ReactNode } from "react";
import { Act, FileDrop, JobView, useUi } from "../src/index.ts";
import classes from "./gallery.module.css";

export function PartsPage(): ReactNode {
  const { undo, notices } = useUi();
  const [files, setFiles] = useState<readonly string[]>([]);
  return (
    <div className={classes["grid"]}>
      <section className={classes["panel"]}>
        <JobView job={{ state: "running", done: 64_210, total: 200_000 }}>
          <p className={classes["row"]}>
            <Button>Cancel</Button>
          </p>
        </JobView>
      </section>
      <section className={classes["panel"]}>
        <JobView job={{ state: "waiting", done: 0 }} />
      </section>
      <section className={classes["panel"]}>
        <JobView job={{ state: "done", done: 200_000, total: 200_000 }} />
      </section>
      <section className={classes["panel"]}>
        <JobView
          job={{ state: "failed", done: 10, total: 20 }}
          error={{ status: 409, code: "conflict", detail: "The file was removed." }}
        />
      </section>
      <section className={classes["panel"]}>
        <FileDrop accept=".csv,.vcf,text/vcard" limit={1024} most={3} onFiles={(list) => setFiles(list.map((file) => file.name))} />
        <p>{files.join(", ")}</p>
      </section>
      <section className={classes["panel"]}>
        <p className={classes["row"]}>
          <Act permission="contacts:export" onClick={() => notices.tell({ kind: "done", text: "Exported" })}>
            Export
          </Act>
          <Act
            permission="contacts:delete"
            off="This contact is being merged."
            onClick={() => notices.tell({ kind: "done", text: "Deleted" })}
          >
            Delete
          </Act>
          <Act permission="nobody:ever">Never</Act>
          <Button onClick={() => undo.push({ text: "Moved", undo: async () => notices.tell({ kind: "done", text: "Moved back" }) })}>
            Do
          </Button>
          <Button onClick={() => void undo.take()}>Undo</Button>
        </p>
      </section>
    </div>
  );
}
