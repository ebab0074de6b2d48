import { defineConfig } from "vitest/config";

// One file for pages and one for Node; `mode` says which: vite build --mode index
export default defineConfig(({ mode }) => ({
  logLevel: "warn",
  build: { target: "es2022", emptyOutDir: false, lib: { entry: `src/${mode}.ts`, formats: ["es"], fileName: mode } },
  test: { testTimeout: 60_000, environment: "node", include: ["tests/*.test.ts"] },
}));
