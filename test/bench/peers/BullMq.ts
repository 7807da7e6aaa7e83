/** BullMQ: jobs in Redis, which syncs each write to disk before it answers. */
import * as Peer from "./Peer.ts"

interface Package {
  readonly Queue: new(name: string, options: object) => {
    readonly add: (name: string, job: Peer.Job) => Promise<unknown>
  }
  readonly Worker: new(
    name: string,
    handle: (job: { readonly data: Peer.Job }) => Promise<void>,
    options: object
  ) => { readonly on: (event: "error", hear: (cause: unknown) => void) => void }
}
interface Ioredis {
  readonly Redis: new(options: object) => {
    readonly config: (command: "GET", name: string) => Promise<ReadonlyArray<string>>
  }
}

Peer.serve(async ({ deliver, load, redisPort }) => {
  const { Queue, Worker } = load("bullmq") as Package
  const { Redis } = load("ioredis") as Ioredis
  const connection = { host: "127.0.0.1", port: redisPort, maxRetriesPerRequest: null }
  const queue = new Queue("deliver", { connection, defaultJobOptions: { removeOnComplete: true } })
  const worker = new Worker("deliver", ({ data }) => deliver(data.body), { connection, concurrency: Peer.concurrency })
  worker.on("error", console.error)
  const redis = new Redis(connection)
  const settings = ["appendonly", "appendfsync"].map(async (name) => `${name}=${(await redis.config("GET", name))[1]}`)
  return {
    add: (job) => queue.add("deliver", job),
    durability: `job in Redis; ${(await Promise.all(settings)).join(" ")}`,
    settings: `concurrency ${Peer.concurrency}, removeOnComplete`
  }
})
