import { ConsumersApi } from "@headwater/api/ConsumersApi"
import type { EventSummary } from "@headwater/api/EventsApi"
import * as SigningKey from "@headwater/domain/SigningKey"
import * as StreamName from "@headwater/domain/Stream"
import { Cause, Console, Deferred, Effect, Option, Queue, Redacted, Semaphore, Stdio, Terminal } from "effect"
import { Command, Flag } from "effect/cli"
import { createHash } from "node:crypto"
import { ApiAccess, findAccess } from "../access/ApiAccess.ts"
import { CommandRefused } from "../CommandRefused.ts"
import * as CountFlag from "../given/CountFlag.ts"
import { placeOf, places } from "../given/TimeFlag.ts"
import * as ListeningConsumer from "../listen/ListeningConsumer.ts"
import * as LocalRequest from "../listen/LocalRequest.ts"
import * as FieldFlag from "../resource/FieldFlag.ts"
import * as Kind from "../resource/Kind.ts"
import * as Naming from "../resource/Naming.ts"
import { harmless } from "../text/HarmlessText.ts"
import * as Output from "../text/Output.ts"

const filterField = FieldFlag.ofPayload(ConsumersApi, "create").find(({ name }) => name === "filter")!

const refuse = (message: string) => new CommandRefused({ message })

/** The secret of a webhook, else one that is the same whenever this account listens here. */
const secretOf = Effect.fnUntraced(function*(webhook: Option.Option<string>, consumerId: string) {
  const { call } = yield* ApiAccess
  if (Option.isSome(webhook)) {
    const id = yield* Naming.idOf(Kind.webhook, webhook.value)
    const { data } = yield* call(({ webhooks }) => webhooks.getSecret({ params: { id }, query: {} }))
    return Redacted.make(data.secret)
  }
  const { apiKey } = yield* findAccess
  return SigningKey.secret(createHash("sha256").update(`${Redacted.value(apiKey)} ${consumerId}`).digest())
})

const mostLines = 5

const answerLines = (body: string): ReadonlyArray<string> => {
  const lines = body.trimEnd().split("\n").filter((line) => line !== "")
  return [...lines.slice(0, mostLines), ...(lines.length > mostLines ? ["…"] : [])].map((line) =>
    `          ${line.slice(0, 200)}`
  )
}

const textOf = (event: EventSummary, answer: LocalRequest.Answer, emitter: string): string => {
  const { body, durationMs, error, status } = answer
  const time = new Date(event.indexed_at_ms).toISOString().slice(11, 19)
  const head = [time, emitter, StreamName.spelled(event.metadata.name), event.id, status ?? error, `${durationMs} ms`]
    .join("  ")
  return harmless([head, ...answerLines(body)].join("\n"))
}

/** Keys that are pressed, until the terminal is left. */
const onKey = (take: (key: string) => Effect.Effect<void>) =>
  Effect.gen(function*() {
    const stdio = yield* Stdio.Stdio
    if (!(yield* stdio.stdinIsTerminal)) return yield* Effect.never
    const keys = yield* (yield* Terminal.Terminal).readInput
    // Ctrl-C ends them.
    return yield* Effect.forever(Effect.flatMap(Queue.take(keys), ({ key }) => take(key.name)))
  }).pipe(Effect.scoped, Effect.catchIf(Cause.isDone, () => Effect.void))

/** Delivers events to a program on this machine, which no server has to reach. */
export const listenCommand = Command.make(
  "listen",
  {
    forwardTo: Flag.String("forward-to").pipe(
      Flag.withMetavar("url"),
      Flag.withDescription("The URL of the program, such as http://localhost:3000/hooks")
    ),
    source: Flag.String("source").pipe(
      Flag.withDescription("Events of this source alone, by name, slug or id. Default: of all sources and workflows"),
      Flag.optional
    ),
    emitter: Flag.String("emitter").pipe(
      Flag.withDescription(
        "Events of this source or workflow alone, by name, slug or id, or of those of a glob over ids"
      ),
      Flag.optional
    ),
    stream: Flag.String("stream").pipe(
      Flag.withAlias("event"),
      Flag.withDescription("Of this event stream. Default: the default one"),
      Flag.withDefault("")
    ),
    filter: FieldFlag.flagOf(filterField),
    from: Flag.String("from").pipe(
      Flag.withMetavar("place"),
      Flag.withDescription(`Where to begin: ${places}. Default: where it was, and the first time at the end`),
      Flag.optional
    ),
    webhook: Flag.String("webhook").pipe(
      Flag.withDescription(
        "Sign with the secret of this webhook, by name or id. Default: one that stays the same here"
      ),
      Flag.optional
    ),
    max: CountFlag.make("max", "End after so many events").pipe(Flag.optional),
    json: Output.jsonLines
  },
  Effect.fnUntraced(function*({ emitter, filter, forwardTo, from, json, max, source, stream, webhook }) {
    if (!/^https?:$/.test(URL.parse(forwardTo)?.protocol ?? "")) {
      return yield* refuse(`--forward-to is not an http or https URL: ${JSON.stringify(forwardTo)}`)
    }
    if (Option.isSome(source) && Option.isSome(emitter)) {
      return yield* refuse("--source and --emitter both say what is heard: leave one out")
    }
    const heard: ListeningConsumer.Heard = {
      emitter: Option.isSome(source)
        ? yield* Naming.idOf(Kind.source, source.value)
        : Option.isSome(emitter)
        ? yield* Naming.emitterOrGlob(emitter.value)
        : "*",
      stream: stream === "default" ? "" : stream,
      filter: (yield* FieldFlag.given([filterField], { filter }))["filter"] as ListeningConsumer.Heard["filter"]
    }
    const place = Option.isSome(from) ? yield* placeOf("--from", from.value) : undefined
    const { consumer, isNew } = yield* ListeningConsumer.make(heard, place)
    const secret = yield* secretOf(webhook, consumer.id)
    const say = (text: string) => json ? Console.error(text) : Console.log(text)
    const names = yield* Naming.namesById(["dc_0", "p_0"])
    yield* say(
      `Forwarding to ${forwardTo}, ${
        Option.isSome(from) ? `from ${from.value}` : isNew ? "from now on" : "from where it was"
      }. Ctrl-C ends, r sends the last one again.`
    )
    yield* say(`Signed with ${Redacted.value(secret)}\n`)

    const ended = yield* Deferred.make<void>()
    const turn = yield* Semaphore.make(1)
    let last: EventSummary | undefined
    let attempts = 0
    let left = Option.getOrElse(max, () => Number.POSITIVE_INFINITY)

    const attempt = Effect.suspend(() => LocalRequest.send(forwardTo, last!, secret, ++attempts))

    const show = (event: EventSummary, answer: LocalRequest.Answer) => {
      const { body, durationMs, error, status } = answer
      const { emitter_id } = event.metadata
      return Console.log(
        json
          ? JSON.stringify({ event, status, error, body, duration_ms: durationMs })
          : textOf(event, answer, names.get(emitter_id) ?? emitter_id)
      )
    }

    const shownAttempt = turn.withPermit(Effect.tap(attempt, (answer) => show(last!, answer)))

    /** A program that is being started again misses nothing. */
    const deliver = Effect.fnUntraced(function*(event: EventSummary) {
      last = event
      attempts = 0
      let { isRefused } = yield* shownAttempt
      while (isRefused) {
        yield* Effect.sleep("1 second")
        const answer = yield* turn.withPermit(attempt)
        isRefused = answer.isRefused
        if (!isRefused) yield* show(event, answer)
      }
      left -= 1
    })

    const again = (key: string) => key === "r" && last !== undefined ? Effect.asVoid(shownAttempt) : Effect.void

    const follow = ListeningConsumer.follow(
      consumer,
      deliver,
      (why) => Console.error(`headwater: ${why}`),
      Effect.suspend(() => left < 1 ? Deferred.succeed(ended, undefined) : Effect.void)
    )
    yield* Effect.raceAllFirst([follow, onKey(again), Deferred.await(ended)])
  })
).pipe(
  Command.withExamples([
    {
      command: "headwater listen --forward-to http://localhost:3000",
      description: "What all sources and workflows emit"
    },
    {
      command: "headwater listen --forward-to http://localhost:3000/hooks --source orders --from 1h",
      description: "Also that of the last hour"
    }
  ]),
  Command.provide(ApiAccess.layer)
)
