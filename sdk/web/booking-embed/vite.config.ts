import react from "@vitejs/plugin-react";
import { defineConfig } from "vitest/config";

// `vite build` is the package, without React, which the page has; `vite build --mode page` what the browser suite shows, with React as it is for who develops.
export default defineConfig(({ mode }) => {
  const page = mode === "page";
  return {
    logLevel: "warn",
    plugins: [react()],
    define: page ? { "process.env.NODE_ENV": '"development"' } : {},
    build: {
      target: "es2022",
      emptyOutDir: false,
      lib: { entry: page ? "tests/page/main.tsx" : "src/index.ts", formats: ["es"], fileName: page ? "page" : "index" },
      rolldownOptions: { external: page ? [] : ["react", "react/jsx-runtime"] },
    },
    test: { testTimeout: 60_000, environment: "node", include: ["tests/*.test.tsx"] },
  };
});
