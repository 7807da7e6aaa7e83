import { defineConfig } from "vitest/config"

export default defineConfig({
  test: {
    include: ["packages/**/*.test.ts", "apps/**/*.test.ts", "test/**/*.test.ts"],
    globalSetup: ["packages/testing/src/TestPostgres.ts"],
    silent: "passed-only",
    // Most tests take milliseconds; those that create or recover a database take seconds on a loaded machine.
    testTimeout: 30_000,
    hookTimeout: 60_000,
    teardownTimeout: 40_000
  }
})
