import * as ListItems from "@headwater/api/ListItems"
import { Effect, Stream } from "effect"
import { Argument, Command } from "effect/cli"
import { ApiAccess } from "../access/ApiAccess.ts"
import * as Output from "../text/Output.ts"

const project = Argument.String("project").pipe(Argument.withDescription("The project's name, slug or id"))

const list = Command.make(
  "list",
  { json: Output.json },
  Effect.fnUntraced(function*({ json }) {
    const { call } = yield* ApiAccess
    const found = yield* call(({ projects }) =>
      Stream.runCollect(ListItems.items((place) => projects.list({ query: { limit: 100, ...place } })))
    )
    const rows = found.map(({ created_at, id, name, name_slug }) => [name, name_slug, id, Output.time(created_at)])
    yield* Output.print(
      json,
      found,
      found.length === 0
        ? "No projects. Create one with: headwater projects create NAME"
        : Output.table([["NAME", "SLUG", "ID", "CREATED"], ...rows])
    )
  })
).pipe(Command.withDescription("List your projects, the newest first"))

const create = Command.make(
  "create",
  {
    name: Argument.String("name").pipe(Argument.withDescription("Its name, unique in your account")),
    json: Output.json
  },
  Effect.fnUntraced(function*({ json, name }) {
    const { call } = yield* ApiAccess
    const { data } = yield* call(({ projects }) => projects.create({ headers: {}, payload: { name } }))
    yield* Output.print(json, data, `Created ${data.id}. Deploy to it with --project ${data.name_slug}`)
  })
).pipe(Command.withDescription("Create a project"))

const rename = Command.make(
  "rename",
  { project, name: Argument.String("name").pipe(Argument.withDescription("Its new name")), json: Output.json },
  Effect.fnUntraced(function*({ json, name, project }) {
    const { call } = yield* ApiAccess
    const { data } = yield* call(({ projects }) => projects.update({ params: { id: project }, payload: { name } }))
    yield* Output.print(json, data, `Renamed ${project} to ${name}. Its slug is ${data.name_slug} now.`)
  })
).pipe(Command.withDescription("Give a project another name"))

const remove = Command.make(
  "delete",
  { project, json: Output.json },
  Effect.fnUntraced(function*({ json, project }) {
    const { call } = yield* ApiAccess
    yield* call(({ projects }) => projects.delete({ params: { id: project }, query: {} }))
    yield* Output.print(json, { project, deleted: true }, `Deleted ${project} and its environment variables.`)
  })
).pipe(Command.withDescription("Delete a project to which nothing belongs any more, with its environment variables"))

export const projectsCommand = Command.make("projects").pipe(
  Command.withDescription("Manage projects, whose sources and workflows share environment variables"),
  Command.withSubcommands([list, create, rename, remove]),
  Command.provide(ApiAccess.layer)
)
