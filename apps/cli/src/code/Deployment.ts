import type { ComponentResource } from "@headwater/api/ComponentsApi"
import type { ComponentInvalid, HookFailed, InvalidRequest } from "@headwater/api/Problem"
import type { InitialState, SourceResource } from "@headwater/api/SourcesApi"
import type { WorkflowResource } from "@headwater/api/WorkflowsApi"
import { nameless } from "@headwater/domain/Component"
import * as ConfiguredProps from "@headwater/domain/ConfiguredProps"
import * as SourcePlaces from "@headwater/sandbox/SourcePlaces"
import { Effect, identity, Result, type Schema } from "effect"
import { isBuiltin } from "node:module"
import { ApiAccess } from "../access/ApiAccess.ts"
import { CommandRefused } from "../CommandRefused.ts"
import * as ProgramByName from "../given/ProgramByName.ts"
import * as PropQuestion from "../given/PropQuestion.ts"
import * as PropValue from "../given/PropValue.ts"
import * as EndpointUrl from "../resource/EndpointUrl.ts"
import * as Output from "../text/Output.ts"
import type * as Progress from "../text/Progress.ts"
import { at, type ComponentBundle } from "./ComponentFiles.ts"

/** The component to deploy: code, with a name in case that gives none, or something that the server finds itself. */
export type Subject =
  | { readonly _tag: "Code"; readonly bundle: ComponentBundle; readonly name: string }
  | { readonly _tag: "Url"; readonly url: string }
  | { readonly _tag: "Key"; readonly key: string }

export interface DeploymentOptions {
  /** The source's name; without one, the component's own. */
  readonly name: string | undefined
  /** The project that it is to belong to; empty for none. Without one, it stays where it is. */
  readonly project?: string | undefined
  /** Values of props as texts. */
  readonly props: ReadonlyArray<readonly [name: string, text: string]>
  /** The state that a new source begins with. */
  readonly initialState?: InitialState | undefined
  /** True if somebody is there who can be asked for missing values. */
  readonly asks: boolean
  /** Tells of the calls that may take long; not at all where something else is shown meanwhile. */
  readonly during?: typeof Progress.during
}

/** A source or workflow that has its new code. */
export interface Deployed<Program extends SourceResource | WorkflowResource> {
  readonly program: Program
  readonly isNew: boolean
}

/** A component that is saved, and the source that is to run it, where there is one. */
interface Saved {
  readonly subject: Subject
  readonly component: ComponentResource
  readonly name: string
  readonly source: ProgramByName.Named | undefined
}

const refuse = (message: string) => new CommandRefused({ message })

/** Tells a fault that the server finds in code, at its place in the files that the code was written in. */
export const inFiles =
  (subject: Subject) => ({ detail, details: { column, file, line } }: ComponentInvalid | HookFailed) => {
    if (file === undefined || line === undefined || column === undefined) return refuse(detail)
    const isOurs = subject._tag === "Code" && file === SourcePlaces.moduleName
    return refuse(at(isOurs ? subject.bundle.place(line, column) : { file, line, column }, detail))
  }

/** The lines about it, in columns. */
export const linesOf = ({ isNew, program }: Deployed<SourceResource | WorkflowResource>): string => {
  const endpoint = EndpointUrl.of(program.configured_props)
  return Output.table([
    [isNew ? "Created" : "Updated", program.id],
    ["Name", program.name],
    ["Slug", program.name_slug],
    ...(endpoint === null ? [] : [["Endpoint", endpoint]])
  ])
}

/** The same for other programs. */
export const jsonOf = ({ isNew, program }: Deployed<SourceResource | WorkflowResource>) => ({
  ...program,
  new: isNew,
  endpoint_url: EndpointUrl.of(program.configured_props)
})

/** An import of a package, for which the server has no module of its own. */
const packageImport = /\b(?:from|import)\s*\(?\s*["'](?!node:|@headwater\/|@pipedream\/)((?:@[\w.-]+\/)?[a-z][\w.-]*)/g

/** Names the server's work on code before it runs, which takes long only if it installs packages. */
export const checking = (subject: Subject): string => {
  if (subject._tag !== "Code") return "Fetching and checking the code"
  const names = [...subject.bundle.code.matchAll(packageImport)].flatMap(([, name = ""]) =>
    isBuiltin(name) ? [] : [name]
  )
  const count = new Set(names).size
  return count === 0
    ? "Checking the code"
    : `Checking the code, and installing ${count} package${count === 1 ? "" : "s"}`
}

/** Names the props that need a value. */
export const needs = (whose: string, names: ReadonlyArray<string>) =>
  refuse(`${whose} needs a value for ${names.join(", ")}: give ` + names.map((name) => `--prop ${name}=…`).join(" "))

const prefix = ConfiguredProps.pathOf("")

/** The refusal of a request about something of this name, in the words of the command line. */
export const toldOf = (name: string, problem: InvalidRequest): CommandRefused | InvalidRequest => {
  const { details } = problem
  const missing = details.filter(({ message, path }) => path.startsWith(prefix) && message === ConfiguredProps.missing)
  return missing.length === details.length
    ? needs(name, missing.map(({ path }) => path.slice(prefix.length)))
    : problem
}

/** The field of a request for the project that a program is to belong to. */
export const projectGiven = (project: string | undefined) =>
  project === undefined ? {} : { project_id: project === "" ? null : project }

/** Makes components of what is given, and one source run them, the newest in place of the one before. */
export const make = Effect.fnUntraced(
  function*({ asks, during = () => identity, initialState, name: givenName, project, props }: DeploymentOptions) {
    const { call } = yield* ApiAccess
    /** The values that were asked for once. */
    const answers = new Map<string, Schema.Json>()
    let own: SourceResource | undefined

    const componentOf = (subject: Subject) =>
      call(({ components }) => {
        switch (subject._tag) {
          case "Code":
            return components.create({ headers: {}, payload: { component_code: subject.bundle.code } })
          case "Url":
            return components.create({ headers: {}, payload: { component_url: subject.url } })
          case "Key":
            return components.getPublished({ params: { key: subject.key }, query: {} })
        }
      }).pipe(Effect.catchTags({
        ComponentInvalidProblem: (problem) => Effect.fail(inFiles(subject)(problem)),
        NotFoundProblem: ({ detail }) =>
          Effect.fail(refuse(
            subject._tag === "Key"
              ? `${JSON.stringify(subject.key)} is not a file, a folder, or the key of a component in the registry`
              : detail
          ))
      }))

    const valuesOf = (component: ComponentResource) =>
      Effect.forEach(props, ([name, text]) => {
        const prop = component.configurable_props.find((declared) => declared.name === name)
        const value = prop === undefined ? Result.succeed(text) : PropValue.parse(prop, text)
        return Effect.mapBoth(Effect.fromResult(value), {
          onSuccess: (value) => [name, value] as const,
          onFailure: (why) => refuse(`--prop ${name}: ${why}`)
        })
      })

    const write = (
      { component, name, source, subject }: Saved,
      values: ReadonlyArray<readonly [string, Schema.Json]>
    ) => {
      const payload = {
        ...(subject._tag === "Key" ? { key: subject.key } : { component_id: component.id }),
        configured_props: Object.fromEntries(values),
        ...projectGiven(project)
      }
      return call(({ sources }) =>
        source === undefined
          ? sources.create({
            headers: {},
            payload: { ...payload, name, ...(initialState === undefined ? {} : { initial_state: initialState }) }
          })
          : sources.update({ params: { id: source.id }, payload })
      ).pipe(
        Effect.catchTags({
          ComponentInvalidProblem: (problem) => Effect.fail(inFiles(subject)(problem)),
          HookFailedProblem: (problem) => {
            const { message } = inFiles(subject)(problem)
            return Effect.fail(refuse(source === undefined ? message : `${message} (the source is inactive now)`))
          }
        })
      )
    }

    /** The props without a value, if that is all that is wrong. */
    const missingOf = ({ component }: Saved, { details }: InvalidRequest) => {
      const missing = component.configurable_props.filter(({ name }) =>
        details.some(({ message, path }) =>
          path === ConfiguredProps.pathOf(name) && message === ConfiguredProps.missing
        )
      )
      return missing.length === details.length ? missing : []
    }

    const askFor = Effect.fnUntraced(function*(saved: Saved, problem: InvalidRequest) {
      const missing = missingOf(saved, problem)
      if (missing.length === 0) return yield* problem
      if (!asks) {
        const { message } = needs(saved.component.name, missing.map(({ name }) => name))
        return yield* refuse([message, ...missing.flatMap(PropQuestion.howToGetOne)].join(". "))
      }
      for (const prop of missing) answers.set(prop.name, yield* PropQuestion.ask(prop))
    })

    const apply = Effect.fnUntraced(function*(saved: Saved) {
      const values = yield* valuesOf(saved.component)
      const isDeclared = ([name]: readonly [string, unknown]) =>
        saved.component.configurable_props.some((declared) => declared.name === name)
      const attempt = Effect.suspend(() => write(saved, [...[...answers].filter(isDeclared), ...values])).pipe(
        during(() => `Activating ${saved.name}`)
      )
      const { data: source } = yield* attempt.pipe(
        Effect.catchTag("InvalidRequestProblem", (problem) => Effect.andThen(askFor(saved, problem), attempt))
      )
      own = source
      return {
        program: source,
        isNew: saved.source === undefined
      } satisfies Deployed<SourceResource> as Deployed<SourceResource>
    })

    /** A source that is named after its component and runs another one is somebody's work: it is not replaced unasked. */
    const refuseOther = Effect.fnUntraced(
      function*({ component_id, id, name, name_slug }: ProgramByName.Named, key: string | null) {
        if (component_id === undefined) return
        const before = yield* call(({ components }) => components.get({ params: { key: component_id }, query: {} }))
          .pipe(
            // One that is no longer in the registry has a key that no new component has.
            Effect.catchTag("NotFoundProblem", () => Effect.undefined)
          )
        if (before?.data.key === key) return
        const told = (one: string | null | undefined) =>
          one === undefined ? "unknown" : one === null ? "none" : JSON.stringify(one)
        return yield* refuse(
          `The source ${JSON.stringify(name)} (${id}) runs another component (its key is ${
            told(before?.data.key)
          }, this one's is ` +
            `${told(key)}). Give --name ${name_slug} to replace its code, or --name with a new name to create a source`
        )
      }
    )

    return {
      /** Saves the component and finds the source, which does not change yet. */
      prepare: Effect.fnUntraced(function*(subject: Subject) {
        const { data: component } = yield* during(() => checking(subject))(componentOf(subject))
        const called = subject._tag === "Code" && component.name === nameless ? subject.name : component.name
        const name = givenName ?? called
        const source = own ?? (yield* ProgramByName.find("source", name))
        if (source !== undefined && initialState !== undefined) {
          return yield* refuse(
            `There is already a source ${JSON.stringify(source.name)}: only a new one can be given --initial-state`
          )
        }
        if (own === undefined && givenName === undefined && source !== undefined) {
          yield* refuseOther(source, component.key)
        }
        return {
          /** The source, where there is one. */
          before: source,
          /** The deployment that its errors name, if that is known beforehand. */
          deploymentId: component.id as string | undefined,
          /** Creates the source or changes it. Asks for what is missing, where somebody is there. */
          apply: apply({ subject, component, name, source })
        }
      })
    }
  }
)
