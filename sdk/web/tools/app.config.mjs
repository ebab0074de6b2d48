// How an app is bundled and served while one works on it. The app's folder is the working directory; PORTICO_DAEMON is what `sdk/web/dev` stands before.
import { createHash } from "node:crypto";
import { existsSync, readFileSync } from "node:fs";
import { join, relative } from "node:path";
import { defineConfig } from "vite";

const app = process.cwd();
const root = join(import.meta.dirname, "../../..");
const { portico } = JSON.parse(readFileSync(join(app, "package.json"), "utf8"));
const digest = (text, length = 8) => createHash("sha256").update(text).digest("base64url").replaceAll(/[-_]/g, "0").slice(0, length);

export default defineConfig(async ({ command }) => ({
  root: app,
  logLevel: command === "build" ? "warn" : "info",
  publicDir: existsSync(join(app, "public")) ? "public" : false,
  plugins: [page(), command === "serve" && (await import("@vitejs/plugin-react")).default(), command === "serve" && followSources()],
  css: { modules: { generateScopedName: (name, file) => `${name}-${digest(relative(root, file.split("?")[0]) + name, 5)}` } },
  build: {
    target: "es2022",
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    reportCompressedSize: false,
    manifest: true,
    license: { fileName: "licenses.json" },
    emptyOutDir: true,
    // Mantine marks its files for servers that render; nothing of that is meant here.
    rolldownOptions: { onLog: (level, log, tell) => log.code !== "MODULE_LEVEL_DIRECTIVE" && tell(level, log) },
  },
  server: { port: 5173, strictPort: false, proxy: proxy(process.env.PORTICO_DAEMON) },
}));

/** The page: one for all apps unless an app has its own, with the theme's script before the style. */
function page() {
  const script = readFileSync(join(import.meta.dirname, "theme.js"), "utf8").replace(/^\/\/.*\n/gm, "");
  const name = `assets/theme-${digest(script)}.js`;
  return {
    name: "portico-page",
    generateBundle() {
      this.emitFile({ type: "asset", fileName: name, source: script });
    },
    configureServer({ middlewares }) {
      middlewares.use((request, response, next) => (request.url === `/${name}` ? response.setHeader("Content-Type", "text/javascript").end(script) : next()));
    },
    transformIndexHtml: (html) => ({
      html: html.replaceAll("%TITLE%", portico.title),
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
