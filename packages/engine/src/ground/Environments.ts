import { BoundedMap } from "@headwater/domain/BoundedMap"
import type { Environment } from "@headwater/domain/EnvironmentVariable"
import * as Recurring from "@headwater/domain/Recurring"
import { untilAnswered } from "@headwater/log/database/TransientSqlError"
import { EnvironmentVariables } from "@headwater/log/resources/EnvironmentVariables"
import type { RunEnvironment } from "@headwater/sandbox/Run"
import { Context, Effect, Layer } from "effect"

/** The time between two looks for environments that were changed. */
const lookEvery = "1 second"

/** A change is looked for so long after it was made, in seconds: by then its transaction has ended. */
const lookedForSeconds = 120

/** The most environments whose variables are kept in memory. */
const mostKept = 1_000

/** Shorter values than this many characters are shown: they stand in much that is no secret. Those of secrets, than this many. */
const shortestMasked = 8
const shortestMaskedSecret = 4

/** A program; or an account, whose id is both. */
export interface EnvironmentOf {
  readonly id: string
  readonly accountId: string
  readonly projectId: string | null
}

const none: RunEnvironment = { values: {}, masked: [] }

/**
 * The environment variables of accounts, projects and programs, as this node knows within a second. One that has none costs nothing.
 */
export class Environments extends Context.Service<Environments, {
  /** The account's variables, in their place those of the program's project, and in theirs those of the program. */
  readonly of: (program: EnvironmentOf) => Effect.Effect<RunEnvironment>
  /** Returns when this node knows of the changes made before. */
  readonly refresh: Effect.Effect<void>
}>()("@headwater/engine/ground/Environments") {
  static readonly layer: Layer.Layer<Environments, never, EnvironmentVariables> = Layer.effect(
    Environments,
    Effect.gen(function*() {
      const variables = yield* EnvironmentVariables
      /** The time of the last change of each owner that has variables. */
      const changedAt = new Map<string, bigint>()
      const kept = new BoundedMap<string, { readonly changedAt: bigint; readonly environment: Environment }>(mostKept)

      const look = Effect.fnUntraced(function*(withinSeconds: number | undefined) {
        for (const changed of yield* variables.changed(withinSeconds)) changedAt.set(changed.ownerId, changed.changedAt)
      })

      const refresh = untilAnswered(look(lookedForSeconds))

      yield* untilAnswered(look(undefined))
      yield* Recurring.every("check which environments were changed", lookEvery, refresh)

      const environmentOf = Effect.fnUntraced(function*(ownerId: string, at: bigint) {
        const known = kept.get(ownerId)
        if (known?.changedAt === at) return known.environment
        const environment = yield* untilAnswered(variables.of(ownerId))
        kept.set(ownerId, { changedAt: at, environment })
        return environment
      })

      return Environments.of({
        refresh,
        of: ({ accountId, id, projectId }) => {
          const owners = [accountId, ...(projectId === null ? [] : [projectId]), id]
            .filter((owner) => changedAt.has(owner))
          if (owners.length === 0) return Effect.succeed(none)
          return Effect.map(
            Effect.forEach(owners, (owner) => environmentOf(owner, changedAt.get(owner)!)),
            (environments) => runEnvironmentOf(Object.assign({}, ...environments))
          )
        }
      })
    })
  )
}

/** A value, and the form that it has in JSON. */
const shapesOf = (value: string): ReadonlyArray<string> => {
  const inJson = JSON.stringify(value).slice(1, -1)
  return inJson === value ? [value] : [value, inJson]
}

const runEnvironmentOf = (environment: Environment): RunEnvironment => {
  const all = Object.entries(environment)
  return {
    values: Object.fromEntries(all.map(([name, { value }]) => [name, value])),
    masked: all
      .filter(([, { isSecret, value }]) => value.length >= (isSecret ? shortestMaskedSecret : shortestMasked))
      .flatMap(([, { value }]) => shapesOf(value))
      .toSorted((one, other) => other.length - one.length)
  }
}
