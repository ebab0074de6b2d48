import { useTexts } from "@portico/app-shell";

/** A state of the host, a service, a job or an operation in words; one that is not known here as it is. */
export function useStates(): (state: string) => string {
  const { t, has } = useTexts();
  return (state) => (has(`runs.${state}`) ? t(`runs.${state}`) : state);
}
