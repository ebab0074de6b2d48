import { Button } from "@mantine/core";
import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { useState, type ReactNode } from "react";
import { createRoot } from "react-dom/client";
import "../../tokens/tokens.css";
import "../src/style.css";
import { createTexts } from "../../app-shell/src/i18n.ts";
import { createUndo, UiProvider, useAddress, useUi, type Notices, type UiServices } from "../src/index.ts";
import { german } from "../src/texts.de.ts";
import { english } from "../src/texts.en.ts";
import { createAddress } from "./address.ts";
import classes from "./gallery.module.css";
import { pages } from "./pages.tsx";
import { faults, release, requests, send } from "./server.ts";

/** Texts of the resource page, as the catalog of an app has them. */
const words = {
  "contacts.qualify": "Qualify",
  "contacts.block": "Block",
  "contacts.block.text": "Campaigns leave out blocked contacts.",
  "contacts.field.stage": "Stage of the sale",
  "contacts.stage.Lead": "New lead",
};

const locale = location.hash.slice(1) || "en";
document.documentElement.lang = locale;
document.documentElement.dir = locale.startsWith("ar") ? "rtl" : "ltr";

const told: { text: string; kind: string }[] = [];
const listeners = new Set<() => void>();
const notices: Notices = { tell: (notice) => (told.push(notice), listeners.forEach((each) => each())) };
const services: UiServices = {
  texts: createTexts(locale, "Europe/Berlin", { ...english, ...words }, locale === "de" ? german : {}),
  address: createAddress(window),
  undo: createUndo(),
  notices,
  send,
  may: (permission) => permission !== "nobody:ever",
};
const client = new QueryClient({ defaultOptions: { queries: { retry: false } } });
Object.assign(window, { gallery: { faults, release, requests, told, client, send, undo: services.undo } });

function Gallery(): ReactNode {
  const [path] = useAddress();
  const { address } = useUi();
  const [, again] = useState(0);
  listeners.add(() => again(told.length));
  const Page = pages[path.slice(1)]?.page;
  return (
    <div className={classes["shell"]}>
      <header className={classes["header"]}>
        <nav aria-label="Gallery">
          {Object.entries(pages).map(([name, { title }]) => (
            <Button key={name} size="compact-sm" variant={path === `/${name}` ? "light" : "subtle"} onClick={() => address.go(`/${name}`)}>
              {title}
            </Button>
          ))}
        </nav>
      </header>
      <main>
        <h1>{pages[path.slice(1)]?.title ?? "Gallery"}</h1>
        {Page && <Page />}
      </main>
      <p className={classes["told"]} role="status">
        {told.at(-1)?.text}
      </p>
    </div>
  );
}

createRoot(document.getElementById("root") as HTMLElement).render(
  <QueryClientProvider client={client}>
    <UiProvider services={services}>
      <Gallery />
    </UiProvider>
  </QueryClientProvider>,
);
