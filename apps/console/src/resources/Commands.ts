import { hrefOf, type Query, visit } from "../api/Address.ts"
import { post, put } from "../api/Api.ts"
import { may, type Scope } from "../api/Session.ts"
import { places } from "../routes.ts"
import * as Directory from "./Directory.ts"
import { pageOf } from "./ThingPage.ts"
import type * as WholeId from "./WholeId.ts"

/** A thing that can be found and done by typing. */
export interface Command {
  readonly key: string
  /** The words for it, by which it is found. */
  readonly title: string
  /** The kind of thing that it is about. */
  readonly kind: string
  /** Further texts by which it is found. */
  readonly also: string
  /** Does it. It says what it has done, if no page shows that. */
  readonly run: () => Promise<string | undefined>
}

const going = (href: string) => async (): Promise<undefined> => {
  visit(href)
  return undefined
}

const pages = (): ReadonlyArray<Command> =>
  places.map(({ name, path }) => ({ key: path, title: name, kind: "page", also: "go to", run: going(hrefOf([path])) }))

const makings: ReadonlyArray<readonly [what: string, path: ReadonlyArray<string>, query?: Query]> = [
  ["webhook", ["webhooks"], { do: "new" }],
  ["subscription", ["subscriptions"], { do: "subscribe" }],
  ["source", ["sources", "new"]],
  ["source from the registry", ["registry"]],
  ["workflow", ["workflows", "new"]],
  ["consumer", ["consumers"], { do: "new" }],
  ["app account", ["accounts"], { do: "new" }],
  ["data store", ["data-stores"], { do: "new" }],
  ["key", ["keys"], { do: "new" }]
]

const makers = (): ReadonlyArray<Command> =>
  may("write")
    ? makings.map(([what, path, query]) => ({
      key: `new ${what}`,
      title: `New ${what}`,
      kind: "create",
      also: "make add",
      run: going(hrefOf(path, query))
    }))
    : []

/** Something that can be done with a thing, and the scope that it takes. */
interface Doing {
  readonly verb: string
  readonly needs: Scope
  readonly run: () => Promise<string | undefined>
}

const pausing = ({ id, isActive, kind }: Directory.Named): Doing => {
  const isWebhook = kind === "webhook"
  return {
    verb: isActive ? "Pause" : isWebhook ? "Resume" : "Activate",
    needs: isWebhook ? "run" : "write",
    run: async () => {
      if (isWebhook) await post(["webhooks", id, isActive ? "pause" : "resume"])
      else await put(Directory.emitterPath(id), { body: { active: !isActive } })
      const named = Directory.names.peek().get(id)
      if (named !== undefined) Directory.note({ ...named, isActive: !isActive })
      return isActive
        ? "It is paused, and will continue where it left off."
        : "It is active again, and continues where it left off."
    }
  }
}

/** The dialogs of the pages of things, with the verbs for them. */
const dialogs: Readonly<Partial<Record<Directory.Kind, ReadonlyArray<readonly [verb: string, dialog: string]>>>> = {
  source: [["Rename", "rename"], ["Subscribe", "subscribe listener_id"], ["Delete", "delete"]],
  workflow: [["Run", "run"], ["Rename", "rename"], ["Subscribe", "subscribe listener_id"], ["Delete", "delete"]],
  webhook: [
    ["Send a test to", "test"],
    ["Change", "edit"],
    ["Show the secrets of", "keys"],
    ["Subscribe", "subscribe listener_id"],
    ["Delete", "delete"]
  ],
  consumer: [["Move", "move"], ["Delete", "delete"]],
  "app account": [["Change", "edit"], ["Delete", "delete"]],
  "data store": [["Delete", "delete"]]
}

/** The places that belong to a thing. */
const around = ({ id, kind }: Directory.Named): ReadonlyArray<readonly [verb: string, href: string]> => {
  switch (kind) {
    case "source":
      return [["Code of", hrefOf(["sources", id, "code"])], ["Events of", hrefOf(["events"], { emitter: id })]]
    case "workflow":
      return [
        ["Code of", hrefOf(["workflows", id, "code"])],
        ["Runs of", hrefOf(["workflows", id, "runs"])],
        ["Events of", hrefOf(["events"], { emitter: id })]
      ]
    case "webhook":
      return [["Deliveries to", hrefOf(["deliveries"], { webhook_id: id })]]
    case "key":
      return [["Changes with", hrefOf(["audit"], { key: id })]]
    default:
      return []
  }
}

const doings = (named: Directory.Named): ReadonlyArray<Doing> => {
  const { id, kind } = named
  const page = new URL(pageOf(id) ?? hrefOf([]))
  const own = page.pathname.slice(new URL(hrefOf([])).pathname.length).split("/").map(decodeURIComponent)
  return [
    ...around(named).map(([verb, href]): Doing => ({ verb, needs: "read", run: going(href) })),
    ...(["source", "webhook", "workflow"].includes(kind) ? [pausing(named)] : []),
    ...(dialogs[kind] ?? []).map(([verb, dialog]): Doing => ({
      verb,
      needs: ["move", "run", "test"].includes(dialog) ? "run" : "write",
      run: going(hrefOf(own, { do: dialog }))
    }))
  ]
}

const ofThing = (named: Directory.Named): ReadonlyArray<Command> => {
  const { id, kind, name } = named
  const page = pageOf(id)
  return [
    ...(page === undefined ? [] : [{ key: id, title: name, kind, also: `open ${id}`, run: going(page) }]),
    ...doings(named).filter(({ needs }) => may(needs)).map(({ run, verb }) => ({
      key: `${verb} ${id}`,
      title: `${verb} ${name}`,
      kind,
      also: id,
      run
    }))
  ]
}

/** The ways on with a text that names nothing which is known here. */
const searches = (text: string): ReadonlyArray<Command> => [
  {
    key: "search events",
    title: `Events that contain “${text}”`,
    kind: "search",
    also: "",
    run: going(hrefOf(["events"], { text }))
  },
  {
    key: "search deliveries",
    title: `Deliveries that contain “${text}”`,
    kind: "search",
    also: "",
    run: going(hrefOf(["deliveries"], { text }))
  }
]

/** The most commands that are offered at once. */
const maxOffered = 40

/** Less is nearer: the title is the text, begins with it, has it in it, or has its words. */
const distance = ({ title }: Command, text: string): number => {
  const own = title.toLowerCase()
  return own === text ? 0 : own.startsWith(text) ? 1 : own.includes(text) ? 2 : 3
}

/**
 * The commands that a text finds: pages, things by name or id, and what can be done with them; the nearest first.
 *
 * @param whole what has the text as its whole id or path
 */
export const find = (given: string, whole: ReadonlyArray<WholeId.Found>): ReadonlyArray<Command> => {
  const text = given.trim().toLowerCase()
  if (text === "") return [...pages(), ...makers()]
  const words = text.split(/\s+/)
  const all = [...[...Directory.names.value.values()].flatMap(ofThing), ...pages(), ...makers()]
  const found = all.filter(({ also, kind, title }) => {
    const searched = `${title} ${kind} ${also}`.toLowerCase()
    return words.every((word) => searched.includes(word))
  })
  // The order of those that are as near stays: a thing comes before what can be done with it.
  const sorted = found.toSorted((a, b) => distance(a, text) - distance(b, text)).slice(0, maxOffered)
  const opened = whole.map(({ href, kind, title }): Command => ({ key: href, title, kind, also: "", run: going(href) }))
  return [...opened, ...sorted, ...searches(given.trim())]
}
