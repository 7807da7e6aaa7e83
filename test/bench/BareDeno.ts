/** A Deno process that answers each line with itself: the least that it costs to have something done by one. */
import * as TemporaryDirectory from "@headwater/fixtures/TemporaryDirectory"
import { packagedDenoPath } from "@headwater/sandbox/SandboxConfig"
import { Effect } from "effect"
import { spawn } from "node:child_process"
import * as Fs from "node:fs/promises"
import * as Path from "node:path"
import { createInterface } from "node:readline"

const program = `
const decoder = new TextDecoder()
const encoder = new TextEncoder()
let rest = ""
for await (const chunk of Deno.stdin.readable) {
  const lines = (rest + decoder.decode(chunk, { stream: true })).split("\\n")
  rest = lines.pop()
  if (lines.length > 0) {
    Deno.stdout.writeSync(encoder.encode(lines.map((line) => JSON.stringify(JSON.parse(line)) + "\\n").join("")))
  }
}`

const line = `${JSON.stringify({ event: { body: { seq: 1 } } })}\n`

export const start = Effect.gen(function*() {
  const file = Path.join(yield* TemporaryDirectory.make("bare"), "echo.js")
  yield* Effect.promise(() => Fs.writeFile(file, program))
  const child = yield* Effect.acquireRelease(
    Effect.sync(() =>
      spawn(packagedDenoPath(), ["run", "--quiet", "--no-prompt", "--no-config", "--no-lock", file], {
        stdio: ["pipe", "pipe", "inherit"]
      })
    ),
    (child) => Effect.sync(() => child.kill("SIGKILL"))
  )
  const waiting: Array<() => void> = []
  createInterface({ input: child.stdout }).on("line", () => waiting.shift()?.())
  return {
    pid: child.pid ?? 0,
    /** Returns with the answer. */
    ask: Effect.callback<void>((resume) => {
      waiting.push(() => resume(Effect.void))
      child.stdin.write(line)
    })
  }
})
