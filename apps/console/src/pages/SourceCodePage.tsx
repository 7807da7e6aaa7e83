import { useSignal } from "@preact/signals"
import { useRef } from "preact/hooks"
import { address, hrefOf, setQuery } from "../Address.ts"
import * as CodeCompletions from "../CodeCompletions.ts"
import * as CodeDraft from "../CodeDraft.ts"
import { placeAsked, placeText } from "../CodePlace.ts"
import { type Failure, failureOf } from "../Failure.ts"
import { useLoading } from "../Loading.ts"
import { CodeEditor, type Remark } from "../parts/CodeEditor.tsx"
import { CodeTrial } from "../parts/CodeTrial.tsx"
import { Dialog } from "../parts/Dialog.tsx"
import { Failed } from "../parts/Failed.tsx"
import { harmless } from "../parts/Harmless.ts"
import { Activity } from "../parts/Health.tsx"
import { tell } from "../parts/Notices.tsx"
import { ProgramTraces } from "../parts/ProgramTraces.tsx"
import { PropsForm } from "../parts/PropsForm.tsx"
import { SendEvent } from "../parts/SendEvent.tsx"
import { Shown } from "../parts/Shown.tsx"
import * as Props from "../Props.ts"
import type { Params } from "../routes.ts"
import { may } from "../Session.ts"
import * as Sources from "../Sources.ts"
import * as Trials from "../Trials.ts"
import { codeHref } from "./SourcePage.tsx"

const pollMs = 5_000

const issuePrefix = "configured_props."

/** New code that the source can't run with before it has values for props that it had not. */
interface Wanting {
  readonly component: Sources.ComponentResource
  readonly names: ReadonlySet<string>
}

const Code = ({ component, onChange, source }: {
  readonly component: Pick<Sources.ComponentResource, "code" | "configurable_props" | "id">
  /** As it was read last. */
  readonly source: Sources.SourceResource
  readonly onChange: () => Promise<void>
}) => {
  const { query } = address.value
  const isEarlier = query.has("component")
  const draft = CodeDraft.find(source.id)
  const begun = draft?.base === component.id ? draft.code : component.code
  /** The version that the text was made of, and its code. */
  const base = useSignal({ id: component.id, code: component.code })
  /** The version of the source that the reader knows of. */
  const known = useSignal(source.component_id)
  /** The versions that this text was made of, or that became of it. */
  const own = useRef(new Set([component.id]))
  const code = useSignal(begun)
  const failure = useSignal<Failure | undefined>(undefined)
  const wanting = useSignal<Wanting | undefined>(undefined)
  const isUnderWay = useSignal(false)
  /** What a check or a trial had to say of a place in the code. */
  const tried = useSignal<Remark | undefined>(undefined)
  const asked = placeAsked(query)
  const remark: Remark | undefined = failure.value?.place !== undefined
    ? { place: failure.value.place, message: harmless(failure.value.message) }
    : tried.value !== undefined
    ? tried.value
    : asked === undefined
    ? undefined
    : { place: asked, message: "An error was thrown here." }
  const isDirty = code.value !== base.value.code
  const isOvertaken = !isEarlier && !own.current.has(source.component_id)

  const deployed = (changed: Sources.SourceResource) => {
    own.current.add(changed.component_id)
    base.value = { id: changed.component_id, code: code.value }
    known.value = changed.component_id
    wanting.value = undefined
    CodeDraft.drop(source.id)
    tell("done", "It is deployed. The next run has the new code.")
    if (isEarlier) setQuery({ component: "", line: "", column: "" })
    void onChange()
  }
  const deploy = async () => {
    if (isUnderWay.value || !may("write")) return
    isUnderWay.value = true
    failure.value = undefined
    tried.value = undefined
    try {
      const fresh = await Sources.one(source.id, new AbortController().signal)
      if (fresh.component_id !== known.value) {
        known.value = fresh.component_id
        await onChange()
        tell("failed", "It was not deployed: somebody else has deployed another version meanwhile. Look at it first.")
        return
      }
      deployed(await Sources.change(fresh, { component_code: code.value }))
    } catch (error) {
      const refused = failureOf(error)
      const names = refused.issues.flatMap(({ path }) =>
        path.startsWith(issuePrefix) ? [path.slice(issuePrefix.length)] : []
      )
      if (names.length === 0) failure.value = refused
      else await want(names)
    } finally {
      isUnderWay.value = false
    }
  }
  const want = async (names: ReadonlyArray<string>) => {
    try {
      wanting.value = { component: await Sources.saveComponent(code.value), names: new Set(names) }
    } catch (error) {
      failure.value = failureOf(error)
    }
  }
  const leave = () => {
    const left = wanting.value?.component.id
    wanting.value = undefined
    // A version that nobody uses does no harm.
    if (left !== undefined) void Sources.removeComponent(left).catch(() => {})
  }

  return (
    <>
      <div class="page-head">
        <h1>
          Code of <bdi>{harmless(source.name)}</bdi>
        </h1>
        <Activity active={source.active} />
        <span class="grow" />
        <a class="button" href={hrefOf(["sources", source.id])}>The source</a>
        {source.active ? <SendEvent url={Props.endpointOf(source.configured_props)} /> : null}
        {may("write")
          ? (
            <button
              type="button"
              class="main"
              disabled={isUnderWay.value || (!isDirty && !isEarlier)}
              onClick={() => void deploy()}
            >
              {isUnderWay.value ? "Deploying …" : isOvertaken ? "Deploy over it" : "Deploy"}
            </button>
          )
          : null}
      </div>
      {isEarlier
        ? (
          <div class="stale" role="status">
            <span>
              This is the version <code>{component.id}</code>, which the source does not run
              {may("write") ? "; deploy it to go back to it." : "."}
            </span>
            <a href={hrefOf(["sources", source.id, "code"])}>The code that it runs</a>
          </div>
        )
        : null}
      {isOvertaken
        ? (
          <div class="stale" role="status">
            <span>Somebody has deployed another version meanwhile. What you see is made of the one before.</span>
            <button
              type="button"
              class="quiet"
              onClick={() => {
                CodeDraft.drop(source.id)
                setQuery({ version: source.component_id })
              }}
            >
              {isDirty ? "Drop the changes and show it" : "Show it"}
            </button>
          </div>
        )
        : null}
      <CodeEditor
        label={`Code of ${harmless(source.name)}`}
        code={begun}
        completions={CodeCompletions.of(component.configurable_props)}
        isReadOnly={!may("write")}
        remark={remark}
        onSave={() => void deploy()}
        onChange={(changed) => {
          code.value = changed
          if (changed === base.value.code) CodeDraft.drop(source.id)
          else CodeDraft.keep(source.id, { base: base.value.id, code: changed })
        }}
      />
      <div class="bar">
        {isDirty ? <span role="status">Changed, and not deployed.</span> : null}
        <span class="note">
          {may("write")
            ? "Control or Command with S deploys. Tab indents; Escape and then Tab leaves the editor."
            : "The key may read the code."}
        </span>
      </div>
      {failure.value === undefined ? null : (
        <Failed
          what={failure.value.place === undefined
            ? "It was not deployed."
            : `It was not deployed: look at ${placeText(failure.value.place)}.`}
          failure={failure.value}
        />
      )}
      {wanting.value === undefined ? null : (
        <Dialog title="The new code needs values" onClose={leave}>
          <PropsForm
            component={wanting.value.component.id}
            declared={wanting.value.component.configurable_props}
            current={source.configured_props}
            only={wanting.value.names}
            isNew
            submitName="Deploy with these"
            doing="Deploying …"
            submit={async (changes) => {
              const { component: { id } } = wanting.value!
              deployed(await Sources.change(source, { component_id: id, configured_props: changes }))
            }}
          />
        </Dialog>
      )}
      <CodeTrial
        subject={{ kind: "source", id: source.id }}
        code={code.value}
        isDeployed={!isDirty && !isEarlier && !isOvertaken}
        onRemark={(remark) => {
          failure.value = undefined
          tried.value = remark
        }}
      />
      <ProgramTraces id={source.id} codeHref={(error) => codeHref(source, error)} />
    </>
  )
}

/** The code of a source in an editor, from where it is deployed, and what came of it. */
export default ({ params }: { readonly params: Params }) => {
  const id = params["source"]!
  const { query } = address.value
  const earlier = query.get("component")
  const source = useLoading(id, (signal) => Sources.one(id, signal), { everyMs: pollMs })
  const component = useLoading(
    `${id} ${earlier} ${query.get("version")}`,
    async (signal): Promise<Pick<Sources.ComponentResource, "code" | "configurable_props" | "id">> => {
      const { component_id, id: sourceId } = await Sources.one(id, signal)
      const wanted = earlier ?? CodeDraft.find(sourceId)?.base ?? component_id
      try {
        return await Sources.component(wanted, signal)
      } catch (error) {
        // One that the registry has no more is still the source's.
        if (failureOf(error).status !== 404 || wanted !== component_id) throw error
        return { ...await Trials.deployed({ kind: "source", id: sourceId }, signal), id: wanted }
      }
    }
  )
  return (
    <div class="page">
      <Shown loading={source} what="the source">
        {(foundSource) => (
          <Shown loading={component} what="the code">
            {(found) => (
              <Code
                key={found.id}
                source={foundSource}
                component={found}
                onChange={() => source.reload()}
              />
            )}
          </Shown>
        )}
      </Shown>
    </div>
  )
}
