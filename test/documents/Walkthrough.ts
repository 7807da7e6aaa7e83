import { assert } from "@effect/vitest"
import { prefixes } from "@headwater/domain/Id"
import * as TemporaryDirectory from "@headwater/fixtures/TemporaryDirectory"
import { Effect, Schedule } from "effect"
import { spawn } from "node:child_process"
import type { Writable } from "node:stream"
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

const ids = new RegExp(`\\b(${Object.values(prefixes).join("|")})_[0-9A-Za-z]{20}\\b`, "g")

/** What differs from one walk to the next: ids, keys, times, ports, and curl's own version. */
const withoutChance = (text: string): string =>
  text
    .replace(ids, "$1_ID")
    .replace(/"(start|end)_cursor":"\w+"/g, "\"$1_cursor\":\"CURSOR\"")
    .replace(/"position":"\d+"/g, "\"position\":\"PLACE\"")
    .replace(/\bwhsec_[\w+/=]+/g, "whsec_SECRET")
    .replace(/"lease":\{"id":"[^"]*"/g, "\"lease\":{\"id\":\"ID\"")
    .replace(/\/http\/[0-9A-Za-z]{24}/g, "/http/KEY")
    .replace(/"emit_id":"[^"]*"/g, "\"emit_id\":\"ID\"")
    .replace(/\b\d{13}-\d+\b/g, "EVENT")
    .replace(/\b\d{13}\b/g, "MS")
    .replace(/\b1\d{9}\b/g, "SECONDS")
    .replace(/\b\d{4}-\d\d-\d\d(T[\d:.]+Z| \d\d:\d\d:\d\d)\b/g, "TIME")
    .replace(/127\.0\.0\.1:\d+/g, "HOST")
    .replace(/\b\d+ ms\b/g, "N ms")
    .replace(/curl\/[\d.]+/g, "curl")
    .replace(/"duration_ms":\d+/g, "\"duration_ms\":MS")
    .replace(/ in \S+config\.json/g, " in FILE")

const separator = "=====walk====="

/** What a command printed, and what all of them have said on standard error so far. */
interface Printed {
  readonly stdout: string
  readonly stderr: string
}

/** A shell that does one command after the other. What it has begun in the background ends with it. */
const makeShell = (directory: string, env: NodeJS.ProcessEnv) =>
  Effect.acquireRelease(
    Effect.sync(() => {
      const loop = `while IFS= read -r -d '' -u 3 command; do eval "$command" 3<&-; printf '\\n${separator}\\n'; done`
      const child = spawn("bash", ["-c", `${loop}; kill $(jobs -p)`], {
        cwd: directory,
        env,
        stdio: ["ignore", "pipe", "pipe", "pipe"]
      })
      const commands = child.stdio[3] as Writable
      const ended = new Promise<void>((resolve) => child.once("exit", () => resolve()))
      let stdout = ""
      let stderr = ""
      let read = () => {}
      child.stderr!.setEncoding("utf8").on("data", (text: string) => void (stderr += text))
      child.stdout!.setEncoding("utf8").on("data", (text: string) => {
        stdout += text
        read()
      })
      // A shell that has ended takes no command: what it printed tells.
      commands.on("error", () => {})
      const run = (command: string): Effect.Effect<Printed> =>
        Effect.callback((resume) => {
          const end = (printed: string) => resume(Effect.succeed({ stdout: printed.trim(), stderr }))
          read = () => {
            const at = stdout.indexOf(`${separator}\n`)
            if (at === -1) return
            const printed = stdout.slice(0, at)
            stdout = stdout.slice(at + separator.length + 1)
            end(printed)
          }
          void ended.then(() => end(stdout))
          commands.write(`${command}\0`)
        })
      return { run, child, commands, ended }
    }),
    ({ child, commands, ended }) =>
      Effect.gen(function*() {
        commands.end()
        yield* Effect.timeoutOption(Effect.promise(() => ended), "10 seconds")
        child.kill("SIGKILL")
      })
  )

/** Whether a command only reads, so that it may be done again when what it reads is not there yet. */
const isReading = ({ command }: Step): boolean =>
  /^(sleep \d+; )?((export )?\w+=\$\()?(curl|api|cat|test|npx headwater (events|errors|why|runs list)) /.test(
    command
  ) &&
  !/ -X | -d | --json |headwater deploy/.test(command)

const withoutSleep = (command: string): string => command.replace(/^sleep \d+; /, "")

/** How often, and how long after each other, what is shown is looked for. */
const looks = { times: 150, spaced: "200 millis" } as const

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
      .replace(
        /npx headwater login( --url \S+)?/,
        `echo ${ServerProcess.key} | npx headwater login --url ${server.url}`
      )
      .replace(/hw_[0-9A-Za-z]{40}/, ServerProcess.key)
      .replaceAll("http://127.0.0.1:8787", server.url)
      .replaceAll("127.0.0.1:9000", `127.0.0.1:${port}`)
  const environment = options.environment ?? (yield* ownEnvironment)
  const shell = yield* makeShell(directory, environment)
  yield* shell.run(`export PORT=${port}`)
  for (const [index, { command, output }] of steps.entries()) {
    const first = yield* shell.run(here(command))
    const readings = steps.slice(steps.slice(0, index + 1).findLastIndex((step) => !isReading(step)) + 1, index + 1)
    // What is read may not be there yet on a busy machine, where a reader of the document would wait a little longer.
    const again = Effect.forEach(readings, (step) => shell.run(withoutSleep(here(step.command))))
    const { stderr, stdout } = matches(first.stdout, output) || readings.length === 0
      ? first
      : (yield* Effect.repeat(again, {
        until: (printed) => matches(printed.at(-1)!.stdout, output),
        schedule: Schedule.spaced(looks.spaced),
        times: looks.times
      })).at(-1)!
    if (matches(stdout, output)) continue
    assert.strictEqual(withoutChance(stdout), withoutChance(output), `${command}\nOn standard error:\n${stderr}`)
  }
  return steps.length
}, Effect.scoped)
