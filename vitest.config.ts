import { defineConfig } from "vitest/config"
import { BaseSequencer, type TestSpecification } from "vitest/node"

const isOfWholeSystem = ({ moduleId }: TestSpecification): boolean => /\/(?:test|cli\/src)\/[^/]+$/.test(moduleId)

/** Those of the whole system take longest, however small their files: they come first, or one of them ends long after all others. */
class WholeSystemFirst extends BaseSequencer {
  override async sort(files: Array<TestSpecification>): Promise<Array<TestSpecification>> {
    const sorted = await super.sort(files)
    return [...sorted.filter(isOfWholeSystem), ...sorted.filter((file) => !isOfWholeSystem(file))]
  }
}

export default defineConfig({
  test: {
    include: ["packages/**/*.test.ts", "apps/**/*.test.ts", "clients/**/*.test.ts", "test/**/*.test.ts"],
    globalSetup: ["packages/fixtures/src/TestPostgres.ts"],
    silent: "passed-only",
    // Loading Effect for each file would take longer than most files' tests. They share no state but what modules hold.
    isolate: false,
    sequence: { sequencer: WholeSystemFirst },
    // Much of the work is done by servers, databases and sandboxes, for which a test waits: no processor is left over.
    maxWorkers: "100%",
    // Most tests take milliseconds. Those that create a database, or use up a run's processor time, take many times as long
    // on a loaded machine as on an idle one.
    testTimeout: 240_000,
    hookTimeout: 120_000,
    teardownTimeout: 40_000
  }
})
