import "@mantine/core/styles/baseline.css";
import "@mantine/core/styles/global.css";
import "@portico/tokens/mantine.css";
import { MantineProvider, createTheme, type MantineThemeOverride } from "@mantine/core";
import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { lazy, Suspense, useMemo, useState, type ComponentType } from "react";
import mantine from "@portico/tokens/mantine.json";
import { useShell, type PageProps, type Section } from "./core.tsx";
import { Panel } from "./errors.tsx";
import { loadChunk } from "./load.ts";
import { Link, match, usePlace } from "./router.tsx";
import { Splash } from "./splash.tsx";
import { useTheme } from "./theme.ts";

const theme = createTheme(mantine as unknown as MantineThemeOverride);
const pages = new WeakMap<Section, ComponentType<PageProps>>();
const pageOf = (section: Section) => {
  const page = pages.get(section) ?? lazy(() => loadChunk(section.page));
  pages.set(section, page);
  return page;
};

export default function Workspace() {
  const { app, auth, texts } = useShell();
  const { shown } = useTheme();
  const [client] = useState(() => new QueryClient());
  const { path } = usePlace();
  const [section, params] = useMemo(() => {
    for (const each of app.sections) {
      const found = match(each.path, path);
      if (found) return [each, found] as const;
    }
    return [null, {}] as const;
  }, [app, path]);
  const Page = section && pageOf(section);
  return (
    <MantineProvider theme={theme} forceColorScheme={shown} withCssVariables={false} withGlobalClasses={false}>
      <QueryClientProvider client={client}>
        <nav>
          {app.sections.filter((each) => each.icon && (!each.permission || auth.can(each.permission))).map((each) => (
            <Link key={each.path} to={each.path}>
              {texts.t(each.label)}
            </Link>
          ))}
        </nav>
        <main>
          <Panel>
            <Suspense fallback={<Splash />}>{Page && <Page params={params} />}</Suspense>
          </Panel>
        </main>
      </QueryClientProvider>
    </MantineProvider>
  );
}
