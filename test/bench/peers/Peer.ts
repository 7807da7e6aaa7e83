/** What the programs of the peers share: the way in, the way out, and where their packages are. */
import { createServer } from "node:http"
import { createRequire } from "node:module"
import * as Path from "node:path"
import { Pool } from "undici"
import type * as Database from "../Database.ts"
import * as Program from "../Program.ts"
import { peer } from "./PeerCall.ts"

export interface Setting {
  /** Loads one of the peer's packages. */
  readonly load: (name: string) => unknown
  readonly database: Database.Address
  readonly redisPort: number | undefined
  /** Sends a body to the sink. Fails where that does not take it. */
  readonly deliver: (body: string) => Promise<void>
}

export interface Queue {
  /** Returns when the job is durable. */
  readonly add: (job: Job) => Promise<unknown>
  readonly durability: string
  readonly settings: string
}

/** The body as text, because not every store keeps JSON byte for byte. */
export interface Job {
  readonly body: string
}

/** Deliveries at once, as the reference has. */
export const concurrency = 64

/** Connections to Postgres. */
export const connections = 20

/** The address of a database as `pg` takes it, which finds a unix socket by its folder. */
export const pgConfig = ({ database, password, username, ...where }: Database.Address) => ({
  database,
  password,
  user: username,
  max: connections,
  ...("path" in where ? { host: Path.dirname(where.path), port: Number(Path.extname(where.path).slice(1)) } : where)
})

/** What of `pg` is used. */
export interface Pg {
  readonly Pool: new(config: ReturnType<typeof pgConfig>) => PgPool
}
export interface PgPool {
  readonly on:
    & ((event: "error", hear: (cause: unknown) => void) => void)
    & ((event: "connect", hear: (client: Pick<PgPool, "on">) => void) => void)
  readonly query: (text: string) => Promise<{ readonly rows: ReadonlyArray<{ readonly setting: string }> }>
}

/** What Postgres says of how durable a commit is on these connections. */
export const postgresDurability = async (pool: PgPool): Promise<string> => {
  const settings = ["synchronous_commit", "fsync", "full_page_writes"].map(async (name) => {
    const { rows } = await pool.query(`SELECT current_setting('${name}') AS setting`)
    return `${name}=${rows[0]?.setting}`
  })
  return `job committed; ${(await Promise.all(settings)).join(" ")}`
}

/** Runs a peer in this process. */
export const serve = (start: (setting: Setting) => Promise<Queue>): void =>
  Program.serve(peer, async ({ database, packages, redisPort, target }) => {
    const require = createRequire(Path.join(packages, "package.json"))
    const { origin, pathname } = new URL(target)
    const pool = new Pool(origin, { connections: concurrency, pipelining: 1 })
    const { add, durability, settings } = await start({
      load: require,
      database,
      redisPort,
      deliver: async (body) => {
        const answer = await pool.request({ method: "POST", path: pathname, body })
        await answer.body.dump()
        if (answer.statusCode >= 300) throw new Error(`the sink answered ${answer.statusCode}`)
      }
    })
    const server = createServer((request, response) => {
      const chunks: Array<Buffer> = []
      const answer = (status: number) => response.writeHead(status, { "content-length": "0" }).end()
      request.on("data", (chunk: Buffer) => chunks.push(chunk))
      request.on("end", () => {
        void add({ body: Buffer.concat(chunks).toString() }).then(() => answer(200), (cause: unknown) => {
          console.error(cause)
          answer(500)
        })
      })
    })
    await new Promise<void>((listening) => server.listen(0, "127.0.0.1", listening))
    const address = server.address()
    const port = typeof address === "object" && address !== null ? address.port : 0
    return { url: `http://127.0.0.1:${port}/`, durability, settings }
  })
