import { Effect } from "effect"
import * as Fs from "node:fs/promises"
import * as Net from "node:net"
import * as Os from "node:os"
import * as Path from "node:path"

const prefix = "headwater-sandbox-"

/** The socket on which a server listens as long as it lives. */
const aliveIn = (directory: string) => Path.join(directory, "alive")

const live = async (directory: string): Promise<Net.Server> => {
  const server = Net.createServer((socket) => socket.destroy()).unref()
  await new Promise<void>((resolve, reject) => server.once("error", reject).listen(aliveIn(directory), resolve))
  await Fs.chmod(aliveIn(directory), 0o600)
  return server
}

/** True if its server was killed: its socket is there, and nobody listens. False if that can't be found out. */
const isLeft = (directory: string): Promise<boolean> =>
  new Promise((resolve) => {
    const socket = Net.connect(aliveIn(directory))
    socket.once("connect", () => {
      socket.destroy()
      resolve(false)
    })
    socket.once("error", (error: NodeJS.ErrnoException) => resolve(error.code === "ECONNREFUSED"))
  })

const removeLeft = async (root: string): Promise<void> => {
  for (const name of await Fs.readdir(root)) {
    const directory = Path.join(root, name)
    if (name.startsWith(prefix) && await isLeft(directory)) await Fs.rm(directory, { recursive: true, force: true })
  }
}

/** Neither is a reason not to start: at worst a directory is left. */
const attempt = <A>(what: string, act: () => Promise<A>) =>
  Effect.tryPromise(act).pipe(
    Effect.catchCause((cause) => Effect.as(Effect.logWarning(`Could not ${what}; going on`, cause), undefined))
  )

/**
 * A directory for what sandboxes load, outside the data directory, which may lie where sandboxes can't go. It goes with
 * its server; that of a server which was killed goes when the next one starts.
 */
export const make = (root = Os.tmpdir()) =>
  Effect.map(
    Effect.acquireRelease(
      Effect.gen(function*() {
        yield* attempt("remove the sandbox directories that killed servers left", () => removeLeft(root))
        const directory = yield* Effect.promise(() => Fs.mkdtemp(Path.join(root, prefix)))
        yield* Effect.promise(() => Fs.chmod(directory, 0o711))
        return { directory, server: yield* attempt("mark the sandbox directory as in use", () => live(directory)) }
      }),
      ({ directory, server }) =>
        Effect.promise(async () => {
          server?.close()
          await Fs.rm(directory, { recursive: true, force: true })
        })
    ),
    ({ directory }) => directory
  )
