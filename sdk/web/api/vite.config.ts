import { defineConfig } from "vitest/config";

export default defineConfig({
  logLevel: "warn",
  build: { target: "es2022", emptyOutDir: false, lib: { entry: "src/index.ts", formats: ["es"], fileName: "index" } },
  test: { testTimeout: 60_000, environment: "node", include: ["tests/*.test.ts"] },
});
