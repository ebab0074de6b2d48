import { Splash } from "../splash.tsx";

export default function LaunchPage() {
  return <Splash />;
}
