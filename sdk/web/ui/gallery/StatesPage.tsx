import { Button } from "@mantine/core";
import { Inbox } from "lucide-react";
import { useState, type ReactNode } from "react";
import { Bones, Confirm, ConflictDialog, Dialog, Empty, Failed, Markdown, MayNotSee, NoMatch, Waiting } from "../src/index.ts";
import classes from "./gallery.module.css";

const NOTE = `# Fair in Leipzig

Met **Ada** and *Grace*; see [the fair](https://example.com/fair), [bad](javascript:alert(1)) and https://example.org/a_b.

- wants an offer
- calls back on \`Monday\`
- [x] sent
- [ ] signed

1. first
2. second

> a quote with <b>HTML</b> & more

\`\`\`
code <script>alert(1)</script>
\`\`\``;

const conflicts = [
  { field: "company", label: "Company", before: "Acme", theirs: "Globex", mine: "Initech" },
  { field: "notes", label: "Notes", before: "", theirs: "A long note that somebody else has written.\nWith lines.", mine: "Mine." },
];

export function StatesPage(): ReactNode {
  const [open, setOpen] = useState("");
  const close = (): void => setOpen("");
  return (
    <div className={classes["grid"]}>
      <section className={classes["panel"]}>
        <Empty
          icon={Inbox}
          title="No notes yet"
          text="What you want to remember about people."
          action={<Button variant="filled">Write the first one</Button>}
        />
      </section>
      <section className={classes["panel"]}>
        <NoMatch clear={close} />
      </section>
      <section className={classes["panel"]}>
        <MayNotSee permission="See contacts" />
      </section>
      <section className={classes["panel"]}>
        <Failed error={{ status: 500, code: "internal", requestId: "01jd0example0000000000000" }} retry={close} />
      </section>
      <section className={classes["panel"]}>
        <Failed error={{ status: 429, code: "rate_limited", retryAfter: 600 }} retry={close} />
      </section>
      <section className={classes["panel"]}>
        <Waiting skeleton={<Bones lines={5} />} retry={close} />
      </section>
      <section className={classes["panel"]}>
        <h2>A note</h2>
        <Markdown>{NOTE}</Markdown>
      </section>
      <section className={classes["panel"]}>
        <p className={classes["row"]}>
          <Button onClick={() => setOpen("dialog")}>Dialog</Button>
          <Button onClick={() => setOpen("confirm")} color="red">
            Confirm
          </Button>
          <Button onClick={() => setOpen("conflict")}>Conflict</Button>
          <Button variant="light">Light</Button>
          <Button variant="subtle">Subtle</Button>
          <Button variant="filled" color="red">
            Delete
          </Button>
          <Button disabled>Off</Button>
        </p>
      </section>
      <Dialog
        open={open === "dialog"}
        title="Rename the view"
        onClose={close}
        actions={
          <Button variant="filled" onClick={close}>
            Save
          </Button>
        }
      >
        A small piece of work.
      </Dialog>
      <Confirm
        open={open === "confirm"}
        title="Delete the pipeline?"
        text="Its 24 cards go, too."
        act="Delete"
        typed="Sales"
        onClose={close}
        onConfirm={close}
      />
      <ConflictDialog conflicts={open === "conflict" ? conflicts : []} onChoose={close} onClose={close} />
    </div>
  );
}
