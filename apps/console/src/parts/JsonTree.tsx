import { useSignal } from "@preact/signals"
import { count, counted } from "../charts/Figures.ts"
import { harmless } from "./Harmless.ts"

/** The number of entries of a list or an object that are shown before the reader asks for more. */
const batch = 100

/** The number of characters of a text that are shown at first, and the number that each request adds. */
const textBatch = 1_000
const moreText = 100_000

/** The depth to which a payload is unfolded at first, and the most entries of a branch that is. */
const openDepth = 2
const openEntries = 30

const isComposite = (value: unknown): value is object => typeof value === "object" && value !== null

const entriesOf = (value: object): ReadonlyArray<readonly [string, unknown]> =>
  Array.isArray(value) ? value.map((element, index) => [String(index), element] as const) : Object.entries(value)

const TextValue = ({ text }: { readonly text: string }) => {
  const shown = useSignal(textBatch)
  const rest = text.length - shown.value
  return (
    <span class="json-text">
      "<bdi>{harmless(text.slice(0, shown.value))}</bdi>
      {rest > 0 ? "…" : "\""}
      {rest > 0
        ? (
          <button
            type="button"
            class="bare"
            onClick={() => {
              shown.value += moreText
            }}
          >
            {count(rest)} more characters
          </button>
        )
        : null}
    </span>
  )
}

const Scalar = ({ value }: { readonly value: unknown }) => {
  if (typeof value === "string") return <TextValue text={value} />
  return <span class={value === null ? "json-null" : `json-${typeof value}`}>{String(value)}</span>
}

const Name = ({ name }: { readonly name: string | undefined }) =>
  name === undefined ? null : (
    <span class="json-name">
      <bdi>{harmless(name.slice(0, textBatch))}</bdi>
    </span>
  )

const summaryOf = (value: object): string =>
  Array.isArray(value)
    ? `[ ${counted(value.length, "element")} ]`
    : `{ ${counted(Object.keys(value).length, "field")} }`

/** Renders its entries only while it is unfolded, so that a payload of many megabytes costs only its visible part. */
const Branch = ({ depth, name, value }: {
  readonly name: string | undefined
  readonly value: object
  readonly depth: number
}) => {
  const size = Array.isArray(value) ? value.length : Object.keys(value).length
  const isOpen = useSignal(depth === 0 || (depth < openDepth && size <= openEntries))
  const shown = useSignal(batch)
  if (size === 0) {
    return (
      <div class="json-line">
        <Name name={name} />
        <span class="json-null">{Array.isArray(value) ? "[ ]" : "{ }"}</span>
      </div>
    )
  }
  return (
    <details
      class="json-branch"
      open={isOpen.value}
      onToggle={(event) => {
        isOpen.value = event.currentTarget.open
      }}
    >
      <summary>
        <Name name={name} />
        <span class="json-size">{summaryOf(value)}</span>
      </summary>
      {isOpen.value
        ? (
          <div class={depth < 12 ? "json-inside" : "json-inside is-deep"}>
            {entriesOf(value).slice(0, shown.value).map(([key, inner]) => (
              <Node key={key} name={key} value={inner} depth={depth + 1} />
            ))}
            {size > shown.value
              ? (
                <button
                  type="button"
                  class="bare"
                  onClick={() => {
                    shown.value += batch
                  }}
                >
                  {count(size - shown.value)} more
                </button>
              )
              : null}
          </div>
        )
        : null}
    </details>
  )
}

const Node = ({ depth, name, value }: {
  readonly name: string | undefined
  readonly value: unknown
  readonly depth: number
}) =>
  isComposite(value)
    ? <Branch name={name} value={value} depth={depth} />
    : (
      <div class="json-line">
        <Name name={name} />
        <Scalar value={value} />
      </div>
    )

/** A JSON value as a tree that folds. */
export const JsonTree = ({ value }: { readonly value: unknown }) => (
  <div class="json">
    <Node name={undefined} value={value} depth={0} />
  </div>
)
