import * as RealTime from "@headwater/domain/RealTime"
import { Context, Effect, FiberSet, Layer, Result, Schema } from "effect"
import { Host, NetAddress } from "effect/net"
import { NameCache } from "./NameCache.ts"
import { NameQuestions } from "./NameQuestions.ts"
import { NameServers } from "./NameServers.ts"
import { type SystemFiles, SystemNames } from "./SystemNames.ts"

/**
 * The name could not be resolved. `ENOTFOUND`: it does not exist, or has no address. `ETIMEOUT`: no name server
 * answered in time. `EAI_AGAIN`: the name servers can't be reached or do not say, or the asker has too many questions.
 */
export class DnsFailed extends Schema.TaggedError<DnsFailed>()("DnsFailed", {
  host: Schema.String,
  code: Schema.Literals(["ENOTFOUND", "ETIMEOUT", "EAI_AGAIN"]),
  message: Schema.String
}) {}

/** The account for which names are looked up, and the use of them. Look-ups of one asker never wait for another's. */
export interface Asker {
  readonly accountId: string
  readonly use: "component" | "delivery"
  /** The source or workflow, where it is known. */
  readonly programId?: string | undefined
}

export interface NameResolverOptions {
  /** Name servers to ask, as in `10.0.0.2` or `10.0.0.2:5353`; the system's where there are none. */
  readonly nameServers?: ReadonlyArray<string>
  readonly files?: SystemFiles
}

/** The longest time that an answer is used, whatever it says itself, in milliseconds. */
const longestMillis = 60_000

/** The time for which a name that is not there, or could not be resolved, is remembered, in milliseconds. */
const failureMillis = 2_000

/** The time limits of a question, and of a look-up with the wait for its question, in milliseconds. */
const questionMillis = 5_000
const lookupMillis = 10_000

const mostCached = 5_000

/** Answers with more addresses are not remembered. */
const mostAddressesCached = 32

/** Questions of one asker: under way, and waiting for their turn. */
const questions = { mostUnderWay: 16, mostWaiting: 1_000 }

type Outcome = Result.Result<ReadonlyArray<NetAddress.IpAddress>, DnsFailed>

/**
 * Turns names into addresses as the system does, by the hosts file, search domains and name servers, with bounds of its
 * own: answers are remembered for as long as they say, askers of the same name share one question, and each asker has a
 * bounded number of questions under way.
 */
export class NameResolver extends Context.Service<NameResolver, {
  /** The addresses of a name, at least one, IPv4 before IPv6. */
  lookup(name: Host.DomainName, asker: Asker): Effect.Effect<ReadonlyArray<NetAddress.IpAddress>, DnsFailed>
  /** The answer of `lookup` if nobody has to be asked for it. */
  known(name: Host.DomainName): Result.Result<ReadonlyArray<NetAddress.IpAddress>, DnsFailed> | undefined
}>()("@headwater/egress/NameResolver") {
  static readonly layer = (options: NameResolverOptions = {}): Layer.Layer<NameResolver> =>
    Layer.effect(NameResolver, make(options))

  /** Knows these names and no others, for tests. */
  static readonly layerStatic = (hosts: Readonly<Record<string, ReadonlyArray<string>>>): Layer.Layer<NameResolver> =>
    Layer.sync(NameResolver, () => {
      const known = (name: Host.DomainName): Outcome => {
        const addresses = hosts[Host.toRelative(name)]
        return addresses === undefined
          ? Result.fail(notFound(name))
          : Result.succeed(addresses.map(NetAddress.ipFromStringUnsafe))
      }
      return NameResolver.of({ known, lookup: (name) => Effect.fromResult(known(name)) })
    })
}

const ipv4First = (addresses: ReadonlyArray<NetAddress.IpAddress>) =>
  addresses.toSorted((one, other) => NetAddress.width(one) - NetAddress.width(other))

const failed = (name: Host.DomainName, code: DnsFailed["code"], why: string) => {
  const host = Host.toRelative(name)
  return new DnsFailed({ host, code, message: `The name ${host} can't be resolved: ${why}` })
}

const notFound = (name: Host.DomainName) => failed(name, "ENOTFOUND", "it does not exist, or has no address")

const timedOut = (name: Host.DomainName) => failed(name, "ETIMEOUT", "no name server answered in time")

const unanswered = (name: Host.DomainName, code: string) =>
  code === "ETIMEOUT"
    ? timedOut(name)
    : failed(name, "EAI_AGAIN", `the name servers gave no answer (${code})`)

const make = Effect.fnUntraced(function*({ files = {}, nameServers = [] }: NameResolverOptions) {
  const clock = yield* RealTime.clock
  const system = new SystemNames(files)
  const servers = yield* Effect.acquireRelease(
    Effect.sync(() => new NameServers(nameServers)),
    (servers) => Effect.sync(() => servers.close())
  )
  const fork = yield* FiberSet.makeRuntime<never, void>()
  const cache = new NameCache<Outcome>(mostCached)

  /** Asks for the full names that a name may stand for, until there are addresses. */
  const ask = Effect.fnUntraced(function*(name: Host.DomainName) {
    let failure: string | undefined
    for (const fullName of system.fullNames(name)) {
      const answer = yield* Effect.result(servers.ask(fullName))
      if (Result.isFailure(answer)) failure ??= answer.failure
      else if (answer.success.addresses.length > 0) return answer.success
    }
    return yield* failure === undefined ? notFound(name) : unanswered(name, failure)
  })

  const remember = (name: string, outcome: Outcome, ttlMillis = failureMillis) => {
    if (ttlMillis <= 0 || (Result.isSuccess(outcome) && outcome.success.length > mostAddressesCached)) return
    cache.put(name, outcome, clock.currentTimeMillisUnsafe() + Math.min(ttlMillis, longestMillis))
  }

  const asking = new NameQuestions<Outcome>((text, onAnswer) => {
    const name = Host.domainNameFromStringUnsafe(text)
    const question = ask(name).pipe(
      Effect.timeoutOrElse({ duration: questionMillis, orElse: () => Effect.fail(timedOut(name)) }),
      Effect.match({
        onFailure: (failure) => ({ outcome: Result.fail(failure), ttlMillis: undefined }),
        onSuccess: ({ addresses, ttlMillis }) => ({ outcome: Result.succeed(addresses), ttlMillis })
      }),
      // Those who wait must hear of it, and others be able to ask again.
      Effect.catchDefect((defect) =>
        Effect.as(Effect.logError("A DNS query failed", defect), {
          outcome: Result.fail(unanswered(name, "EUNKNOWN")),
          ttlMillis: undefined
        })
      )
    )
    fork(Effect.map(question, ({ outcome, ttlMillis }) => {
      remember(text, outcome, ttlMillis)
      onAnswer(outcome)
    }))
  }, questions)

  const lookUp = (name: Host.DomainName, asker: Asker) =>
    Effect.callback<ReadonlyArray<NetAddress.IpAddress>, DnsFailed>((resume) => {
      const withdraw = asking.ask(
        name,
        `${asker.accountId} ${asker.use}`,
        (outcome) => resume(Effect.fromResult(outcome))
      )
      if (withdraw !== undefined) return Effect.sync(withdraw)
      return resume(Effect.fail(
        failed(name, "EAI_AGAIN", `${questions.mostWaiting} names of the account are being looked up already`)
      ))
    }).pipe(
      Effect.timeoutOrElse({ duration: lookupMillis, orElse: () => Effect.fail(timedOut(name)) })
    )

  const known = (name: Host.DomainName): Outcome | undefined => {
    const now = clock.currentTimeMillisUnsafe()
    if (system.refresh(now)) servers.renew()
    const own = system.addressesOf(name)
    return own === undefined ? cache.get(name, now) : Result.succeed(ipv4First(own))
  }

  const lookup = (name: Host.DomainName, asker: Asker) =>
    Effect.suspend(() => {
      const outcome = known(name)
      return outcome === undefined ? lookUp(name, asker) : Effect.fromResult(outcome)
    })

  return NameResolver.of({ lookup, known })
})
