import { defineConfig } from "vitest/config";

export default defineConfig({ logLevel: "warn", test: { environment: "node", include: ["tests/*.test.ts"] } });
