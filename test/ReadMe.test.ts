import { assert, it } from "@effect/vitest"
import * as FreePort from "@headwater/testing/FreePort"
import { Effect } from "effect"
import { execFile } from "node:child_process"
import * as Fs from "node:fs/promises"
import * as Path from "node:path"
import * as ServerProcess from "./ServerProcess.ts"

interface Step {
  readonly command: string
  readonly output: string
}

const root = Path.resolve(import.meta.dirname, "..")

/** The commands of the README's walk-through, each with the output shown below it. */
const stepsOf = (readme: string): ReadonlyArray<Step> =>
  [...readme.matchAll(/```console\n([\s\S]*?)```/g)].flatMap(([, block]) =>
    block!.split(/^\$ /m).slice(1).map((step) => {
      const end = step.indexOf("\n")
      return { command: step.slice(0, end), output: step.slice(end + 1).trim() }
    })
  )

/** What differs from one walk to the next: ids, keys, times, ports, and curl's own version. */
const withoutChance = (text: string): string =>
  text
    .replace(/\b(dc|sc|sub|u|wh)_[0-9A-Za-z]{20}\b/g, "$1_ID")
    .replace(/\/http\/[0-9A-Za-z]{24}/g, "/http/KEY")
    .replace(/"emit_id":"[^"]*"/g, "\"emit_id\":\"ID\"")
    .replace(/\b\d{13}-\d+\b/g, "EVENT")
    .replace(/\b\d{13}\b/g, "MS")
    .replace(/\b1\d{9}\b/g, "SECONDS")
    .replace(/\b\d{4}-\d\d-\d\dT[\d:.]+Z\b/g, "TIME")
    .replace(/127\.0\.0\.1:\d+/g, "HOST")
    .replace(/curl\/[\d.]+/g, "curl")

const run = (script: string): Effect.Effect<string> =>
  Effect.callback((resume) => {
    execFile("bash", ["-c", script], { cwd: root }, (_, stdout) => resume(Effect.succeed(stdout)))
  })

it.live("the README's walk-through does what it shows, command by command", () =>
  Effect.gen(function*() {
    const server = yield* ServerProcess.make
    yield* server.start
    const receiver = yield* FreePort.find
    const steps = stepsOf(yield* Effect.promise(() => Fs.readFile(Path.join(root, "README.md"), "utf8")))
    assert.isAbove(steps.length, 15)
    const here = (command: string) =>
      command
        .replace(/export KEY=\S+/, `export KEY=${ServerProcess.key}`)
        .replaceAll("http://127.0.0.1:8787", server.url)
        .replaceAll("127.0.0.1:9000", `127.0.0.1:${receiver}`)
    const separator = "=====walk====="
    const script = [
      `export PORT=${receiver}`,
      ...steps.map(({ command }) => `${here(command)}\nprintf '\\n${separator}\\n'`),
      "kill %1"
    ].join("\n")
    const outputs = (yield* run(script)).split(`${separator}\n`).map((output) => output.trim())
    for (const [index, { command, output }] of steps.entries()) {
      assert.strictEqual(withoutChance(outputs[index] ?? ""), withoutChance(output), command)
    }
  }), 120_000)
