import type { Prop } from "../resources/Props.ts"

/** A completion and its description. */
export interface Completion {
  readonly label: string
  readonly detail: string
}

/** The completions after a name and a dot, by that name. */
export type CodeCompletions = ReadonlyMap<string, ReadonlyArray<Completion>>

const ofType: Readonly<Record<string, ReadonlyArray<Completion>>> = {
  "$.service.db": [
    { label: "get", detail: "(key): the value that is kept" },
    { label: "set", detail: "(key, value): keeps a value; undefined removes it" }
  ],
  "$.interface.http": [
    { label: "respond", detail: "({ status, headers, body })" },
    { label: "endpoint", detail: "the URL" }
  ],
  "$.interface.apphook": [{ label: "endpoint", detail: "the URL" }],
  app: [{ label: "$auth", detail: "the credentials" }]
}

const ofSteps: ReadonlyArray<readonly [string, ReadonlyArray<Completion>]> = [
  ["steps.trigger", [{ label: "event", detail: "what the run is over" }, {
    label: "context",
    detail: "where it came from"
  }]],
  ["$", [
    { label: "export", detail: "(name, value): for the steps after it" },
    { label: "emit", detail: "(event, { name, id, summary })" },
    { label: "respond", detail: "({ status, headers, body })" },
    { label: "flow", detail: "exit, delay, rerun" },
    { label: "send", detail: "http, emit" },
    { label: "context", detail: "the run and the step" }
  ]],
  ["$.flow", [
    { label: "exit", detail: "(reason): ends the run" },
    { label: "delay", detail: "(ms): before the next step" },
    { label: "rerun", detail: "(ms, context): this step again" }
  ]],
  ["$.send", [
    { label: "http", detail: "({ method, url, headers, data })" },
    { label: "emit", detail: "(event, name)" }
  ]]
]

/** The name of a prop on `this`. The full name of a step's prop begins with the step's name. */
const nameOf = ({ name }: Prop): string => name.slice(name.lastIndexOf(".") + 1)

/**
 * @param steps the names of a workflow's steps; undefined for a source
 */
export const of = (props: ReadonlyArray<Prop>, steps?: ReadonlyArray<string>): CodeCompletions =>
  new Map([
    ["this", [
      ...props.map((prop) => ({ label: nameOf(prop), detail: prop.type })),
      ...(steps === undefined ? [{ label: "$emit", detail: "(event, { id, name, summary, ts })" }] : [])
    ]],
    ...props.flatMap((prop) => {
      const members = Object.hasOwn(ofType, prop.type) ? ofType[prop.type] : undefined
      return members === undefined ? [] : [[`this.${nameOf(prop)}`, members] as const]
    }),
    ...(steps === undefined ? [] : [
      ...ofSteps,
      ["steps", [
        { label: "trigger", detail: "event, context" },
        ...steps.map((label) => ({ label, detail: "what the step gave" }))
      ]] as const
    ])
  ])
