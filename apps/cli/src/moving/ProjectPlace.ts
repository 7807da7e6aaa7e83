/** Finds the folder of a project, wherever somebody has it: on this machine, in a zip, or in a repository elsewhere. */
import { Effect, FileSystem, Option, Stream } from "effect"
import { ChildProcess, ChildProcessSpawner } from "effect/process"
import * as Path from "node:path"
import { CommandRefused } from "../CommandRefused.ts"
import * as ZipFolder from "./ZipFolder.ts"

const refuse = (message: string) => new CommandRefused({ message })

/** The forms of a URL, of which git runs no program that the URL names. */
const isClonable = (given: string) =>
  /^(https|ssh|file):\/\/[^-\s]\S*$/.test(given) || /^[\w.]+@[A-Za-z0-9][\w.-]*:[^-\s]\S*$/.test(given)

const isUrl = (given: string) => isClonable(given) || /^[A-Za-z][\w+.-]*:(\/\/|:)/.test(given)

/** True if the URL has a secret, which others could see among the arguments of a process. */
const hasSecret = (given: string) => {
  const url = URL.parse(given)
  return url !== null && (url.password !== "" || url.protocol === "https:" && url.username !== "")
}

/** A folder that is gone in the end, whose name is that of the project. */
const namedFolder = Effect.fnUntraced(function*(name: string) {
  const files = yield* FileSystem.FileSystem
  const place = yield* files.makeTempDirectoryScoped({ prefix: "headwater-moving-" })
  const folder = Path.join(place, name.replace(/[^\w.-]+/g, "-").replace(/^[-.]+/, "") || "project")
  yield* files.makeDirectory(folder, { mode: 0o700 })
  return folder
}, Effect.mapError(({ message }) => refuse(message)))

const clone = Effect.fnUntraced(function*(url: string) {
  if (!isClonable(url)) return yield* refuse(`${url} is no URL of a repository that is cloned: https, ssh or file`)
  if (hasSecret(url)) {
    return yield* refuse(
      "the URL has a secret, which others can see: leave it out, and let git ask its credential helper"
    )
  }
  const folder = yield* namedFolder(Path.posix.basename(url.replace(/[/:]+$/, "").replaceAll(":", "/"), ".git"))
  const spawner = yield* ChildProcessSpawner.ChildProcessSpawner
  const { exitCode, told } = yield* Effect.scoped(Effect.gen(function*() {
    const git = yield* spawner.spawn(ChildProcess.make(
      "git",
      ["clone", "--depth", "1", "--quiet", "--no-tags", "--no-recurse-submodules", "--", url, folder],
      { env: { GIT_ALLOW_PROTOCOL: "https:ssh:file", GIT_TERMINAL_PROMPT: "0" }, extendEnv: true, stdin: "ignore" }
    ))
    const [told, exitCode] = yield* Effect.all(
      [git.all.pipe(Stream.decodeText(), Stream.take(1_000), Stream.mkString), git.exitCode],
      { concurrency: 2 }
    )
    return { told, exitCode }
  })).pipe(
    Effect.mapError(({ message }) => refuse(`git can't be run: ${message}`)),
    Effect.timeoutOrElse({
      duration: "15 minutes",
      orElse: () => refuse(`git has not cloned ${url} in 15 minutes`)
    })
  )
  if (exitCode !== 0) return yield* refuse(`git does not clone ${url}: ${told.trim().slice(0, 1_000)}`)
  return folder
})

/**
 * The folder that somebody means by it, its zip, or the URL of its repository. The copy that is made of one of the latter is gone with
 * the scope.
 */
export const open = Effect.fnUntraced(function*(given: string) {
  const files = yield* FileSystem.FileSystem
  const info = Option.getOrUndefined(yield* Effect.option(files.stat(given)))
  if (info === undefined && isUrl(given)) return yield* clone(given)
  // A folder that is not there is told of by those who read it.
  if (info?.type !== "File") return given
  const folder = yield* namedFolder(Path.basename(given).replace(/\.zip$/i, ""))
  yield* ZipFolder.unpack(given, folder)
  return folder
})
