import { Link, useCan, useMe, useTexts } from "@portico/app-shell";
import { Button } from "@mantine/core";
import { Bones, Empty, Failed, Menu, MenuItem, MenuTitle, Note, useOrder, useUi, Waiting } from "@portico/ui";
import { useQuery } from "@tanstack/react-query";
import { LayoutGrid, Megaphone, Plus } from "lucide-react";
import { useMemo, useRef, useState } from "react";
import { LaunchpadPage, useOnboarding } from "../parts.tsx";
import {
  useCatalog,
  useChangePreferences,
  useLaunchpad,
  usePreferences,
  wholeList,
  type CatalogEntry,
  type PlacedWidget,
  type Preferences,
  type WidgetOffer,
} from "../service.ts";
import { changed, keyOf, moved, shownAt, tilesOf } from "./layout.ts";
import { OpenActions } from "./OpenActions.tsx";
import { Pinned } from "./Pinned.tsx";
import { Tile } from "./Tile.tsx";
import { useTiles } from "./tiles.ts";
import { Unread } from "./Unread.tsx";
import classes from "./dashboard.module.css";

/** The first page of the day: pinned apps, open actions and the tiles of the apps. */
export default function DashboardPage() {
  const { t } = useTexts();
  const { user } = useMe();
  const api = useLaunchpad();
  const preferences = usePreferences();
  const catalog = useCatalog();
  const offers = useQuery({
    queryKey: ["/api/widgets/catalog"],
    staleTime: 60_000,
    queryFn: ({ signal }) => wholeList<WidgetOffer>((query) => api.get("/api/widgets/catalog", { query, signal })),
  });
  const failed = [preferences, catalog, offers].find(({ error, data }) => error && !data);
  const retry = () => [preferences, catalog, offers].forEach((each) => each.error && void each.refetch());
  const name = user.displayName.split(" ")[0];
  const head = name ? t("dashboard.hello", { name }) : t("dashboard.title");
  if (preferences.data && catalog.data && offers.data)
    return <Dashboard head={head} preferences={preferences.data} apps={catalog.data} offers={offers.data} />;
  return (
    <LaunchpadPage title={head} wide>
      {failed ? <Failed error={failed.error} retry={retry} /> : <Waiting skeleton={<Skeleton />} retry={retry} />}
    </LaunchpadPage>
  );
}

const bones = 4;

/** The size of what comes: a row of apps, and tiles. */
function Skeleton() {
  return (
    <div className={classes["room"]}>
      <div className={classes["pinnedBones"]} />
      <div className={classes["grid"]}>
        {Array.from({ length: bones }, (_, at) => (
          <div key={at} className={classes["tile"]} data-size="m">
            <Bones lines={4} />
          </div>
        ))}
      </div>
    </div>
  );
}

function Dashboard({
  head,
  preferences,
  apps,
  offers,
}: {
  head: string;
  preferences: Preferences;
  apps: readonly CatalogEntry[];
  offers: readonly WidgetOffer[];
}) {
  const { t } = useTexts();
  const { undo, notices, sentence } = useUi();
  const { context } = useMe();
  const change = useChangePreferences();
  const onboarding = useOnboarding();
  const seesActions = useCan("actions:read");
  const { states, watch, refresh } = useTiles();
  const stored = useMemo(() => tilesOf(preferences.widgets, offers), [offers, preferences.widgets]);
  // While a tile is carried, the page shows where it would be dropped.
  const [carried, setCarried] = useState<readonly PlacedWidget[] | null>(null);
  const hand = useRef<{ key: string; tiles: readonly PlacedWidget[] }>(null);
  const tiles = carried ?? stored;
  const visible = tiles.filter((each) => each.visible);
  const hidden = tiles.filter((each) => !each.visible);
  const offerOf = (tile: PlacedWidget) => offers.find((each) => keyOf(each) === keyOf(tile));
  const nameOf = (tile: PlacedWidget) => {
    const [app, offer] = [apps.find(({ service_id }) => service_id === tile.service_id)?.name, offerOf(tile)];
    if (!app || !offer) return app ?? offer?.title ?? tile.service_id;
    return offers.filter(({ service_id }) => service_id === tile.service_id).length > 1 ? `${app}: ${offer.title}` : app;
  };

  /** Saves a change of the tiles, as it applies to the newest ones, with a way back. */
  const save = async (
    text: string,
    act: (tiles: readonly PlacedWidget[]) => PlacedWidget[],
    back: (tiles: readonly PlacedWidget[]) => PlacedWidget[],
  ) => {
    const apply = (of: typeof act) => change((now) => ({ widgets: of(tilesOf(now.widgets, offers)) }));
    try {
      await apply(act);
      undo.push({ text, undo: () => apply(back) });
    } catch (error) {
      notices.tell({ kind: "refused", text: sentence(error) });
    } finally {
      setCarried(null);
    }
  };
  const set = (tile: PlacedWidget, part: Partial<PlacedWidget>, text: string) => {
    const before = { size: tile.size, visible: tile.visible };
    const index = visible.indexOf(tile);
    void save(
      text,
      (now) => changed(now, keyOf(tile), part),
      (now) => (part.visible === false ? shownAt(now, keyOf(tile), index) : changed(now, keyOf(tile), before)),
    );
  };
  const keysOf = (all: readonly PlacedWidget[]) => all.filter((each) => each.visible).map(keyOf);
  const order = useOrder(
    visible.map(nameOf),
    (from, to) => {
      const { tiles: now, key } = hand.current ?? { tiles: stored, key: keysOf(stored)[from] ?? "" };
      hand.current = { key, tiles: moved(now, key, keysOf(now)[to] ?? key) };
      setCarried(hand.current.tiles);
    },
    {
      grid: true,
      dropped: (from, to) => {
        const key = hand.current?.key ?? "";
        hand.current = null;
        if (from === to) return setCarried(null);
        // Named by the tile that stands there: others may have moved by then.
        const target = keysOf(stored)[to] ?? key;
        const tile = stored.find((each) => keyOf(each) === key);
        if (tile)
          void save(
            t("tile.moved", { name: nameOf(tile) }),
            (now) => moved(now, key, target),
            (now) => moved(now, key, keysOf(now)[from] ?? key),
          );
      },
    },
  );
  const add = hidden.length > 0 && (
    <Menu
      end
      label={t("tile.add")}
      opener={(props) => (
        <Button {...props} leftSection={<Plus size={16} aria-hidden />}>
          {t("tile.add")}
        </Button>
      )}
    >
      {(close) => (
        <>
          <MenuTitle>{t("tile.hiddenOnes")}</MenuTitle>
          {hidden.map((tile) => (
            <MenuItem key={keyOf(tile)} onClick={() => (close(), set(tile, { visible: true }, t("tile.added", { name: nameOf(tile) })))}>
              <bdi>{nameOf(tile)}</bdi>
            </MenuItem>
          ))}
        </>
      )}
    </Menu>
  );
  return (
    <LaunchpadPage title={head} wide tools={add}>
      <div className={classes["room"]}>
        {context === "organization" && onboarding?.step === "done" && <Note>{t("onboarding.waits")}</Note>}
        {preferences.announcement && (
          <Note>
            <p className={classes["announced"]}>
              <Megaphone size={18} aria-hidden /> {preferences.announcement.text}
            </p>
          </Note>
        )}
        <Pinned apps={apps} preferences={preferences} />
        {/* One row of a fixed height, so that a number that comes late moves nothing. */}
        <div className={classes["news"]}>
          {seesActions && <OpenActions />}
          <Unread ready={states.size > 0 || visible.length === 0} />
        </div>
        {tiles.length === 0 && (
          <Empty
            icon={LayoutGrid}
            title={t("dashboard.none")}
            text={t("dashboard.noneText")}
            action={
              <Button component={Link} to="/apps" variant="filled">
                {t("apps.browse")}
              </Button>
            }
          />
        )}
        {order.voice}
        <ol ref={order.root} className={classes["grid"]} aria-label={t("dashboard.tiles")}>
          {visible.map((tile, at) => (
            <Tile
              key={keyOf(tile)}
              tile={tile}
              name={nameOf(tile)}
              app={apps.find(({ service_id }) => service_id === tile.service_id)}
              offer={offerOf(tile)}
              state={states.get(keyOf(tile))}
              grip={order.grip(at)}
              watch={watch}
              onRefresh={() => refresh(keyOf(tile))}
              onSize={(size) => set(tile, { size }, t("tile.resized", { name: nameOf(tile) }))}
              onHide={() => set(tile, { visible: false }, t("tile.hidden", { name: nameOf(tile) }))}
            />
          ))}
        </ol>
      </div>
    </LaunchpadPage>
  );
}
