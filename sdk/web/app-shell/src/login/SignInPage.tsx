import { useState, type FormEvent } from "react";
import { localPath } from "@portico/auth-client";
import { useShell } from "../core.tsx";
import { navigate } from "../router.tsx";

export default function SignInPage() {
  const { auth, texts } = useShell();
  const [error, setError] = useState("");
  const submit = async (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const form = new FormData(event.currentTarget);
    try {
      await auth.signIn({ identifier: String(form.get("identifier")), password: String(form.get("password")) });
      navigate(localPath(new URLSearchParams(location.search).get("return_to")), { replace: true });
    } catch (thrown) {
      setError(String(thrown));
    }
  };
  return (
    <main className="p-alone">
      <form onSubmit={(event) => void submit(event)}>
        <h1>{texts.t("login.title")}</h1>
        <label>
          {texts.t("login.identifier")} <input name="identifier" autoComplete="username" />
        </label>
        <label>
          {texts.t("login.password")} <input name="password" type="password" autoComplete="current-password" />
        </label>
        {error && <p role="alert">{error}</p>}
        <button className="p-button">{texts.t("login.title")}</button>
      </form>
    </main>
  );
}
