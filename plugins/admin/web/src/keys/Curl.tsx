import { useTexts } from "@portico/app-shell";
import { Copied } from "@portico/ui";
import { useServices } from "../service.ts";
import classes from "../page.module.css";

/** A line that works as it stands: it asks the service whether the key is good, and what it may. */
export function Curl({ services, secret }: { services: readonly string[]; secret: string }) {
  const { t } = useTexts();
  const known = useServices()?.filter((each) => services.includes(each.service_id));
  return (
    <div className={`${classes["stack"]} ${classes["wide"]}`}>
      {known?.map((each) => (
        <Copied
          key={each.service_id}
          label={t("keys.curl", { service: each.name })}
          text={`curl -H 'X-Api-Key: ${secret}' ${originOf(each.service_id, each.origins[0])}/api/auth/validate`}
        />
      ))}
    </div>
  );
}

/** Where a service is: as it says, else beside this one. */
const originOf = (service: string, said: string | undefined): string =>
  said ?? `${location.protocol}//${location.host.replace(/^[^.]+(?=\.)/, service)}`;
