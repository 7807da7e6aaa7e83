/** The test that a workflow begins with, and the event that it runs over: both are its developer's from then on. */
import type { Schema } from "effect"
import type { ActionPlace } from "./ActionPlaces.ts"
import { literal } from "./MovedModule.ts"
import { isLeft } from "./MovedSteps.ts"
import type { MovedWorkflow } from "./MovedWorkflow.ts"
import type { ActionName } from "./StepCode.ts"

type Json = Schema.Json
type Fields = Readonly<Record<string, Json>>

export interface Given {
  readonly workflow: MovedWorkflow
  /** The name of its module, which lies beside the test. */
  readonly module: string
  /** The values that its props have here. */
  readonly props: Fields
  /** The names of props that wait for a value. */
  readonly withheld: ReadonlyArray<string>
  readonly placeOf: (action: ActionName) => ActionPlace | undefined
}

export const eventFile = "event.json"

/** A value of the test's own, in place of what nobody has given. */
const madeUp = "of the test"

const members = (names: ReadonlyArray<string>): Fields => Object.fromEntries(names.map((name) => [name, madeUp]))

/** An event with what the code reads of one. */
export const eventOf = ({ bodyMembers, eventMembers, sample, takesBody, triggers }: MovedWorkflow): Json => {
  if (sample !== undefined) return sample
  const read = members(eventMembers)
  switch (triggers[0]?.type) {
    case "$.interface.http":
      return takesBody ? read : { ...read, body: members(bodyMembers), headers: {}, query: {} }
    case "$.interface.email":
      return { ...read, headers: { subject: madeUp, from: "someone@example.com" }, text: madeUp }
    default:
      return read
  }
}

/** The ways in which it is begun. */
const begunBy = ({ takesBody, triggers }: MovedWorkflow) => {
  switch (triggers[0]?.type) {
    case "$.interface.http":
      return takesBody
        ? ["await workflow.request({ json: event })"]
        : [
          "const { body, method = \"POST\", query = {} } = event",
          "await workflow.request({ method, path: `?${new URLSearchParams(query)}`, ...(method === \"GET\" ? {} : { json: body }) })"
        ]
    case "$.interface.timer":
      return ["await hw.advance(\"1 minute\")"]
    default:
      return ["await workflow.trigger(event)"]
  }
}

/** Values without which the server takes it only switched off. */
const lackingOf = ({ withheld, workflow: { refused, sealed } }: Given): ReadonlyArray<string> => [
  ...new Set([...sealed, ...Object.keys(refused), ...withheld])
]

/** Actions that only the server has. */
const elsewhereOf = ({ placeOf, workflow: { steps } }: Given): ReadonlyArray<string> =>
  steps.flatMap(({ code }) => {
    const place = code._tag === "Action" ? placeOf(code.action)?.place : undefined
    return place?.startsWith("registry:") === true ? [place] : []
  })

/** The things that a run over a made-up event, with made-up accounts and answers, may fail without. */
const unsureOf = ({ workflow: { accounts, isAlone, steps, stores, variables } }: Given): ReadonlyArray<string> => [
  ...Object.keys(accounts).map((name) => `credentials of an account for ${name}: give those that its app has`),
  ...variables.map((name) => `the environment variable ${name}`),
  ...Object.entries(stores).map(([name, id]) => `entries of the data store ${id}, for ${name}`),
  ...steps.flatMap((step) => isLeft(step) ? [`the step ${step.name}, which did not come over: write it anew`] : []),
  ...(isAlone ? [] : ["an event as it comes, in event.json, and answers to what the steps ask of others, in `fetch`"])
]

const schedules = (triggers: MovedWorkflow["triggers"]): Fields =>
  Object.fromEntries(
    triggers.flatMap(({ prop, type }) =>
      prop !== undefined && type === "$.interface.timer"
        // The others are far from the first.
        ? [[prop, { cron: prop === "timer" ? "0 9 * * *" : "0 0 1 1 *", timezone: "UTC" }]]
        : []
    )
  )

/** The values of props, with schedules of the test's own, and the data stores by the names that it gives them. */
const propsOf = ({ props, workflow: { accounts, stores, triggers } }: Given): Fields => ({
  ...Object.fromEntries(Object.entries(props).filter(([name]) => accounts[name] === undefined)),
  ...stores,
  ...schedules(triggers)
})

const decoder = new TextDecoder()

/** The app of an account: that of the action, else the one that the step's code declares for the prop. */
const appOf = (name: string, { files, steps }: MovedWorkflow): string => {
  const step = steps.find((each) => name.startsWith(`${each.name}.`))
  const prop = step === undefined ? name : name.slice(step.name.length + 1)
  const { code } = step ?? {}
  if (code?._tag === "Action") return code.action.key.replace(/-.*$/, "")
  const file = code?._tag === "File" ? files.find(({ path }) => path === code.path) : undefined
  const declared = new RegExp(
    `["']?${prop.replace(/\W/g, "\\$&")}["']?\\s*:\\s*\\{[^{}]*\\bapp["']?\\s*:\\s*["']([^"']+)`
  )
    .exec(file === undefined ? "" : decoder.decode(file.bytes))
  return declared?.[1] ?? prop
}

const accountsOf = ({ workflow }: Given) =>
  Object.fromEntries(
    Object.keys(workflow.accounts).map((name) => [
      name,
      { app: appOf(name, workflow), credentials: { oauth_access_token: madeUp, api_key: madeUp } }
    ])
  )

const makeAccounts = [
  "for (const [prop, account] of Object.entries(accounts)) {",
  "  props[prop] = { authProvisionId: (await hw.api(\"POST\", \"/accounts\", account)).id }",
  "}"
]

const constant = (name: string, value: unknown) => `const ${name} = ${JSON.stringify(value, undefined, 2)}`

const listed = (list: ReadonlyArray<string>) => list.map((each) => `// - ${each.replace(/\s+/g, " ")}`)

const opening = (title: string, needs: ReadonlyArray<string>) => [
  "// Begun by the import: `npm install --save-dev @headwater/testing`, then `node --test`. It is yours, and stays as you change it.",
  ...(needs.length === 0 ? [] : [`// ${title}`, ...listed(needs)]),
  "import { Headwater } from \"@headwater/testing\"",
  "import assert from \"node:assert/strict\""
]

const moduleOf = ({ module }: Given) => `const module = new URL(${literal(`./${module}`)}, import.meta.url)`

const testOf = (title: string, body: ReadonlyArray<string>) => [
  `test(${literal(title)}, async () => {`,
  "  await using hw = await Headwater.start({ at: \"2026-12-01T08:59:00Z\", env, stores })",
  ...body.map((line) => `  ${line}`),
  "})",
  ""
]

/** A run up to its end, in which each wait passes at once. */
const runBody = (given: Given, isUnsure: boolean) => [
  ...(Object.keys(given.workflow.accounts).length === 0 ? [] : makeAccounts),
  "const workflow = await hw.workflow(module, { props, fetch: () => Response.json({}) })",
  ...begunBy(given.workflow),
  "let [run] = await workflow.runs()",
  "for (let waits = 0; run.status === \"waiting\" && waits < 20; waits++) {",
  "  await hw.advanceTo(run.dueAt)",
  "  run = await workflow.run(run.id)",
  "}",
  "const ended = run.steps.map(({ name, status }) => `${name}: ${status}`)",
  ...(isUnsure
    ? [
      "// It may fail for want of them. When it has them, ask for \"success\", and for what the steps give.",
      "if (run.status !== \"success\") console.log(`The run ended with ${run.status}:`, run.error?.message, ended)",
      "assert.ok([\"success\", \"error\"].includes(run.status))",
      "assert.ok(ended.length > 0)"
    ]
    : ["assert.equal(run.status, \"success\", `${run.error?.message}: ${ended}`)"])
]

/** The text of the test. It says what a whole run yet needs, and passes with what can run without. */
export const textOf = (given: Given): string => {
  const { name, stores, variables } = given.workflow
  const [elsewhere, lacking, unsure] = [elsewhereOf(given), lackingOf(given), unsureOf(given)]
  const lines = (title: string, needs: ReadonlyArray<string>, body: ReadonlyArray<string>, readsEvent: boolean) =>
    [
      ...opening("A whole run needs yet:", needs),
      ...(readsEvent ? ["import { readFile } from \"node:fs/promises\""] : []),
      "import { test } from \"node:test\"",
      "",
      moduleOf(given),
      constant("props", propsOf(given)),
      ...(Object.keys(given.workflow.accounts).length === 0 ? [] : [constant("accounts", accountsOf(given))]),
      constant("env", members(variables)),
      constant("stores", Object.fromEntries(Object.values(stores).map((id) => [id, {}]))),
      ...(readsEvent
        ? [`const event = JSON.parse(await readFile(new URL(${literal(`./${eventFile}`)}, import.meta.url), "utf8"))`]
        : []),
      "",
      ...testOf(title, body)
    ].join("\n")
  if (elsewhere.length > 0) {
    return lines(`${name} can't run in a test: it imports what only the server has`, elsewhere, [
      "await assert.rejects(hw.workflow(module, { props }), /registry:/)"
    ], false)
  }
  if (lacking.length > 0) {
    return lines(`${name} is taken switched off, and can't run without values that it lacks`, [
      ...lacking.map((name) => `the value of ${name}, in \`props\``),
      ...unsure
    ], [
      "const workflow = await hw.workflow(module, { props, settings: { active: false } })",
      "assert.deepEqual(await workflow.runs(), [])"
    ], false)
  }
  const type = given.workflow.triggers[0]?.type
  return lines(`${name} runs`, unsure, runBody(given, unsure.length > 0), type !== "$.interface.timer")
}
