import { navigate, useTexts } from "@portico/app-shell";
import { Button } from "@mantine/core";
import { Dialog, Note, problemOf, useDeed, useUi } from "@portico/ui";
import { Trash2 } from "lucide-react";
import { useState } from "react";
import { useReload, useSocial, type Post } from "../service.ts";
import page from "@portico/ui/page.module.css";
import classes from "../page.module.css";

/** Deletes a post that is published somewhere: here only, or at its networks as well. */
export function DeletePost({ post }: { post: Post }) {
  const { t } = useTexts();
  const api = useSocial();
  const reload = useReload();
  const { sentence } = useUi();
  const { busy, run } = useDeed();
  const [open, setOpen] = useState(false);
  const [remote, setRemote] = useState(false);
  const [refused, setRefused] = useState("");
  const send = () =>
    void run(
      async () => {
        setRefused("");
        try {
          await api.delete("/api/posts/{postId}", { path: { postId: post.postId }, query: remote ? { remote: true } : {} });
        } catch (error) {
          // The network's own words say which account refused, and why.
          setRefused(problemOf(error).detail || sentence(error));
          throw error;
        }
        setOpen(false);
        navigate("/posts");
        await reload();
      },
      t(remote ? "deletePost.doneRemote" : "deletePost.done"),
    );
  return (
    <>
      <Button
        variant="subtle"
        color="red"
        leftSection={<Trash2 size={16} aria-hidden />}
        onClick={() => {
          setRemote(false);
          setRefused("");
          setOpen(true);
        }}
      >
        {t("act.delete")}
      </Button>
      <Dialog
        open={open}
        title={t("deletePost.title")}
        onClose={() => setOpen(false)}
        actions={
          <>
            <Button data-autofocus onClick={() => setOpen(false)}>
              {t("deletePost.keep")}
            </Button>
            <Button variant="filled" color="red" loading={busy} onClick={send}>
              {t(remote ? "deletePost.actRemote" : "deletePost.act")}
            </Button>
          </>
        }
      >
        <div className={classes["stack"]}>
          {refused && (
            <Note kind="bad" alert>
              {refused}
            </Note>
          )}
          <p>{t("deletePost.text")}</p>
          <label className={page["check"]}>
            <input type="checkbox" checked={remote} onChange={(event) => setRemote(event.currentTarget.checked)} />
            <span>
              {t("deletePost.remote")}
              <small>{t("deletePost.remoteHint")}</small>
            </span>
          </label>
        </div>
      </Dialog>
    </>
  );
}
