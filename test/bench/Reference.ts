/**
 * The least that this hardware can do for the same promise: a POST is durable before it is acknowledged, and then is
 * delivered at least once. No accounts, schemas, actors or code. What it reaches is a run's limit. It answers
 * `POST /<deliver or ack>/<durable or memory>/<fan-out>`.
 */
import { PgConnection, PgTypes } from "@effect/sql-pg"
import { Effect, Result, Scope } from "effect"
import { createServer } from "node:http"
import { Pool } from "undici"
import * as Database from "./Database.ts"
import * as Program from "./Program.ts"
import * as ReferenceTables from "./ReferenceTables.ts"

interface Entry {
  readonly id: bigint
  readonly fanOut: number
  readonly body: string
  readonly acknowledge: () => void
}

const array = (oid: number) => (values: ReadonlyArray<unknown>) => Result.getOrThrow(PgTypes.array(values, oid))
const [bigints, integers, texts] = [array(PgTypes.OID.int8), array(PgTypes.OID.int4), array(PgTypes.OID.text)]

Program.serve(ReferenceTables.reference, async ({ authority, database, sink }) => {
  const connect = PgConnection.make(Database.config(database))
  const session = await Effect.runPromise(Scope.provide(connect, Scope.makeUnsafe()))
  const pool = new Pool(sink, { connections: 64, pipelining: 1, connect: { ca: authority } })
  let waiting: Array<Entry> = []
  let completed: Array<readonly [id: bigint, target: number]> = []
  let committing = false
  let lastId = 0n

  const deliver = async (body: string, target: number): Promise<void> => {
    const answer = await pool.request({ method: "POST", path: `/at-once/${target}`, body })
    await answer.body.dump()
    if (answer.statusCode >= 300) await deliver(body, target)
  }

  const deliverAll = ({ body, fanOut, id }: Entry, complete: (id: bigint, target: number) => void) => {
    for (let target = 1; target <= fanOut; target++) void deliver(body, target).then(() => complete(id, target))
  }

  const complete = (id: bigint, target: number) => {
    completed.push([id, target])
    void commit()
  }

  const commit = async (): Promise<void> => {
    if (committing) return
    committing = true
    while (waiting.length + completed.length > 0) {
      const [batch, done] = [waiting, completed]
      waiting = []
      completed = []
      await Effect.runPromise(session.query(ReferenceTables.commit, [
        bigints(batch.map(({ id }) => id)),
        texts(batch.map(({ body }) => body)),
        integers(batch.map(({ fanOut }) => fanOut)),
        bigints(done.map(([id]) => id)),
        integers(done.map(([, target]) => target))
      ]))
      for (const entry of batch) {
        entry.acknowledge()
        deliverAll(entry, complete)
      }
    }
    committing = false
  }

  const server = createServer((request, response) => {
    const chunks: Array<Buffer> = []
    request.on("data", (chunk: Buffer) => chunks.push(chunk))
    request.on("end", () => {
      const [, work, store, fanOut] = (request.url ?? "").split("/")
      const acknowledge = () => response.writeHead(200, { "content-length": "0" }).end()
      const body = Buffer.concat(chunks).toString()
      const entry = { id: ++lastId, fanOut: work === "deliver" ? Number(fanOut) : 0, body, acknowledge }
      if (store === "memory") {
        acknowledge()
        return deliverAll(entry, () => {})
      }
      waiting.push(entry)
      void commit()
    })
  })
  await new Promise<void>((listening) => server.listen(0, "127.0.0.1", listening))
  const address = server.address()
  return { url: typeof address === "object" && address !== null ? `http://127.0.0.1:${address.port}` : "" }
})
