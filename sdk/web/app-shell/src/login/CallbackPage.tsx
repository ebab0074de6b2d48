import { useEffect } from "react";
import { useShell } from "../core.tsx";
import { navigate } from "../router.tsx";
import { Splash } from "../splash.tsx";

export default function CallbackPage() {
  const { auth } = useShell();
  useEffect(() => {
    auth.completeCallback().then(({ returnTo }) => navigate(returnTo, { replace: true }), () => navigate("/login", { replace: true }));
  }, [auth]);
  return <Splash />;
}
