import { CurrentAccount } from "@headwater/api/Authorization"
import type { VariableResource } from "@headwater/api/EnvironmentApi"
import { HeadwaterApi } from "@headwater/api/HeadwaterApi"
import * as Problem from "@headwater/api/Problem"
import { type EnvironmentVariable, mostBytes, mostValueBytes, namePattern } from "@headwater/domain/EnvironmentVariable"
import * as Id from "@headwater/domain/Id"
import * as OwnMember from "@headwater/domain/OwnMember"
import { Environments } from "@headwater/engine/Environments"
import { type EnvironmentOwner, EnvironmentVariables } from "@headwater/log/resources/EnvironmentVariables"
import { Programs } from "@headwater/log/resources/Programs"
import { Effect, Option, Schema } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { answerFailures } from "../conventions/FailureProblem.ts"
import { makeFind } from "./OwnProject.ts"

/** The fields of a request that say whose variables it is about. */
interface Given {
  readonly program_id?: string
  readonly project_id?: string
}

const resourceOf = (
  { id }: EnvironmentOwner,
  name: string,
  { isSecret, updatedAt, value }: EnvironmentVariable
): VariableResource => ({
  name,
  value: isSecret ? null : value,
  secret: isSecret,
  program_id: Schema.is(Id.ProgramId)(id) ? id : null,
  project_id: Schema.is(Id.ProjectId)(id) ? id : null,
  updated_at: updatedAt
})

export const layer = HttpApiBuilder.group(
  HeadwaterApi,
  "environment",
  Effect.fnUntraced(function*(handlers) {
    const environments = yield* Environments
    const programs = yield* Programs
    const variables = yield* EnvironmentVariables

    const findProject = yield* makeFind

    const ownerOf = Effect.fnUntraced(function*({ program_id: program, project_id: project }: Given) {
      const accountId = yield* CurrentAccount
      if (project !== undefined) {
        if (program === undefined) return { accountId, id: (yield* findProject(project)).id }
        return yield* Problem.invalid([{ path: "project_id", message: "give either program_id or project_id" }])
      }
      if (program === undefined) return { accountId, id: accountId }
      const found = yield* programs.get(accountId, program)
      if (Option.isNone(found)) return yield* Problem.notFound("source or workflow", program)
      return { accountId, id: found.value.id }
    })

    return handlers.handleAll({
      list: Effect.fnUntraced(function*({ query }) {
        const owner = yield* ownerOf(query)
        const own = Object.entries(yield* variables.of(owner.id)).toSorted(([one], [other]) => one < other ? -1 : 1)
        return { data: own.map(([name, variable]) => resourceOf(owner, name, variable)) }
      }, answerFailures),
      get: Effect.fnUntraced(function*({ params: { name }, query }) {
        const owner = yield* ownerOf(query)
        const variable = OwnMember.get(yield* variables.of(owner.id), name)
        if (variable === undefined) return yield* Problem.notFound("environment variable", name)
        return { data: resourceOf(owner, name, variable) }
      }, answerFailures),
      set: Effect.fnUntraced(function*({ params: { name }, payload }) {
        const owner = yield* ownerOf(payload)
        const { secret, value } = payload
        if (!namePattern.test(name)) {
          const message = "must be letters, digits and _, at most 255, and not begin with a digit"
          return yield* Problem.invalid([{ path: "name", message }])
        }
        if (Buffer.byteLength(value) > mostValueBytes) return yield* Problem.tooLarge("value", mostValueBytes)
        const before = OwnMember.get(yield* variables.of(owner.id), name)
        const isSecret = secret ?? before?.isSecret ?? false
        const environment = yield* variables.set(owner, name, { value, isSecret }).pipe(
          Effect.catchTag(
            "EnvironmentTooLarge",
            () => Effect.fail(Problem.tooLarge("The environment variables", mostBytes))
          )
        )
        yield* environments.refresh
        return { data: resourceOf(owner, name, environment[name]!) }
      }, answerFailures),
      delete: Effect.fnUntraced(function*({ params: { name }, query }) {
        const owner = yield* ownerOf(query)
        if (!(yield* variables.remove(owner, name))) return yield* Problem.notFound("environment variable", name)
        yield* environments.refresh
      }, answerFailures)
    })
  })
)
