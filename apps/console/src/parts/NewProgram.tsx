import { useSignal } from "@preact/signals"
import { address, hrefOf, setQuery, visit } from "../api/Address.ts"
import { may } from "../api/Session.ts"
import { useDoing } from "../api/useDoing.ts"
import * as CodeDraft from "../code/CodeDraft.ts"
import type { Remark } from "../code/Remark.ts"
import * as NewPrograms from "../resources/NewProgram.ts"
import { CheckedCode } from "./CheckedCode.tsx"
import { CodeEditor } from "./CodeEditor.tsx"
import { CodeFaults } from "./CodeFaults.tsx"
import { Empty } from "./Empty.tsx"
import { Failed } from "./Failed.tsx"
import { NewProgramForm } from "./NewProgramForm.tsx"
import { tell } from "./Notices.tsx"
import { Tabs } from "./Tabs.tsx"
import { TextField } from "./TextField.tsx"
import { remarksOf, useCodeCheck } from "./useCodeCheck.ts"

/** The code that was checked, and what came of it. */
interface Checked {
  readonly given: NewPrograms.Given
  readonly declared: NewPrograms.Declared
}

const Making = ({ kind }: { readonly kind: NewPrograms.Kind }) => {
  const draftId = `new ${kind}`
  const from = address.value.query.get("from") === "url" ? "url" : "code"
  const code = useSignal(CodeDraft.find(draftId)?.code ?? NewPrograms.examples[kind])
  const url = useSignal("")
  const checked = useSignal<Checked | undefined>(undefined)
  const given: NewPrograms.Given = { kind, from, text: from === "url" ? url.value.trim() : code.value }
  const { failure, isUnderWay, start } = useDoing(async () => {
    checked.value = undefined
    checked.value = { given, declared: await NewPrograms.declare(given) }
  })
  // The outcome of a check holds for the text that was checked.
  const current = checked.value?.given.text === given.text && checked.value.given.from === from
    ? checked.value
    : undefined
  const check = () => void start()
  const typed = useCodeCheck({ kind, id: draftId }, code.value, from === "code" && current === undefined)
  const sought = useSignal<Remark | undefined>(undefined)
  return (
    <>
      <div class="bar">
        <Tabs
          label="The code is from"
          choices={[["code", "Code"], ["url", "A URL"]]}
          chosen={from}
          onChoose={(chosen) => setQuery({ from: chosen === "url" ? chosen : undefined })}
        />
        {kind === "source" ? <a href={hrefOf(["registry"])}>From the registry</a> : null}
      </div>
      <form
        class="props is-wide"
        onSubmit={(event) => {
          event.preventDefault()
          check()
        }}
      >
        {from === "url" ?
          (
            <>
              <TextField label="URL of the code" text={url} placeholder="https://example.com/orders.mjs" />
              <p class="note">
                The server fetches it, with its relative imports of the same origin. A module of an npm package is
                npm:package/path.
              </p>
            </>
          ) :
          (
            <CodeEditor
              label={`Code of the new ${kind}`}
              code={code.value}
              completed={{
                props: (current?.declared.checked ?? typed?.checked)?.configurable_props ?? [],
                steps: kind === "source" ? undefined : (current?.declared.checked ?? typed?.checked)?.steps ?? []
              }}
              isReadOnly={false}
              running={undefined}
              remarks={current === undefined
                ? typed === undefined ? [] : remarksOf(typed)
                : remarksOf({ code: given.text, checked: current.declared.checked })}
              sought={sought}
              onSave={check}
              onChange={(text) => {
                code.value = text
                CodeDraft.keep(draftId, { base: draftId, code: text })
              }}
            />
          )}
        <div class="bar">
          <button
            type="submit"
            class={current?.declared.checked.valid === true ? "" : "main"}
            disabled={isUnderWay.value}
          >
            {isUnderWay.value ? "Checking …" : "Check"}
          </button>
          <span class="note">The server loads the code. You fill in its props next.</span>
        </div>
      </form>
      {current !== undefined || typed === undefined ? null : (
        <CodeFaults
          errors={typed.checked.errors}
          onGo={(place) => {
            sought.value = { place, message: "", code: typed.code }
          }}
        />
      )}
      {failure.value === undefined ? null : <Failed what="It was not checked." failure={failure.value} />}
      {current === undefined ? null : <CheckedCode checked={current.declared.checked} />}
      {current?.declared.checked.valid === true
        ? (
          <section class="block" aria-label={`The new ${kind}`}>
            <h2>The new {kind}</h2>
            <NewProgramForm
              kind={kind}
              component={current.declared.component}
              declared={current.declared.props}
              name={current.declared.checked.name ?? ""}
              create={async (values) => {
                const id = await NewPrograms.create(current.given, current.declared, values)
                CodeDraft.drop(draftId)
                tell("done", `The ${kind} was created and is active.`)
                visit(hrefOf([`${kind}s`, id]))
              }}
            />
          </section>
        )
        : null}
    </>
  )
}

/** Makes a source or workflow of code that is written here or fetched from a URL. */
export const NewProgram = ({ kind }: { readonly kind: NewPrograms.Kind }) => (
  <div class="page">
    <div class="page-head">
      <h1>New {kind}</h1>
    </div>
    {may("write")
      ? <Making kind={kind} />
      : <Empty what={`This key may not make a ${kind}.`} />}
  </div>
)
