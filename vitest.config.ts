import { defineConfig } from "vitest/config"

export default defineConfig({
  test: {
    include: ["packages/**/*.test.ts", "apps/**/*.test.ts", "test/**/*.test.ts"],
    globalSetup: ["packages/testing/src/TestPostgres.ts"],
    silent: "passed-only",
    // Loading Effect for each file would take longer than most files' tests. They share no state but what modules hold.
    isolate: false,
    // Much of the work is done by servers, databases and sandboxes, for which a test waits: no processor is left over.
    maxWorkers: "100%",
    // Most tests take milliseconds; those that create or recover a database take seconds on a loaded machine.
    testTimeout: 30_000,
    hookTimeout: 60_000,
    teardownTimeout: 40_000
  }
})
