import { useSignal } from "@preact/signals"
import { useMemo } from "preact/hooks"
import { bytes } from "../charts/Figures.ts"
import { Copy } from "./Copy.tsx"
import { harmless } from "./Harmless.ts"
import { JsonTree } from "./JsonTree.tsx"
import { Tabs } from "./Tabs.tsx"

/** The most characters of a raw payload that are shown: a browser can't lay out more in a moment. */
const maxRaw = 200_000

const Raw = ({ text }: { readonly text: string }) => (
  <>
    {text.length > maxRaw
      ? <p class="note">The first {bytes(maxRaw)} of {bytes(text.length)}. Copy takes the whole of it.</p>
      : null}
    <pre class="raw" tabIndex={0}><bdi>{harmless(text.slice(0, maxRaw))}</bdi></pre>
  </>
)

/** The payload of an event, as a tree that folds or as text. */
export const Payload = ({ value }: { readonly value: unknown }) => {
  const view = useSignal("tree")
  const text = useMemo(() => JSON.stringify(value, null, 2) ?? "null", [value])
  return (
    <section class="payload" aria-label="Payload">
      <div class="bar">
        <Tabs
          label="How the payload is shown"
          chosen={view.value}
          choices={[["tree", "Tree"], ["raw", "Raw"]]}
          onChoose={(chosen) => {
            view.value = chosen
          }}
        />
        <span class="note">{bytes(new Blob([text]).size)}</span>
        <Copy text={() => JSON.stringify(value)} what="payload" />
      </div>
      {view.value === "tree" ? <JsonTree value={value} /> : <Raw text={text} />}
    </section>
  )
}
