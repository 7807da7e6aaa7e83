/** Graphile Worker: jobs in Postgres, told of by NOTIFY and handed out from a local queue. */
import * as Peer from "./Peer.ts"

interface Package {
  readonly Logger: new(factory: () => () => void) => object
  readonly run: (options: {
    readonly pgPool: Peer.PgPool
    readonly preset: object
    readonly logger: object
    readonly noHandleSignals: boolean
    readonly taskList: { readonly [name: string]: (job: Peer.Job) => Promise<void> }
  }) => Promise<{ readonly addJob: (name: string, job: Peer.Job) => Promise<unknown> }>
}

const localQueueSize = 2 * Peer.concurrency

Peer.serve(async ({ database, deliver, load }) => {
  const { Logger, run } = load("graphile-worker") as Package
  const { Pool } = load("pg") as Peer.Pg
  const pgPool = new Pool(Peer.pgConfig(database))
  pgPool.on("error", console.error)
  pgPool.on("connect", (client) => client.on("error", console.error))
  const runner = await run({
    pgPool,
    preset: {
      worker: {
        concurrentJobs: Peer.concurrency,
        localQueue: { size: localQueueSize },
        completeJobBatchDelay: 0,
        failJobBatchDelay: 0
      }
    },
    // By default it writes a line about each job.
    logger: new Logger(() => () => {}),
    noHandleSignals: true,
    taskList: { deliver: ({ body }) => deliver(body) }
  })
  return {
    add: (job) => runner.addJob("deliver", job),
    durability: await Peer.postgresDurability(pgPool),
    settings: `concurrentJobs ${Peer.concurrency}, localQueue ${localQueueSize}, completions batched, ` +
      `${Peer.connections} connections`
  }
})
