import { Effect, Redacted } from "effect"
import { spawn } from "node:child_process"
import * as Fs from "node:fs/promises"
import * as Path from "node:path"
import { attempt, type EmbeddedPostgresFailed, failed } from "./EmbeddedPostgresFailed.ts"
import * as Folder from "./Folder.ts"
import type * as PostgresBinaries from "./PostgresBinaries.ts"
import { uidsWithProcesses } from "./PostgresProcesses.ts"
import { unless } from "./SystemError.ts"
import { type Identity, isRoot, postgresIdentity } from "./Unprivileged.ts"

export const superuser = "postgres"

/**
 * The path by which the running processes know the directory they work in. It stays valid below directories they may
 * not enter, because the kernel hands them the directory itself.
 */
export const workingDirectory = (directory: string): string =>
  process.platform === "linux" ? "/proc/self/cwd" : directory

/** Only the server's PATH is passed on: variables such as PGPORT would change what Postgres does. */
export const environment = (): NodeJS.ProcessEnv => ({ PATH: process.env.PATH ?? "/usr/bin:/bin", LC_ALL: "C" })

/** The identity that Postgres has to run as: it insists on the owner of its data directory. */
export const identityFor = Effect.fnUntraced(function*(directory: string) {
  if (!isRoot()) return undefined
  const owner = yield* attempt(directory, "Cannot read the data directory", () => Fs.stat(directory))
  return owner.uid === 0 ? postgresIdentity() : { uid: owner.uid, gid: owner.gid }
})

/** Creates the database, all at once or not at all: it is made beside its place and moved there when it is complete. */
export const initialise = Effect.fnUntraced(function*(
  directory: string,
  binaries: PostgresBinaries.PostgresBinaries,
  password: Redacted.Redacted
) {
  const found = yield* attempt(
    directory,
    "Cannot look for the database",
    () => unless(["ENOENT"], () => Fs.stat(directory))
  )
  if (found !== undefined) return
  yield* Effect.logInfo(`Creating the embedded database in ${directory}`)

  const staging = `${directory}.new`
  const cluster = Path.join(staging, "cluster")
  const passwordFile = Path.join(staging, "password")
  const creator = yield* attempt(directory, "Cannot choose a user for initdb", initdbIdentity)
  const own = async (path: string, identity: Identity | undefined) => {
    if (identity !== undefined) await Fs.lchown(path, identity.uid, identity.gid)
  }

  yield* attempt(directory, "Cannot prepare the database", async () => {
    await Fs.rm(staging, { recursive: true, force: true })
    await Fs.mkdir(cluster, { recursive: true, mode: 0o700 })
    await Fs.writeFile(passwordFile, Redacted.value(password), { mode: 0o600, flag: "wx" })
    await Promise.all([staging, cluster, passwordFile].map((path) => own(path, creator)))
  })
  yield* runInitdb(directory, cluster, passwordFile, binaries.initdb, creator)
  yield* attempt(directory, "Cannot finish the database", async () => {
    const entries = await Fs.readdir(cluster, { recursive: true })
    await Promise.all(entries.map((entry) => own(Path.join(cluster, entry), postgresIdentity())))
    await own(cluster, postgresIdentity())
    await Fs.rename(cluster, directory)
    await Fs.rm(staging, { recursive: true, force: true })
    await Folder.sync(Path.dirname(directory))
  })
})

const runInitdb = (
  directory: string,
  cluster: string,
  passwordFile: string,
  initdb: string,
  creator: Identity | undefined
) =>
  Effect.callback<void, EmbeddedPostgresFailed>((resume) => {
    const child = spawn(initdb, [
      "-D",
      workingDirectory(cluster),
      `--username=${superuser}`,
      `--pwfile=${Path.relative(cluster, passwordFile)}`,
      "--auth-local=scram-sha-256",
      "--auth-host=reject",
      "--encoding=UTF8",
      // Postgres' own collation: the same order on every system, whatever C library sorts there after an upgrade.
      "--locale=C",
      "--locale-provider=builtin",
      "--builtin-locale=C.UTF-8",
      "--no-instructions"
    ], { cwd: cluster, env: environment(), stdio: ["ignore", "pipe", "pipe"], ...creator })
    let said = ""
    const listen = (chunk: Buffer) => {
      said = (said + chunk.toString("utf8")).slice(-4096)
    }
    child.stdout.on("data", listen)
    child.stderr.on("data", listen)
    child.on("error", (cause) => resume(Effect.fail(failed(directory, "Cannot run initdb", cause))))
    child.on("close", (code, signal) =>
      resume(
        code === 0
          ? Effect.void
          : Effect.fail(failed(directory, `initdb failed (${signal ?? `exit code ${code}`})`, said.trim()))
      ))
    return Effect.sync(() => child.kill("SIGKILL"))
  })

/**
 * The identity that initdb runs as. It refuses to be root and, unlike Postgres itself, insists on a name for its uid.
 * If the uid of Postgres has none, initdb runs as any account that has a name and presently no process that could
 * interfere; its files are handed over to the identity of Postgres afterwards. The directory it works in cannot be
 * entered from outside meanwhile.
 */
const initdbIdentity = async (): Promise<Identity | undefined> => {
  const wanted = postgresIdentity()
  if (wanted === undefined) return undefined
  const accounts = (await Fs.readFile("/etc/passwd", "utf8")).split("\n").flatMap((line) => {
    const [name, , uid, gid] = line.split(":")
    return name !== undefined && uid !== undefined && gid !== undefined && Number(uid) > 0
      ? [{ name, uid: Number(uid), gid: Number(gid) }]
      : []
  })
  if (process.platform !== "linux" || accounts.some((account) => account.uid === wanted.uid)) return wanted
  const busy = await uidsWithProcesses()
  const idle = accounts.filter((account) => !busy.has(account.uid))
  const chosen = idle.find((account) => account.name === "nobody") ?? idle[0]
  if (chosen === undefined) {
    throw new Error(`/etc/passwd names neither the uid ${wanted.uid} nor any unprivileged account without processes`)
  }
  return { uid: chosen.uid, gid: chosen.gid }
}
