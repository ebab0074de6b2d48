import { useTexts } from "@portico/app-shell";
import { Button } from "@mantine/core";
import { Bones, IconMenu, MenuItem, MenuLine, MenuTitle, useUi } from "@portico/ui";
import { EllipsisVertical } from "lucide-react";
import { useEffect, useRef, useState, type ReactNode } from "react";
import { AppIcon, LaunchLink } from "../parts.tsx";
import { launchPath, type CatalogEntry, type PlacedWidget, type Size, type WidgetOffer } from "../service.ts";
import { keyOf, sizesOf } from "./layout.ts";
import { TileBody } from "./TileBody.tsx";
import type { Tiles, TileState } from "./tiles.ts";
import classes from "./dashboard.module.css";

interface TileProps {
  readonly tile: PlacedWidget;
  readonly name: string;
  readonly app: CatalogEntry | undefined;
  readonly offer: WidgetOffer | undefined;
  readonly state: TileState | undefined;
  readonly grip: ReactNode;
  readonly watch: Tiles["watch"];
  readonly onRefresh: () => void;
  readonly onSize: (size: Size) => void;
  readonly onHide: () => void;
}

/** A tile: the app, how current its figures are, and the figures. It has its size before they come. */
export function Tile({ tile, name, app, offer, state, grip, watch, onRefresh, onSize, onHide }: TileProps) {
  const { t } = useTexts();
  const { sentence } = useUi();
  const key = keyOf(tile);
  const place = useRef<HTMLLIElement>(null);
  useEffect(() => (place.current ? watch(key, place.current) : undefined), [key, watch]);
  return (
    <li ref={place} className={classes["tile"]} data-size={tile.size} data-tile={key}>
      <header className={classes["tileHead"]}>
        <LaunchLink service={tile.service_id} className={classes["tileName"]}>
          {app && <AppIcon app={app} size="small" />}
          <h2>
            <bdi>{name}</bdi>
          </h2>
        </LaunchLink>
        <Age state={state} name={app?.name ?? name} />
        {grip}
        <IconMenu label={t("tile.menu", { name })} icon={<EllipsisVertical size={16} aria-hidden />}>
          {(close) => (
            <>
              {app && <MenuItem href={launchPath(tile.service_id)}>{t("apps.openName", { name: app.name })}</MenuItem>}
              <MenuItem icon="" onClick={() => (close(), onRefresh())}>
                {t("tile.refresh")}
              </MenuItem>
              <MenuLine />
              <MenuTitle>{t("tile.size")}</MenuTitle>
              {sizesOf(offer).map((size) => (
                <MenuItem key={size} checked={size === tile.size} onClick={() => (close(), size !== tile.size && onSize(size))}>
                  {t(`tile.size.${size}`)}
                </MenuItem>
              ))}
              <MenuLine />
              <MenuItem icon="" onClick={() => (close(), onHide())}>
                {t("tile.hide")}
              </MenuItem>
            </>
          )}
        </IconMenu>
      </header>
      <div className={classes["tileBody"]}>
        {state?.answer?.widget ? (
          <>
            {state.answer.source === "metadata" && state.answer.error && (
              <p className={classes["quiet"]}>{t(reasonOf(state.answer.error.code), { name: app?.name ?? name })}</p>
            )}
            <TileBody widget={state.answer.widget} service={tile.service_id} size={tile.size} />
          </>
        ) : state?.error ? (
          <div className={classes["told"]} role="alert">
            <p className={classes["strong"]}>{sentence(state.error)}</p>
            <p className={classes["quiet"]}>{t("tile.retries")}</p>
            <div>
              <Button size="compact-sm" onClick={onRefresh}>
                {t("tile.refresh")}
              </Button>
            </div>
          </div>
        ) : state ? (
          <p className={classes["quiet"]}>{t(`tile.excluded.${state.excluded ?? "unknown_widget"}`)}</p>
        ) : (
          <>
            <span className="ui-hidden">{t("tile.waiting")}</span>
            <Bones lines={tile.size === "l" ? 8 : 4} />
          </>
        )}
      </div>
    </li>
  );
}

const tickMilliseconds = 10_000;
const minuteSeconds = 60;

/** How current the figures are: live, how old and why, or only an overview. */
function Age({ state, name }: { state: TileState | undefined; name: string }) {
  const { t, number } = useTexts();
  const [now, setNow] = useState(Date.now);
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), tickMilliseconds);
    return () => clearInterval(timer);
  }, []);
  const { answer, at, error } = state ?? {};
  if (!answer) return null;
  const seconds = Math.max(0, answer.ageSeconds + Math.round((now - (at ?? now)) / 1_000));
  const age =
    seconds < minuteSeconds
      ? t("tile.seconds", { count: number(seconds) })
      : t("tile.minutes", { count: number(Math.floor(seconds / minuteSeconds)) });
  const why = answer.error ? t(reasonOf(answer.error.code), { name }) : "";
  const [kind, text] =
    answer.source === "metadata"
      ? ([answer.error && reasonOf(answer.error.code) === denied ? "plain" : "bad", t("tile.overview")] as const)
      : answer.source === "stale" || error
        ? (["warn", why ? t("tile.staleWhy", { age, why }) : t("tile.stale", { age })] as const)
        : seconds < minuteSeconds
          ? (["good", t("tile.live")] as const)
          : (["plain", t("tile.stale", { age })] as const);
  return (
    <span
      className={classes["age"]}
      data-kind={kind}
      data-source={answer.source}
      title={[text, why, seconds >= 1 ? t("tile.stale", { age }) : ""]
        .filter((each, at, all) => each && all.indexOf(each) === at)
        .join(" · ")}
    >
      {text}
    </span>
  );
}

/** Codes of failures by what users read of them. */
const denied = "tile.why.denied";
const reasonOf = (code: string): string =>
  code === "bad_payload" || code === "too_large"
    ? "tile.why.wrong"
    : code === "token_refused" || code === "http_403" || code === "http_401"
      ? denied
      : "tile.why.silent";
