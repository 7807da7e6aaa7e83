import { CurrentAccount } from "@headwater/api/Authorization"
import { HeadwaterApi } from "@headwater/api/HeadwaterApi"
import * as Pagination from "@headwater/api/Pagination"
import * as Problem from "@headwater/api/Problem"
import type { ProjectResource } from "@headwater/api/ProjectsApi"
import { mostProjects, type Project } from "@headwater/domain/Project"
import { type ProjectNameTaken, Projects } from "@headwater/log/resources/Projects"
import { Effect, Option } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { answerFailures } from "../conventions/FailureProblem.ts"
import { makeFind } from "./OwnProject.ts"

const resourceOf = ({ createdAt, id, name, nameSlug, updatedAt }: Project): ProjectResource => ({
  id,
  name,
  name_slug: nameSlug,
  created_at: createdAt,
  updated_at: updatedAt
})

const refuseTakenName = <A, E>(effect: Effect.Effect<A, E | ProjectNameTaken>, name: string) =>
  Effect.catchTag(
    effect,
    "ProjectNameTaken",
    () => Effect.fail(new Problem.NameTaken(Problem.because(`There is a project ${JSON.stringify(name)} already.`)))
  )

export const layer = HttpApiBuilder.group(
  HeadwaterApi,
  "projects",
  Effect.fnUntraced(function*(handlers) {
    const projects = yield* Projects
    const find = yield* makeFind

    return handlers.handleAll({
      create: Effect.fnUntraced(function*({ payload: { name } }) {
        const created = yield* refuseTakenName(projects.create(yield* CurrentAccount, name), name).pipe(
          Effect.catchTag("ProjectsFull", () => Effect.fail(Problem.projectsFull(mostProjects)))
        )
        return { data: resourceOf(created) }
      }, answerFailures),
      list: Effect.fnUntraced(function*({ query }) {
        const { items, totalCount } = yield* projects.page(yield* CurrentAccount, Pagination.pageRequest(query))
        return Pagination.page(items.map(resourceOf), totalCount)
      }, answerFailures),
      get: Effect.fnUntraced(function*({ params }) {
        return { data: resourceOf(yield* find(params.id)) }
      }, answerFailures),
      update: Effect.fnUntraced(function*({ params, payload: { name } }) {
        const { accountId, id } = yield* find(params.id)
        const renamed = yield* refuseTakenName(projects.rename(accountId, id, name), name)
        if (Option.isNone(renamed)) return yield* Problem.notFound("project", params.id)
        return { data: resourceOf(renamed.value) }
      }, answerFailures),
      delete: Effect.fnUntraced(function*({ params }) {
        const { accountId, id, name } = yield* find(params.id)
        const removed = yield* projects.remove(accountId, id).pipe(
          Effect.catchTag("ProjectInUse", () => Effect.fail(Problem.projectInUse(name)))
        )
        if (!removed) return yield* Problem.notFound("project", params.id)
      }, answerFailures)
    })
  })
)
