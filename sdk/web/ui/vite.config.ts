import react from "@vitejs/plugin-react";
import { defineConfig } from "vitest/config";

// The gallery, for the browser suite and for people: vite build, or vite for looking while writing.
export default defineConfig({
  root: "gallery",
  logLevel: "warn",
  plugins: [react()],
  build: { target: "es2022", emptyOutDir: true, chunkSizeWarningLimit: 700, modulePreload: { polyfill: false }, assetsInlineLimit: 0 },
  test: { root: ".", testTimeout: 60_000, environment: "node", css: true, include: ["tests/*.test.{ts,tsx}"] },
});
