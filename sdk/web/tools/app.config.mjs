// How an app is bundled and served while one works on it. The app's folder is the working directory; PORTICO_DAEMON is what `sdk/web/dev` stands before.
import { createHash } from "node:crypto";
import { existsSync, readFileSync } from "node:fs";
import { join, relative } from "node:path";
import { defineConfig } from "vite";

const app = process.cwd();
const root = join(import.meta.dirname, "../../..");
const { portico } = JSON.parse(readFileSync(join(app, "package.json"), "utf8"));
const digest = (text, length = 8) => createHash("sha256").update(text).digest("hex").slice(0, length);

const base =
  /rolldown\/runtime|node_modules\/(react|react-dom|scheduler)\/|sdk\/web\/(auth-client|api|tokens)\/|app-shell\/src\/(apps|base|core|errors|i18n|router|sender|splash|start|store|theme|time|texts\/en|login\/passkeys)\b|sdk\/web\/ui\/src\/texts\.en\b/;
const shell =
  /app-shell\/src\/(workspace|frame|dialog|toasts|trouble|preferences|commands|live)\b|@mantine\/core\/esm\/core\/|@tanstack\/(react-query|query-core)\/|web\/ui\/src\/(ui|undo|theme|i18n|keep|keys|address|order|Text|Menu|Modal|board\/drag|form\/(instants|requestKey)|record\/ahead)\.tsx?/;
/** What only fields need: lists are read without them. */
const fields =
  /@floating-ui\/|@mantine\/core\/esm\/(utils\/Floating|components\/(Combobox|FocusTrap|Pill|PillsInput|Popover|ScrollArea|Select|TagsInput|Textarea|Transition))\/|sdk\/web\/ui\/src\/form\/(?!drafts)/;
/** What two pages or more have in common. */
const shared = /@mantine\/|@floating-ui\/|@tanstack\/react-virtual|@tanstack\/virtual|clsx|sdk\/web\/ui\/src\//;

/**
 * What every view needs comes in one piece, what most pages need in another: a browser has six connections, and each file costs a round. The first groups
 * catch nothing: they tell which modules the entry or so many parts need once what is not used is gone.
 */
function pieces() {
  const found = (options) => {
    const ids = new Set();
    return [ids, { debugName: "found", ...options, name: (id) => (ids.add(id), null) }];
  };
  const [first, findFirst] = found({ tags: ["$initial"] });
  const [icons, findIcons] = found({ minShareCount: 2, test: /lucide-react/ });
  const [own, findOwn] = found({ minShareCount: 3, test: (id) => id.startsWith(`${app}/src/`) });
  const [styles, findStyles] = found({ minShareCount: 2, test: /(?<!app-shell.*)\.module\.css/ });
  const [kit, findKit] = found({ minShareCount: 5, test: shared });
  return [
    ...[findFirst, findIcons, findOwn, findStyles, findKit],
    { name: "base", test: (id) => base.test(id) || icons.has(id) || first.has(id) },
    { name: "shell", test: (id) => shell.test(id) || (!fields.test(id) && (own.has(id) || styles.has(id) || kit.has(id))) },
    { name: "fields", minShareCount: 2, test: fields },
    { name: "more", minShareCount: 3, test: shared },
  ];
}

export default defineConfig(async ({ command }) => ({
  root: app,
  logLevel: command === "build" ? "warn" : "info",
  publicDir: existsSync(join(app, "public")) ? "public" : false,
  plugins: [page(), command === "serve" && (await import("@vitejs/plugin-react")).default(), command === "serve" && followSources()],
  css: { modules: { generateScopedName: (name, file) => `${name}-${digest(relative(root, file.split("?")[0]) + name, 5)}` } },
  build: {
    target: "es2022",
    assetsInlineLimit: 0,
    // One file: it is asked for with the first script, and no page waits for a style of its own.
    cssCodeSplit: false,
    modulePreload: { polyfill: false },
    reportCompressedSize: false,
    manifest: true,
    license: { fileName: "licenses.json" },
    emptyOutDir: true,
    rolldownOptions: {
      output: { hashCharacters: "hex", codeSplitting: { groups: pieces() } },
      // Mantine marks its files for servers that render; nothing of that is meant here.
      onLog: (level, log, tell) => log.code !== "MODULE_LEVEL_DIRECTIVE" && tell(level, log),
    },
  },
  server: { port: 5173, strictPort: false, proxy: proxy(process.env.PORTICO_DAEMON) },
}));

/** The page: one for all apps unless an app has its own, with the theme's script before the style. */
function page() {
  const source = readFileSync(join(import.meta.dirname, "theme.js"), "utf8").replace(/^\/\/.*\n/gm, "");
  const icon = readFileSync(join(import.meta.dirname, "icon.svg"), "utf8").trim();
  const scriptFor = (shell) => source.replaceAll("%SHELL%", shell);
  let name = "assets/theme.js";
  return {
    name: "portico-page",
    generateBundle(_, bundle) {
      const shell = Object.values(bundle).find((each) => each.name === "shell");
      const script = scriptFor(shell ? `/${shell.fileName}` : "");
      name = `assets/theme-${digest(script)}.js`;
      this.emitFile({ type: "asset", fileName: name, source: script });
    },
    configureServer({ middlewares }) {
      middlewares.use((request, response, next) =>
        request.url === `/${name}` ? response.setHeader("Content-Type", "text/javascript").end(scriptFor("")) : next(),
      );
    },
    transformIndexHtml: (html) => ({
      html: html.replaceAll("%TITLE%", portico.title).replace("%ICON%", `data:image/svg+xml,${encodeURIComponent(icon)}`),
      tags: [{ tag: "script", attrs: { src: `/${name}` }, injectTo: "head-prepend" }],
    }),
  };
}

/** What the server answers, before a daemon that runs: it sees requests of its own origin. */
function proxy(daemon) {
  if (!daemon) return {};
  const target = { target: daemon, changeOrigin: true, headers: { Origin: daemon } };
  return Object.fromEntries(["/api", "/openapi.json", "/docs", "/health", "/healthz", "/readyz"].map((path) => [path, target]));
}

/** The sources are copied to where npm's packages are; while one works, each change is copied at once. */
function followSources() {
  return {
    name: "portico-sources",
    async configureServer() {
      const { copyFile, mkdir, rm, stat, watch } = await import("node:fs/promises");
      const from = process.env.PORTICO_SOURCES;
      for (const folder of ["sdk/web", relative(root, app)]) {
        const follow = async () => {
          for await (const { filename } of watch(join(from, folder), { recursive: true })) {
            const [source, copy] = [join(from, folder, filename), join(root, folder, filename)];
            const found = await stat(source).catch(() => null);
            if (found?.isFile()) await mkdir(join(copy, ".."), { recursive: true }).then(() => copyFile(source, copy));
            else if (!found) await rm(copy, { recursive: true, force: true });
          }
        };
        void follow();
      }
    },
  };
}
