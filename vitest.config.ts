import { defineConfig } from "vitest/config"

export default defineConfig({
  test: {
    include: ["packages/**/*.test.ts", "apps/**/*.test.ts", "test/**/*.test.ts"],
    globalSetup: ["packages/fixtures/src/TestPostgres.ts"],
    silent: "passed-only",
    // Loading Effect for each file would take longer than most files' tests. They share no state but what modules hold.
    isolate: false,
    // Much of the work is done by servers, databases and sandboxes, for which a test waits: no processor is left over.
    maxWorkers: "100%",
    // Most tests take milliseconds. Those that create a database, or use up a run's processor time, take many times as long
    // on a loaded machine as on an idle one.
    testTimeout: 120_000,
    hookTimeout: 60_000,
    teardownTimeout: 40_000
  }
})
