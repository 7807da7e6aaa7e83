import { assert } from "@effect/vitest"
import * as TemporaryDirectory from "@headwater/fixtures/TemporaryDirectory"
import { Effect } from "effect"
import { execFile } from "node:child_process"
import * as ServerProcess from "../ServerProcess.ts"

interface Step {
  readonly command: string
  readonly output: string
}

/** The commands of a document's `console` blocks, each with the output shown below it. */
const stepsOf = (document: string): ReadonlyArray<Step> =>
  [...document.matchAll(/```console\n([\s\S]*?)```/g)].flatMap(([, block]) =>
    block!.split(/^\$ /m).slice(1).map((step) => {
      const end = step.indexOf("\n")
      return { command: step.slice(0, end), output: step.slice(end + 1).trim() }
    })
  )

/** What differs from one walk to the next: ids, keys, times, ports, and curl's own version. */
const withoutChance = (text: string): string =>
  text
    .replace(/\b(dc|sc|sub|u|wh|p|d|c|run)_[0-9A-Za-z]{20}\b/g, "$1_ID")
    .replace(/\bcnVu\w{27,}/g, "CURSOR")
    .replace(/\/http\/[0-9A-Za-z]{24}/g, "/http/KEY")
    .replace(/"emit_id":"[^"]*"/g, "\"emit_id\":\"ID\"")
    .replace(/\b\d{13}-\d+\b/g, "EVENT")
    .replace(/\b\d{13}\b/g, "MS")
    .replace(/\b1\d{9}\b/g, "SECONDS")
    .replace(/\b\d{4}-\d\d-\d\d(T[\d:.]+Z| \d\d:\d\d:\d\d)\b/g, "TIME")
    .replace(/127\.0\.0\.1:\d+/g, "HOST")
    .replace(/curl\/[\d.]+/g, "curl")
    .replace(/"duration_ms":\d+/g, "\"duration_ms\":MS")
    .replace(/ in \S+config\.json/g, " in FILE")

const run = (script: string, directory: string, env: NodeJS.ProcessEnv): Effect.Effect<string> =>
  Effect.callback((resume) => {
    execFile("bash", ["-c", script], { cwd: directory, env }, (_, stdout) => resume(Effect.succeed(stdout)))
  })

/** That of the tests, in which nobody has logged in. */
const ownEnvironment = Effect.gen(function*() {
  const { HEADWATER_API_KEY: _key, HEADWATER_URL: _url, ...others } = process.env
  return { ...others, XDG_CONFIG_HOME: yield* TemporaryDirectory.make("config") }
})

const escaped = (text: string): string => text.replaceAll(/[\\^$.*+?()[\]{}|]/g, "\\$&")

/** Whether a command has printed what is shown, in which a line of three dots stands for any lines. */
const matches = (printed: string, shown: string): boolean => {
  const parts = withoutChance(shown).split(/^\.\.\.$/m).map((part) => escaped(part.trim()))
  return new RegExp(`^${parts.join("[^]*")}$`).test(withoutChance(printed))
}

/** Does what a document shows, command by command in one shell, and holds what they print against what it shows. */
export const walk = Effect.fnUntraced(function*(document: string, options: {
  readonly server: Pick<ServerProcess.ServerProcess, "url">
  /** In which the commands find their files. */
  readonly directory: string
  /** The port that stands for the 9000 of the document, also in the environment as `PORT`. */
  readonly port: number
  /** In place of that of the tests. */
  readonly environment?: Readonly<Record<string, string>>
}) {
  const { directory, port, server } = options
  const steps = stepsOf(document)
  const here = (command: string) =>
    command
      // Asks for the key at a terminal.
      .replace("npx headwater login", `echo ${ServerProcess.key} | npx headwater login --url ${server.url}`)
      .replace(/hw_[0-9A-Za-z]{40}/, ServerProcess.key)
      .replaceAll("http://127.0.0.1:8787", server.url)
      .replaceAll("127.0.0.1:9000", `127.0.0.1:${port}`)
  const separator = "=====walk====="
  const script = [
    `export PORT=${port}`,
    ...steps.map(({ command }) => `${here(command)}\nprintf '\\n${separator}\\n'`),
    "kill $(jobs -p)"
  ].join("\n")
  const environment = options.environment ?? (yield* ownEnvironment)
  const outputs = (yield* run(script, directory, environment)).split(`${separator}\n`).map((output) => output.trim())
  for (const [index, { command, output }] of steps.entries()) {
    const printed = outputs[index] ?? ""
    if (!matches(printed, output)) assert.strictEqual(withoutChance(printed), withoutChance(output), command)
  }
  return steps.length
})
