import type { WorkflowResource } from "@headwater/api/WorkflowsApi"
import { Effect, identity } from "effect"
import { ApiAccess } from "../access/ApiAccess.ts"
import { CommandRefused } from "../CommandRefused.ts"
import * as ProgramByName from "../given/ProgramByName.ts"
import * as PropValue from "../given/PropValue.ts"
import * as Attachments from "./Attachments.ts"
import * as Deployment from "./Deployment.ts"

const refuse = (message: string) => new CommandRefused({ message })

/** The name of a module's file without its ending, or of what stands last in a URL. */
const nameOf = (subject: Deployment.Subject): string => {
  if (subject._tag === "Code") return subject.name
  const [last = ""] = /[^/]+$/.exec(subject._tag === "Url" ? subject.url : subject.key) ?? []
  return last.replace(/\.[cm]?[jt]s$/, "")
}

/** Has one workflow run what is given, the newest in place of the one before. */
export const make = Effect.fnUntraced(function*(
  { attachments, during = () => identity, name: givenName, project, props }:
    & Omit<Deployment.DeploymentOptions, "asks" | "initialState">
    & {
      /** The files to attach, by their names; undefined to leave those that are attached. */
      readonly attachments?: ReadonlyArray<readonly [name: string, path: string]> | undefined
    }
) {
  const { call } = yield* ApiAccess
  let own: WorkflowResource | undefined

  const apply = Effect.fnUntraced(
    function*(
      subject: Exclude<Deployment.Subject, { _tag: "Key" }>,
      name: string,
      before: ProgramByName.Named | undefined
    ) {
      const payload = {
        ...(subject._tag === "Code" ? { workflow_code: subject.bundle.code } : { workflow_url: subject.url }),
        ...(attachments === undefined ? {} : { attachments: yield* Attachments.upload(name, attachments) }),
        configured_props: Object.fromEntries(props.map(([name, text]) => [name, PropValue.ofAnyType(text)])),
        ...Deployment.projectGiven(project)
      }
      const { data: program } = yield* call(({ workflows }) =>
        before === undefined
          ? workflows.create({ headers: {}, payload: { ...payload, name } })
          : workflows.update({ params: { id: before.id }, payload })
      ).pipe(
        Effect.catchTags({
          ComponentInvalidProblem: (problem) => Effect.fail(Deployment.inFiles(subject)(problem)),
          InvalidRequestProblem: (problem) => Effect.fail(Deployment.toldOf(name, problem))
        }),
        during(() => `${Deployment.checking(subject)}, and activating ${name}`)
      )
      own = program
      return {
        program,
        isNew: before === undefined
      } satisfies Deployment.Deployed<WorkflowResource> as Deployment.Deployed<WorkflowResource>
    }
  )

  return {
    /** Finds the workflow, which does not change yet. */
    prepare: Effect.fnUntraced(function*(subject: Deployment.Subject) {
      if (subject._tag === "Key") {
        return yield* refuse(
          `${JSON.stringify(subject.key)} is not a file or a folder, and the registry has no workflows`
        )
      }
      const name = givenName ?? nameOf(subject)
      const before = own ?? (yield* ProgramByName.find("workflow", name))
      return {
        /** The workflow, where there is one. */
        before,
        /** A deployment has no id before it is there. */
        deploymentId: undefined as string | undefined,
        /** Creates the workflow or changes it. */
        apply: apply(subject, name, before)
      }
    })
  }
})
