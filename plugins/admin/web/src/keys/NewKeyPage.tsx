import { Link, navigate, useMe, useTexts } from "@portico/app-shell";
import { Button } from "@mantine/core";
import { Bones, Card, Chip, Note, problemOf, Unsaved, useRequestKey, useUi, Waiting } from "@portico/ui";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useEffect, useId, useRef, useState, type FormEvent } from "react";
import { Choice, Failed, Filter, Page, ShownOnce, risks, Wrong } from "../parts.tsx";
import { most, rank, useIdentity, useRights, useServices, whole, type ServiceScopes } from "../service.ts";
import { useTitles } from "../permissions/titles.ts";
import { Curl } from "./Curl.tsx";
import page from "@portico/ui/page.module.css";
import classes from "../page.module.css";

type Scopes = ReadonlyMap<string, ReadonlySet<string>>;
/** Ids by `service type`. */
type Resources = ReadonlyMap<string, ReadonlySet<string>>;
/** The parts of the form, and how the server calls what is in them. */
const places = { name: "name", grants: "grants", ipAllowList: "networks", expiresAt: "life" } as const;
type Place = (typeof places)[keyof typeof places] | "rest";
const longestName = 100;
const dayMilliseconds = 86_400_000;
const lives = ["30", "90", "365", "never"] as const;

/** The scopes of a service that a key may be given: those without a route open nothing. */
const offeredOf = (services: readonly ServiceScopes[]): readonly ServiceScopes[] =>
  services
    .map((each) => ({ ...each, scopes: each.scopes.filter(({ hasRoute }) => hasRoute !== false) }))
    .filter(({ scopes }) => scopes.length > 0);

type Scope = ServiceScopes["scopes"][number];
const stemOf = (scope: string): string => scope.slice(0, scope.lastIndexOf("."));
/** Sets of rights for common programs. */
const presets: Readonly<Record<string, (scope: Scope, all: readonly Scope[]) => boolean>> = {
  readOnly: ({ scope }) => scope.endsWith(".read"),
  // What can be imported at a service is read as well.
  import: ({ scope }, all) =>
    all.some((each) => stemOf(each.scope) === stemOf(scope) && each.permissions.some((permission) => permission.endsWith(":import"))),
};

/** A new key: for whom, what it opens, from where and until when. */
export default function NewKeyPage() {
  const { t } = useTexts();
  const api = useIdentity();
  const client = useQueryClient();
  const { sentence, fault } = useUi();
  const { scopeOf } = useTitles();
  const { user, organizationId, organizations, role } = useMe();
  const may = useRights();
  const services = useServices();
  const catalog = useQuery({
    queryKey: ["/api/auth/api-key-scopes"],
    queryFn: async ({ signal }) => offeredOf((await whole(api.get("/api/auth/api-key-scopes", { signal }))).items as ServiceScopes[]),
  });
  const [name, setName] = useState("");
  const [owner, setOwner] = useState<"user" | "organization">("user");
  const [environment, setEnvironment] = useState<"live" | "test">("live");
  const [life, setLife] = useState<string>("90");
  const [networks, setNetworks] = useState("");
  const [chosen, setChosen] = useState<Scopes>(new Map());
  const [filter, setFilter] = useState("");
  const [bound, setBound] = useState<Resources>(new Map());
  const [wrong, setWrong] = useState<Partial<Record<Place, readonly string[]>>>({});
  const [busy, setBusy] = useState(false);
  const key = useRequestKey();
  const sent = useRef({ entry: "", at: 0 });
  const room = useRef<HTMLFormElement>(null);
  const id = useId();
  const [made, setMade] = useState<{ id: string; key: string } | null>(null);
  const organization = organizations.find(({ id }) => id === organizationId);
  const mayForever = owner === "user" ? !organization || rank(role) === rank("owner") : rank(role) === rank("owner");

  const choose = (service: string, scope: string, on: boolean) => {
    const scopes = new Set(chosen.get(service));
    if (on) scopes.add(scope);
    else scopes.delete(scope);
    const next = new Map(chosen);
    if (scopes.size) next.set(service, scopes);
    else next.delete(service);
    setChosen(next);
  };
  const prefer = (isWanted: (scope: Scope, all: readonly Scope[]) => boolean) => {
    const next = (catalog.data ?? []).map(
      ({ service_id: service, scopes }) =>
        [service, new Set(scopes.filter((scope) => isWanted(scope, scopes)).map(({ scope }) => scope))] as const,
    );
    setChosen(new Map(next.filter(([, scopes]) => scopes.size > 0)));
  };
  const nameOf = (service: string) => services?.find(({ service_id: each }) => each === service)?.name ?? service;
  const wanted = filter.trim().toLocaleLowerCase();
  const shown = (catalog.data ?? []).flatMap((each) => {
    const fits = (text: string) => text.toLocaleLowerCase().includes(wanted);
    const scopes = fits(nameOf(each.service_id))
      ? each.scopes
      : each.scopes.filter((scope) => fits(scope.scope) || fits(scopeOf(each.service_id, scope)));
    return scopes.length ? [{ ...each, scopes }] : [];
  });
  const count = [...chosen.values()].reduce((sum, scopes) => sum + scopes.size, 0);
  useEffect(() => {
    const first = room.current?.querySelector<HTMLElement>("[aria-invalid=true], [role=alert]");
    first?.scrollIntoView({ block: "center" });
    first?.focus();
  }, [wrong]);
  const bindable = (service: string) => [
    ...new Set(
      (catalog.data?.find((each) => each.service_id === service)?.scopes ?? [])
        .filter(({ scope }) => chosen.get(service)?.has(scope))
        .flatMap((each) => each.bindable),
    ),
  ];
  const send = async (event: FormEvent): Promise<void> => {
    event.preventDefault();
    if (busy) return;
    const missing: typeof wrong = {
      ...(name.trim()
        ? [...name.trim()].length > longestName && { name: [t("newKey.nameTooLong", { count: longestName })] }
        : { name: [t("newKey.needsName")] }),
      ...(chosen.size === 0 && { grants: [t("newKey.needsScope")] }),
    };
    setWrong(missing);
    if (Object.keys(missing).length) return;
    setBusy(true);
    try {
      const grants = [...chosen].map(([service, scopes]) => ({
        service_id: service,
        scopes: [...scopes],
        resources: [...bound].flatMap(([place, ids]) => {
          const [of, type = ""] = place.split(" ");
          return of === service && bindable(service).includes(type) ? [...ids].map((id) => ({ type, id })) : [];
        }),
      }));
      const entry = {
        name: name.trim(),
        environment,
        owner_type: owner,
        owner_id: owner === "user" ? user.id : (organizationId ?? ""),
        grants,
        ipAllowList: networks.split(/[\s,;]+/).filter(Boolean),
      };
      const text = JSON.stringify([entry, life]);
      // What is sent again is the same to the letter: one key comes of it.
      if (sent.current.entry !== text) sent.current = { entry: text, at: Date.now() };
      const expiresAt = life === "never" ? null : new Date(sent.current.at + Number(life) * dayMilliseconds).toISOString();
      const answer = await whole(
        api.post("/api/auth/api-keys", {
          body: { ...entry, expiresAt },
          idempotencyKey: key.of(text),
          headers: { "X-Portico-Context": organizationId ?? "personal" },
        }),
      );
      setMade({ id: answer.apiKey.id, key: answer.key });
      await client.invalidateQueries({ queryKey: ["/api/auth/api-keys"] });
    } catch (error) {
      const problem = problemOf(error);
      key.refused(problem);
      const found: Partial<Record<Place, string[]>> = problem.errors.length
        ? {}
        : { [problem.code === "expiry_exceeds_policy" ? "life" : "rest"]: [sentence(error)] };
      for (const each of problem.errors)
        (found[places[each.field.split(/[.[]/)[0] as "name"] ?? "rest"] ??= []).push(fault(each) || each.code);
      setWrong(found);
    } finally {
      setBusy(false);
    }
  };
  const marked = (place: Place) => wrong[place] && { "aria-invalid": true, "aria-describedby": `${id}-${place}` };
  return (
    <Page title={t("keys.new")} text={t("newKey.text")}>
      <form ref={room} className={page["page"]} noValidate onSubmit={(event) => void send(event)}>
        <Card title={t("newKey.what")}>
          <div className={classes["stack"]}>
            <label className={`${page["field"]} ${classes["wide"]}`}>
              {t("newKey.name")}
              <input
                value={name}
                required
                placeholder={t("newKey.nameHint")}
                {...marked("name")}
                onChange={(event) => setName(event.currentTarget.value)}
              />
              <Wrong id={`${id}-name`} text={wrong.name?.join(" ")} />
            </label>
            <div className={classes["ends"]}>
              {organization && may?.("api_keys:manage") && (
                <Choice
                  label={t("keys.owner")}
                  value={owner}
                  options={[
                    ["user", t("keys.ownerMe")],
                    ["organization", organization.name],
                  ]}
                  onChange={(value) => setOwner(value as "user")}
                />
              )}
              <Choice
                label={t("newKey.environment")}
                value={environment}
                options={[
                  ["live", t("keys.live")],
                  ["test", t("keys.test")],
                ]}
                onChange={(value) => setEnvironment(value as "live")}
              />
              <Choice
                label={t("newKey.life")}
                value={life}
                options={lives.filter((each) => each !== "never" || mayForever).map((each) => [each, t(`newKey.life.${each}`)] as const)}
                onChange={setLife}
              />
            </div>
            <Wrong text={wrong.life?.join(" ")} />
            {life === "never" && <Note kind="warn">{t("newKey.forever")}</Note>}
            <label className={`${page["field"]} ${classes["wide"]}`}>
              {t("keys.networks")}
              <input
                value={networks}
                placeholder="198.51.100.0/24"
                {...marked("networks")}
                onChange={(event) => setNetworks(event.currentTarget.value)}
              />
              <small>{t("newKey.networksHint")}</small>
              <Wrong id={`${id}-networks`} text={wrong.networks?.join(" ")} />
            </label>
          </div>
        </Card>
        {!catalog.data &&
          (catalog.error ? (
            <Failed error={catalog.error} retry={() => void catalog.refetch()} />
          ) : (
            <Waiting skeleton={<Bones lines={8} />} />
          ))}
        {catalog.data && (
          <Card title={t("newKey.rights")} text={t("newKey.rightsText")}>
            <div className={classes["ends"]}>
              <span className={page["row"]} role="group" aria-label={t("newKey.presets")}>
                {Object.entries(presets).map(([preset, isWanted]) => (
                  <Button key={preset} onClick={() => prefer(isWanted)}>
                    {t(`newKey.preset.${preset}`)}
                  </Button>
                ))}
                <Button variant="subtle" disabled={count === 0} onClick={() => setChosen(new Map())}>
                  {t("newKey.clear")}
                </Button>
              </span>
              <Filter label={t("newKey.filter")} value={filter} onChange={setFilter} />
            </div>
            {shown.length === 0 && <p className={page["muted"]}>{t("newKey.noMatch")}</p>}
          </Card>
        )}
        {shown.map((each) => (
          <Card
            key={each.service_id}
            title={nameOf(each.service_id)}
            tools={<span className={page["muted"]}>{t("newKey.chosen", { count: chosen.get(each.service_id)?.size ?? 0 })}</span>}
          >
            <fieldset className={classes["scopes"]}>
              <legend className="ui-hidden">{t("newKey.scopes")}</legend>
              {each.scopes.map((scope) => (
                <label key={scope.scope} className={page["check"]}>
                  <input
                    type="checkbox"
                    checked={chosen.get(each.service_id)?.has(scope.scope) ?? false}
                    onChange={(event) => choose(each.service_id, scope.scope, event.currentTarget.checked)}
                  />
                  <span>
                    <bdi>{scopeOf(each.service_id, scope)}</bdi>{" "}
                    {scope.risk !== "low" && <Chip kind={risks[scope.risk]}>{t(`risk.${scope.risk}`)}</Chip>}
                    <small>{scope.scope}</small>
                  </span>
                </label>
              ))}
            </fieldset>
            {bindable(each.service_id).map((type) => (
              <Bound
                key={type}
                service={each.service_id}
                type={type}
                chosen={bound.get(`${each.service_id} ${type}`) ?? new Set()}
                onChange={(ids) => setBound(new Map([...bound, [`${each.service_id} ${type}`, ids]]))}
              />
            ))}
          </Card>
        ))}
        {(wrong.grants ?? wrong.rest) && (
          <Note kind="bad" alert>
            {[...(wrong.grants ?? []), ...(wrong.rest ?? [])].map((each) => (
              <p key={each}>{each}</p>
            ))}
          </Note>
        )}
        <div className={classes["foot"]}>
          <span className={page["muted"]}>{t("newKey.chosen", { count })}</span>
          <Button component={Link} to="/api-keys">
            {t("act.cancel")}
          </Button>
          <Button type="submit" variant="filled" loading={busy}>
            {t("newKey.make")}
          </Button>
        </div>
      </form>
      <Unsaved when={!made && (name.trim() !== "" || chosen.size > 0 || networks.trim() !== "")} />
      {made && (
        <ShownOnce
          title={t("keys.key")}
          text={t("newKey.once")}
          file="api-key.txt"
          value={made.key}
          onClose={() => navigate(`/api-keys/${made.id}`)}
        >
          <Curl services={[...chosen.keys()]} secret={made.key} />
        </ShownOnce>
      )}
    </Page>
  );
}

/** The things of a kind that a key is bound to, chosen by name; none: all that its owner reaches. */
function Bound({
  service,
  type,
  chosen,
  onChange,
}: {
  service: string;
  type: string;
  chosen: ReadonlySet<string>;
  onChange: (ids: ReadonlySet<string>) => void;
}) {
  const { t } = useTexts();
  const api = useIdentity();
  const { data, error, refetch } = useQuery({
    queryKey: ["/api/auth/services", service, "bindable", type],
    queryFn: async ({ signal }) =>
      (
        await whole(
          api.get("/api/auth/services/{service_id}/bindable-resources/{type}", {
            path: { service_id: service, type },
            query: { limit: most },
            signal,
          }),
        )
      ).items,
  });
  // What could not be read is not passed over: the key would open more than was meant.
  if (error && !data) return <Failed error={error} retry={() => void refetch()} />;
  if (data?.length === 0) return null;
  const set = (id: string, on: boolean) => onChange(new Set(on ? [...chosen, id] : [...chosen].filter((each) => each !== id)));
  return (
    <fieldset className={classes["set"]}>
      <legend>{t("newKey.only", { type })}</legend>
      <small className={page["muted"]}>{t(chosen.size ? "newKey.onlySome" : "newKey.onlyAll")}</small>
      {data?.map(({ id, label }) => (
        <label key={id} className={page["check"]}>
          <input type="checkbox" checked={chosen.has(id)} onChange={(event) => set(id, event.currentTarget.checked)} />
          <bdi>{label || id}</bdi>
        </label>
      ))}
    </fieldset>
  );
}
