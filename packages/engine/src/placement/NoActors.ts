import { Effect, Exit, Layer } from "effect"
import { ActorCalls } from "../ground/ActorCalls.ts"
import { Unavailable } from "../ground/Unavailable.ts"

/** Says of a server that only shows what is there how it could do more. */
export const withoutWork =
  "This server runs without work (HEADWATER_WORK=off, --without-work): it shows what is there, and takes, runs, sends and " +
  "changes nothing. Start it with work for that."

const refusal = new Unavailable({ message: withoutWork, retryAfterSeconds: 60 })

const refused = () => Effect.fail(refusal)

/** In place of the actors, on a server without work: nobody is woken, and every call is refused. */
export const layer = Layer.succeed(
  ActorCalls,
  ActorCalls.of({
    ingest: (_, __, onAnswered) => onAnswered(Exit.fail(refusal)),
    deploy: refused,
    update: refused,
    deleteEvents: refused,
    cancelRun: refused,
    resumeRun: refused,
    retireProgram: refused,
    retireWebhook: refused,
    webhookChanged: refused,
    reopenDelivery: refused,
    skipDelivery: refused,
    testWebhook: refused,
    passWebhook: refused,
    readConsumer: refused,
    commitConsumer: refused,
    seekConsumer: refused,
    retireConsumer: refused,
    forget: refused,
    refilter: refused,
    wake: () => {},
    isHere: () => false,
    held: Effect.succeed({ programs: 0, webhooks: 0, consumers: 0, accounts: 0 }),
    areQuiet: Effect.succeed(true),
    hasShards: Effect.succeed(true)
  })
)
