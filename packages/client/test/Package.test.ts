import { assert, it } from "@effect/vitest"
import * as FreePort from "@headwater/fixtures/FreePort"
import * as TemporaryDirectory from "@headwater/fixtures/TemporaryDirectory"
import { Effect } from "effect"
import { execFile } from "node:child_process"
import * as Fs from "node:fs/promises"
import * as Path from "node:path"
import { pack } from "../../../build/Archive.ts"
import * as Section from "../../../test/documents/Section.ts"
import * as Walkthrough from "../../../test/documents/Walkthrough.ts"
import * as ServerProcess from "../../../test/ServerProcess.ts"

const root = Path.resolve(import.meta.dirname, "../../..")

/** What a program prints, with its exit code in front if that is not 0. */
const run = (command: string, args: ReadonlyArray<string>, cwd: string) =>
  Effect.callback<string>((resume) => {
    execFile(command, args, { cwd }, (error, stdout, stderr) => {
      resume(Effect.succeed(error === null ? stdout : `${error.code}: ${stdout}${stderr}`))
    })
  })

/** As somebody has them who installs the client and Node's types. */
const compilerOptions = (module: string, moduleResolution: string) => ({
  module,
  moduleResolution,
  target: "ES2022",
  lib: ["ES2024", "DOM", "DOM.Iterable", "DOM.AsyncIterable"],
  types: ["node"],
  typeRoots: [Path.join(root, "node_modules/@types")],
  strict: true,
  exactOptionalPropertyTypes: true,
  noUncheckedIndexedAccess: true,
  noEmit: true
})

/** Of two versions, and with two ways to find modules. */
const compilers = [
  ["node_modules/.bin/tsc", "NodeNext", "NodeNext"],
  ["packages/client/node_modules/.bin/tsc", "ESNext", "Bundler"]
] as const

it.live("the packed clients, in a folder of their own, are what docs/clients.md shows", () =>
  Effect.gen(function*() {
    const folder = yield* TemporaryDirectory.make("client")
    const write = (file: string, text: string) => Effect.promise(() => Fs.writeFile(Path.join(folder, file), text))
    const packed = yield* Effect.promise(() => pack(["@headwater/client", "@headwater/api"], folder))
    yield* write("package.json", "{ \"type\": \"module\" }")
    const install = [
      "install",
      "--prefer-offline",
      "--legacy-peer-deps",
      "--no-audit",
      "--no-fund",
      ...Object.values(packed)
    ]
    assert.match(yield* run("npm", install, folder), /^added \d+ packages/m)
    const all = yield* Effect.promise(() => Fs.readdir(Path.join(folder, "node_modules")))
    // The API of timers reads schedules by croner.
    assert.sameMembers(all.filter((name) => !name.startsWith(".")), ["@headwater", "croner"])
    // What npm would install for the client for Effect.
    yield* Effect.promise(() =>
      Fs.symlink(Path.join(root, "node_modules/effect"), Path.join(folder, "node_modules/effect"))
    )
    const installed = yield* Effect.promise(() => Fs.readdir(Path.join(folder, "node_modules/@headwater/client")))
    assert.sameMembers(installed, ["LICENSE", "README.md", "package.json", "src"])

    const document = yield* Effect.promise(() => Fs.readFile(Path.join(root, "docs/clients.md"), "utf8"))
    const examples = [...document.matchAll(/^```ts\n\/\/ (\S+)\n([\s\S]*?)^```$/gm)]
    assert.strictEqual(examples.length, document.split("```ts\n").length - 1)
    yield* Effect.promise(() => Fs.mkdir(Path.join(folder, "effect")))
    for (const [, file, code] of examples) yield* write(file!, code!)

    for (const [compiler, module, resolution] of compilers) {
      const options = { compilerOptions: compilerOptions(module, resolution), include: ["*.ts", "effect"] }
      yield* write("tsconfig.json", JSON.stringify(options))
      assert.strictEqual(yield* run(Path.join(root, compiler), [], folder), "", `${compiler} ${module}`)
    }

    const server = yield* ServerProcess.make
    yield* server.start
    const port = yield* FreePort.find
    // Python has its own test.
    const walked = document.replace(Section.of(document, "With Python"), "")
    assert.isAbove(yield* Walkthrough.walk(walked, { server, directory: folder, port }), 8)
  }), 240_000)
