import { availableParallelism } from "node:os"
import { defineConfig } from "vitest/config"
import { BaseSequencer, type TestSpecification } from "vitest/node"

const isOfWholeSystem = ({ moduleId }: TestSpecification): boolean =>
  /\/(?:test|cli\/src\/commands)\/[^/]+$/.test(moduleId)

/** Those of the whole system take longest, however small their files: they come first, or one of them ends long after all others. */
class WholeSystemFirst extends BaseSequencer {
  override async sort(files: Array<TestSpecification>): Promise<Array<TestSpecification>> {
    const sorted = await super.sort(files)
    return [...sorted.filter(isOfWholeSystem), ...sorted.filter((file) => !isOfWholeSystem(file))]
  }
}

/** One whole-system test for each promise of `docs/durability.md`. */
const promises = "test/Promises.test.ts"

/**
 * Commands that talk to a server, databases and engines that are killed as processes, nodes of a cluster, interpreters of
 * Python, components that an engine runs in a sandbox, files in a bucket, and what takes several packages.
 */
const acrossPackages = [
  "{apps,packages}/*/test/**/*.test.ts",
  "apps/cli/src/commands/*.test.ts",
  "apps/cli/src/{main,setup/SetupFiles}.test.ts",
  "apps/cli/build/*.test.ts",
  "packages/components/src/*.test.ts",
  "packages/engine/src/FileMoving.test.ts",
  "apps/server/src/{FirstPartyPublishing,http/answers/LargeAnswers}.test.ts",
  "packages/engine/src/placement/Cluster.test.ts",
  "packages/postgres/src/EmbeddedPostgres.test.ts",
  "{apps,packages}/**/Python*.test.ts",
  "packages/testing/src/Headwater.test.ts"
]

/** They install packages for minutes, or need Python, Bun or a version before out of the history: each has a command of its own. */
const apart = [
  "clients/python/test/*.test.ts",
  "packages/client/test/{Bun,Package}.test.ts",
  "test/{Bench,OldestPostgres,Packages,Platforms,RollingUpgrade,Upgrade}.test.ts"
]

const project = (name: string, include: ReadonlyArray<string>, exclude: ReadonlyArray<string>) => ({
  extends: true as const,
  test: { name, include: [...include], exclude: ["**/node_modules/**", ...exclude] }
})

export default defineConfig({
  test: {
    projects: [
      project("code", ["{packages,apps,clients}/**/*.test.ts", promises], [...acrossPackages, ...apart]),
      project("system", ["test/**/*.test.ts", ...acrossPackages], [promises, ...apart]),
      project("apart", apart, [])
    ],
    globalSetup: ["packages/fixtures/src/TestPostgres.ts"],
    silent: "passed-only",
    // Loading Effect for each file would take longer than most files' tests. They share no state but what modules hold.
    isolate: false,
    sequence: { sequencer: WholeSystemFirst },
    // Much of the work is done by servers, databases and sandboxes, for which a test waits.
    maxWorkers: Math.ceil(1.5 * availableParallelism()),
    testTimeout: 60_000,
    // Servers, engines and sandboxes start in hooks, several at once.
    hookTimeout: 120_000,
    teardownTimeout: 40_000
  }
})
