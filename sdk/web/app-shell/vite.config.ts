import { defineConfig } from "vitest/config";

export default defineConfig({ logLevel: "warn", test: { testTimeout: 60_000, environment: "node", include: ["tests/*.test.ts"] } });
