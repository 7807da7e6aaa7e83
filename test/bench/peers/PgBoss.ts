/** pg-boss: jobs in Postgres, told of by NOTIFY and fetched in batches. */
import * as Peer from "./Peer.ts"

interface Boss {
  readonly on: (event: "error", hear: (cause: unknown) => void) => void
  readonly start: () => Promise<unknown>
  readonly createQueue: (name: string, options: object) => Promise<unknown>
  readonly work: (
    name: string,
    options: object,
    handle: (jobs: ReadonlyArray<{ readonly data: Peer.Job }>) => Promise<unknown>
  ) => Promise<unknown>
  readonly send: (name: string, job: Peer.Job) => Promise<unknown>
}
interface Package {
  readonly PgBoss: new(options: object) => Boss
}

const queue = "deliver"

Peer.serve(async ({ database, deliver, load }) => {
  const { PgBoss } = load("pg-boss") as Package
  const { Pool } = load("pg") as Peer.Pg
  const config = Peer.pgConfig(database)
  const boss = new PgBoss({ ...config, useListenNotify: true })
  boss.on("error", console.error)
  await boss.start()
  await boss.createQueue(queue, { notify: true })
  await boss.work(
    queue,
    { batchSize: Peer.concurrency, burstWhenBatchFull: true, pollingIntervalSeconds: 0.5 },
    (jobs) => Promise.all(jobs.map(({ data }) => deliver(data.body)))
  )
  return {
    add: (job) => boss.send(queue, job),
    durability: await Peer.postgresDurability(new Pool({ ...config, max: 1 })),
    settings: `notify, batchSize ${Peer.concurrency}, burstWhenBatchFull, ${config.max} connections`
  }
})
