import { assert, it } from "@effect/vitest"
import * as TemporaryDirectory from "@headwater/fixtures/TemporaryDirectory"
import { Effect } from "effect"
import { spawnSync } from "node:child_process"
import * as Fs from "node:fs/promises"
import * as Path from "node:path"
import * as CommandBuild from "./CommandBuild.ts"

/** The groups of the API in which commands look up their flags, or of which they follow a stream. */
const groups: Readonly<Record<string, ReadonlyArray<string>>> = {
  ActionsCommand: ["Sources"],
  ApplyCommand: ["AppAccounts", "Sources", "Workflows"],
  CheckCommand: ["Sources"],
  ComponentsCommand: ["Components"],
  ConsumersCommand: ["Consumers", "Events"],
  DeployCommand: ["Sources"],
  DevCommand: ["Events", "Log", "Sources"],
  ExportCommand: ["AppAccounts", "Sources", "Workflows"],
  ImportCommand: ["AppAccounts", "DataStores", "Sources", "Workflows"],
  ListenCommand: ["Consumers", "Events"],
  ProgramStreamCommands: ["Events", "Log"],
  ProjectsCommand: ["Projects"],
  RunCommand: ["Sources"],
  RunsCommand: ["WorkflowRuns"],
  SourcesCommand: ["Sources"],
  StoresCommand: ["DataStores"],
  SubscriptionsCommand: ["Events", "Log", "Subscriptions"],
  TailCommand: ["Events", "Log"],
  WebhooksCommand: ["Webhooks"],
  WorkflowsCommand: ["Workflows"]
}

/** Commands that read and change accounts and keys in the database, and what else is in it only to create or delete one. */
const ofAccounts: ReadonlySet<string> = new Set(["KeyCommand", "TenantsCommand"])

it.live(
  "a command of the bundle begins with few files, and without what of the API and of the log it calls later or not at all",
  () =>
    Effect.gen(function*() {
      const folder = yield* TemporaryDirectory.make("command")
      const { outputs } = yield* Effect.promise(() => CommandBuild.write(folder))
      const filesFrom = (file: string, found = new Set<string>()): ReadonlySet<string> => {
        if (found.has(file)) return found
        found.add(file)
        for (const { external, kind, path } of outputs[file]!.imports) {
          if (kind === "import-statement" && external !== true) filesFrom(path, found)
        }
        return found
      }
      const commands = Object.entries(outputs).flatMap(([file, { entryPoint = "" }]) =>
        entryPoint.startsWith("src/commands/") ? [[Path.basename(entryPoint, ".ts"), filesFrom(file)] as const] : []
      )
      assert.isAbove(commands.length, 30)
      for (const [command, files] of commands) {
        const loaded = [...files].flatMap((file) => Object.keys(outputs[file]!.inputs))
        const loadedGroups = loaded.flatMap((module) => /\/api\/src\/(\w+)Api\.ts$/.exec(module)?.[1] ?? [])
        assert.sameMembers(loadedGroups, groups[command] ?? [], command)
        if (ofAccounts.has(command)) {
          const ofLog = loaded.filter((module) => /\/log\/src\/(?:commit|logs|resources|work)\//.test(module))
          assert.deepStrictEqual(ofLog, [], command)
          assert.notInclude(loaded, "src/access/ApiAccess.ts", command)
        }
        assert.isBelow(files.size, 60, command)
      }
    }),
  60_000
)

it.live(
  "a command of which a part is gone says so and what to do, and others go on",
  () =>
    Effect.gen(function*() {
      const folder = yield* TemporaryDirectory.make("command")
      const { outputs } = yield* Effect.promise(() => CommandBuild.write(folder))
      const own = Path.resolve(import.meta.dirname, "..")
      const part = Object.keys(outputs).find((file) =>
        outputs[file]!.entryPoint === "src/commands/ProgramStreamCommands.ts"
      )
      yield* Effect.promise(() => Fs.rm(Path.resolve(own, part!)))
      // The packages that are not in the bundle lie above it.
      yield* Effect.promise(() =>
        Fs.symlink(Path.resolve(own, "../../node_modules"), Path.join(folder, "node_modules"))
      )
      const run = (...args: ReadonlyArray<string>) =>
        spawnSync(process.execPath, [Path.join(folder, "main.js"), ...args], {
          encoding: "utf8",
          env: { XDG_CONFIG_HOME: folder }
        })
      const { status, stderr, stdout } = run("logs")
      assert.deepStrictEqual([status, stdout], [1, ""])
      assert.match(
        stderr,
        /^headwater: A part of Headwater can't be loaded[^\n]* Run it again[^\n]* install it again[^\n]*\n$/
      )
      assert.strictEqual(run("whoami", "--help").status, 0)
    }),
  60_000
)
