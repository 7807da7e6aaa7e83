import * as TemporaryDirectory from "@headwater/fixtures/TemporaryDirectory"
import { Context, Effect, Layer } from "effect"
import { execFile } from "node:child_process"
import * as Fs from "node:fs/promises"
import * as Path from "node:path"

const source = Path.resolve(import.meta.dirname, "..")

/** How a run of Python ended. */
interface Outcome {
  readonly code: unknown
  readonly stdout: string
  readonly stderr: string
}

const python = (
  args: ReadonlyArray<string>,
  cwd: string,
  env: Readonly<Record<string, string>>
): Effect.Effect<Outcome> =>
  Effect.callback((resume) => {
    const child = execFile("python3", args, { cwd, env }, (error, stdout, stderr) => {
      resume(Effect.succeed({ code: error === null ? 0 : error.code, stdout, stderr }))
    })
    return Effect.sync(() => child.kill())
  })

/** That of the tests, in which Python finds nothing but what is installed. */
const ownEnvironment = (): Record<string, string> => {
  const { PYTHONPATH: _path, ...others } = process.env
  return Object.fromEntries(
    Object.entries(others).flatMap(([name, value]) => value === undefined ? [] : [[name, value]])
  )
}

const isSupported = "import sys; sys.exit(sys.version_info < (3, 10))"

/** The Python client, installed by pip into a folder of its own. */
export class InstalledClient extends Context.Service<InstalledClient, {
  /** In which Python finds it. */
  readonly environment: Readonly<Record<string, string>>
  /** Runs Python in a folder. */
  readonly run: (args: ReadonlyArray<string>, cwd: string) => Effect.Effect<Outcome>
}>()("headwater/clients/python/InstalledClient") {
  static readonly layer = Layer.effect(
    InstalledClient,
    Effect.gen(function*() {
      const folder = yield* TemporaryDirectory.make("python")
      const own = { ...ownEnvironment(), PYTHONDONTWRITEBYTECODE: "1" }
      if ((yield* python(["-c", isSupported], folder, own)).code !== 0) {
        return yield* Effect.die(new Error("The tests of the Python client need python3, 3.10 or newer, on the PATH."))
      }
      // What setuptools builds from, since it writes beside it.
      const copy = Path.join(folder, "source")
      yield* Effect.promise(() => Fs.cp(source, copy, { recursive: true }))
      const target = Path.join(folder, "installed")
      const install = ["-m", "pip", "install", "--quiet", "--no-deps", "--target", target, copy]
      const installed = yield* python(install, folder, own)
      if (installed.code !== 0) {
        return yield* Effect.die(new Error(`pip could not install the Python client:\n${installed.stderr}`))
      }
      const environment = { ...own, PYTHONPATH: target }
      return { environment, run: (args, cwd) => python(args, cwd, environment) }
    })
  )
}
