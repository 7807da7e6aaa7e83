import type { ComponentChildren } from "preact"
import { hrefOf, visit } from "../api/Address.ts"
import { remove } from "../api/Api.ts"
import * as Props from "../resources/Props.ts"
import type { SourceResource } from "../resources/Sources.ts"
import type { WorkflowResource } from "../resources/Workflows.ts"
import { Act } from "./Act.tsx"
import { Delete } from "./Delete.tsx"
import { harmless } from "./Harmless.ts"
import { Activity } from "./Health.tsx"
import { tell } from "./Notices.tsx"
import { ProgramProject } from "./ProgramProject.tsx"
import { Endpoint } from "./PropField.tsx"
import { Rename } from "./Rename.tsx"
import { SendEvent } from "./SendEvent.tsx"
import { Time } from "./Time.tsx"

interface Changes {
  readonly active?: boolean
  readonly name?: string
  readonly project_id?: string | null
}

type Program = SourceResource | WorkflowResource

/** The name of its kind, and the sentences on what a pause does and what is deleted with it. */
const wordsOn = (program: Program) =>
  "component_id" in program
    ? {
      kind: "source",
      paused: "It is paused. Its endpoint and timers are off; events it listens to wait for it.",
      lost:
        "Its log, its store and its subscriptions go with it, and its endpoint answers 404 from then on. To only stop it, pause it."
    }
    : {
      kind: "workflow",
      paused: "It is paused, and will continue where it left off.",
      lost: "Its runs, log and subscriptions are deleted too. To just stop it, pause it."
    }

/** The saved code that it runs. */
const Version = ({ of }: { readonly of: Program }) =>
  "component_id" in of
    ? (
      <>
        <dt>Component</dt>
        <dd>
          <a href={hrefOf(["components", of.component_id])}>
            <code>{of.component_id}</code>
          </a>
        </dd>
      </>
    )
    : (
      <>
        <dt>Deployment</dt>
        <dd>
          <code>{of.deployment_id}</code>
        </dd>
      </>
    )

/** The name of a source or workflow, the actions on it, and what it is. */
export const ProgramHead = ({ acts, change, facts, program }: {
  readonly program: Program
  readonly change: (changes: Changes) => Promise<void>
  /** Further actions. */
  readonly acts: ComponentChildren
  /** Pairs of `dt` and `dd` that come first. */
  readonly facts: ComponentChildren
}) => {
  const { active, configured_props, created_at, id, name, name_slug, project_id, updated_at } = program
  const { kind, lost, paused } = wordsOn(program)
  const list = `${kind}s`
  const endpoint = Props.endpointOf(configured_props)
  return (
    <>
      <div class="page-head">
        <h1>
          <bdi>{harmless(name)}</bdi>
        </h1>
        <Activity of={program} />
        <span class="grow" />
        {acts}
        {active ? <SendEvent url={endpoint} /> : null}
        <a class="button" href={hrefOf([list, id, "code"])}>Code</a>
        <Act
          needs="write"
          {...(active ? {} : { kind: "main" })}
          done={active ? paused : "It is active again, and continues where it left off."}
          act={() => change({ active: !active })}
        >
          {active ? "Pause" : "Activate"}
        </Act>
        <Rename name={name} act={(name) => change({ name })} />
        <Delete
          what={`the ${kind} ${harmless(name)}`}
          act={async () => {
            await remove([list, id])
            tell("done", `The ${kind} is deleted.`)
            visit(hrefOf([list]))
          }}
        >
          <p>{lost}</p>
        </Delete>
      </div>
      <dl class="facts">
        {facts}
        {endpoint === undefined ? null : (
          <>
            <dt>Endpoint</dt>
            <dd>
              <Endpoint url={endpoint} />
            </dd>
          </>
        )}
        <dt>Project</dt>
        <dd>
          <ProgramProject
            {...(project_id === undefined ? {} : { project_id })}
            move={(project_id) => change({ project_id })}
          />
        </dd>
        <dt>Slug</dt>
        <dd>
          <code>{name_slug}</code>
        </dd>
        <dt>Id</dt>
        <dd>
          <code>{id}</code>
        </dd>
        <Version of={program} />
        <dt>Changed</dt>
        <dd>
          <Time ms={updated_at * 1_000} />, created <Time ms={created_at * 1_000} />
        </dd>
      </dl>
    </>
  )
}
