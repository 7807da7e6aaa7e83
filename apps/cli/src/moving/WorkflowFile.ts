import { Option, Predicate, Result, Schema, SchemaIssue } from "effect"
import { isMap, isScalar, LineCounter, parseDocument } from "yaml"

/** The most bytes of a file that says of what a workflow is made. */
export const mostBytes = 1024 * 1024

/** The most places in which the anchors of one file may be used. */
const mostAliases = 100

const named = (name: string) => Schema.optionalKey(Schema.NullOr(Schema.String)).annotate({ identifier: name })

/** A step as `workflow.yaml` has it. Of keys that are not here people are told. */
const Step = Schema.Struct({
  namespace: Schema.String.check(Schema.isMinLength(1)),
  runtime: named("runtime"),
  uses: named("uses"),
  props: Schema.optionalKey(Schema.NullOr(Schema.Record(Schema.String, Schema.Json))),
  disabled: Schema.optionalKey(Schema.NullOr(Schema.Boolean)),
  note: Schema.optionalKey(Schema.Json),
  notes: Schema.optionalKey(Schema.Json),
  _props_cursor: Schema.optionalKey(Schema.Json)
})

/** The steps of one way through a block, as places in the list of all steps. */
export interface Branch {
  readonly name: string
  /** The condition of one of `branches`. */
  readonly when?: Schema.Json | undefined
  readonly steps: ReadonlyArray<number>
}

/** A choice among steps. Files of YAML have none. */
export interface Block {
  readonly kind: "if" | "switch" | "branches" | "parallel"
  readonly value?: Schema.Json | undefined
  /** True if what it decides by was not understood. */
  readonly isUnclear: boolean
  /** True if each branch of `branches` is gone through whose condition holds. */
  readonly matchesEvery?: boolean
  readonly branches: ReadonlyArray<Branch>
}

/** A step. The reason for which it did not come over is `left`. */
export type Step = typeof Step.Type & { readonly block?: Block; readonly left?: string }

const Settings = Schema.Struct({
  error_notification: Schema.optionalKey(Schema.Json),
  lambda_timeout: Schema.optionalKey(Schema.NullOr(Schema.Finite)),
  lambda_memory: Schema.optionalKey(Schema.NullOr(Schema.Finite)),
  network: Schema.optionalKey(Schema.Json)
})

const Trigger = Schema.Struct({ id: Schema.String.check(Schema.isMinLength(1)) })

export const WorkflowFile = Schema.Struct({
  schema: Schema.optionalKey(Schema.String),
  name: Schema.optionalKey(Schema.NullOr(Schema.String)),
  inactive: Schema.optionalKey(Schema.NullOr(Schema.Boolean)),
  settings: Schema.optionalKey(Schema.NullOr(Settings)),
  triggers: Schema.optionalKey(Schema.NullOr(Schema.Array(Trigger))),
  steps: Schema.optionalKey(Schema.NullOr(Schema.Array(Step)))
})
export type WorkflowFile = Omit<typeof WorkflowFile.Type, "steps"> & {
  readonly steps?: ReadonlyArray<Step> | null
}

const StateFile = Schema.Struct({ schema: Schema.optionalKey(Schema.String), id: Schema.optionalKey(Schema.String) })

export type Path = ReadonlyArray<string | number>

/** Something that is wrong with a file, and its line. */
export interface Fault {
  readonly line: number
  readonly message: string
}

/** A file of YAML as it was read, with the lines on which it says what. */
export interface Read<A> {
  readonly value: A
  readonly lineOf: (path: Path) => number
  /** Keys that nobody knows, with their paths. */
  readonly unknown: ReadonlyArray<Path>
}

const issuesOf = SchemaIssue.makeFormatterStandardSchemaV1()

const utf8 = new TextDecoder("utf-8", { fatal: true })

const failed = (line: number, message: string): Result.Result<never, ReadonlyArray<Fault>> =>
  Result.fail([{ line, message }])

/** The text of a file, if it is UTF-8. */
export const textOf = (bytes: Uint8Array): Option.Option<string> =>
  Option.liftThrowable((given: Uint8Array) => utf8.decode(given))(bytes)

/** JSON of the same, in which a number that is none is null. */
const asJson = (value: unknown): unknown => JSON.parse(JSON.stringify(value ?? null))

const read = <A>(
  schema: Schema.Codec<A>,
  bytes: Uint8Array,
  unknownIn: (value: Record<string, unknown>) => ReadonlyArray<Path>
): Result.Result<Read<A>, ReadonlyArray<Fault>> => {
  if (bytes.length > mostBytes) return failed(1, `is larger than ${mostBytes} bytes`)
  const text = textOf(bytes)
  if (Option.isNone(text)) return failed(1, "is not UTF-8 text")
  const lines = new LineCounter()
  const document = parseDocument(text.value, { lineCounter: lines, uniqueKeys: true, logLevel: "silent" })
  const [error] = document.errors
  if (error !== undefined) {
    const [message = ""] = error.message.split("\n")
    return failed(lines.linePos(error.pos[0]).line, `is not YAML: ${message.replace(/ at line \d+.*$/, "")}`)
  }
  /** The key of a mapping stands before its value. */
  const nodeAt = (at: Path): unknown => {
    const last = at.at(-1)
    const parent: unknown = at.length === 1 ? document.contents : document.getIn(at.slice(0, -1), true)
    const pair = isMap(parent) ? parent.items.find(({ key }) => isScalar(key) && String(key.value) === last) : undefined
    return pair?.key ?? document.getIn(at, true)
  }
  const lineOf = (path: Path): number => {
    for (let length = path.length; length > 0; length--) {
      const node = nodeAt(path.slice(0, length))
      const range = Predicate.isObject(node)
        ? Reflect.get(node, "range") as ReadonlyArray<number> | undefined
        : undefined
      if (range?.[0] !== undefined) return lines.linePos(range[0]).line
    }
    return 1
  }
  let value: unknown
  try {
    value = asJson(document.toJS({ maxAliasCount: mostAliases }))
  } catch (error) {
    // Of the library, for aliases without an anchor, or too many of them; of JSON, for what holds itself or goes too deep.
    return failed(1, `is not a plain document: ${error instanceof Error ? error.message : String(error)}`)
  }
  if (!Predicate.isObject(value) || Array.isArray(value)) return failed(1, "is not a mapping of keys")
  const decoded = Schema.decodeUnknownResult(schema)(value, { errors: "all" })
  if (Result.isFailure(decoded)) {
    const { issues } = issuesOf(decoded.failure.issue)
    return Result.fail(issues.map(({ message, path = [] }) => {
      const at = path.map((key) => typeof key === "number" ? key : String(key))
      return { line: lineOf(at), message: `${at.length === 0 ? "" : `${at.join(".")}: `}${message}` }
    }))
  }
  return Result.succeed({ value: decoded.success, lineOf, unknown: unknownIn(value as Record<string, unknown>) })
}

const unknownKeys = (value: unknown, schema: { readonly fields: object }, path: Path): ReadonlyArray<Path> =>
  Predicate.isObject(value)
    ? Object.keys(value).filter((key) => !Object.hasOwn(schema.fields, key)).map((key) => [...path, key])
    : []

const listOf = (value: unknown): ReadonlyArray<unknown> => Array.isArray(value) ? value : []

/** Reads `workflow.yaml`. */
export const readWorkflow = (bytes: Uint8Array) =>
  read(WorkflowFile, bytes, (value) => [
    ...unknownKeys(value, WorkflowFile, []),
    ...unknownKeys(value["settings"], Settings, ["settings"]),
    ...listOf(value["triggers"]).flatMap((trigger, index) => unknownKeys(trigger, Trigger, ["triggers", index])),
    ...listOf(value["steps"]).flatMap((step, index) => unknownKeys(step, Step, ["steps", index]))
  ])

/** Reads `.workflow.state`. */
export const readState = (bytes: Uint8Array) => read(StateFile, bytes, () => [])
