import { matches } from "@headwater/domain/EmitterPattern"
import type { GraphNode, WholeGraph } from "./Graph.ts"

/** The kinds of stops, each with its own look. `gone`: an emitter that is not among the nodes that were read. */
export type StopKind = GraphNode["type"] | "glob" | "gone"

/** True if nodes of this kind emit events. */
export const canEmit = (kind: StopKind): boolean => kind === "source" || kind === "workflow" || kind === "account"

/** One box of the drawing: a node, a glob, or several nodes that are alike. */
export interface Stop {
  readonly key: string
  readonly kind: StopKind
  /** The ids of its nodes, in order; for a glob, its text. */
  readonly ids: ReadonlyArray<string>
}

/** A connection from one stop to another. */
export interface Line {
  readonly key: string
  readonly from: string
  readonly to: string
  /** The ids of its subscriptions; none between emitters and a glob that matches them. */
  readonly subscriptions: ReadonlyArray<string>
}

/**
 * The rule by which nodes of one kind are drawn as one. `same`: they hear and are heard by the same nodes; `alike`:
 * these neighbours need only be alike; `kind`: all nodes of the kind.
 */
export type Grouping = "none" | "same" | "alike" | "kind"

export interface Shape {
  readonly stops: ReadonlyArray<Stop>
  readonly lines: ReadonlyArray<Line>
  readonly grouping: Grouping
}

export interface ShapeOptions {
  /** If it is undefined, the finest grouping that draws at most `mostStops` applies. */
  readonly grouping: Grouping | undefined
  /** The id of the node, or the glob, whose neighbourhood is drawn. */
  readonly focus: string | undefined
  /** The greatest distance from the focus, in subscriptions. */
  readonly hops: number
  /** The groups whose nodes are drawn one by one, each by the id of any of its nodes. */
  readonly open: ReadonlySet<string>
  /** The glob that the reader asked about, and the emitters that it hears. */
  readonly heard: { readonly glob: string; readonly emitters: ReadonlyArray<string> } | undefined
}

/** More stops than this are hard to survey. */
export const mostStops = 60

/** The smallest number of nodes that are drawn as one. */
const leastGroup = 3

/** The first of these that draws few enough stops is used. `alike` can be as coarse as needed. */
const automatic: ReadonlyArray<Grouping> = ["none", "same", "alike"]

interface Tie {
  readonly from: string
  readonly to: string
  /** The stream and the filter mark, which also distinguish two subscriptions. */
  readonly manner: string
  readonly subscription: string | undefined
}

interface Ties {
  readonly kinds: ReadonlyMap<string, StopKind>
  readonly ties: ReadonlyArray<Tie>
}

const allOf = ({ edges, nodes }: WholeGraph, heard: ShapeOptions["heard"]): Ties => {
  const kinds = new Map<string, StopKind>(nodes.map(({ id, type }) => [id, type]))
  const ties = edges.map((edge): Tie => {
    if (!kinds.has(edge.emitter_id)) kinds.set(edge.emitter_id, edge.is_glob ? "glob" : "gone")
    return {
      from: edge.emitter_id,
      to: edge.listener_id,
      manner: `${edge.event_name}${edge.is_filtered ? " filtered" : ""}`,
      subscription: edge.subscription_id
    }
  })
  if (heard !== undefined && kinds.has(heard.glob)) {
    for (const from of heard.emitters) {
      if (kinds.has(from)) ties.push({ from, to: heard.glob, manner: "", subscription: undefined })
    }
  }
  // Every account has this node, and it rarely matters.
  for (const [id, kind] of kinds) {
    if (kind === "account" && !ties.some(({ from, to }) => from === id || to === id)) kinds.delete(id)
  }
  return { kinds, ties }
}

/**
 * The nodes and ties within some hops of one node. Emitters lead on to the globs that match them; a glob leads back
 * only to the emitters for which the reader asked.
 */
const neighbourhood = ({ kinds, ties }: Ties, focus: string, hops: number): Ties => {
  const from = Map.groupBy(ties, (tie) => tie.from)
  const to = Map.groupBy(ties, (tie) => tie.to)
  const globs = [...kinds].flatMap(([key, kind]) => kind === "glob" ? [key] : [])
  const near = new Set([focus])
  const matched: Array<Tie> = []
  const isGlob = (key: string) => kinds.get(key) === "glob"
  const listenersOf = (key: string) => (from.get(key) ?? []).map((tie) => tie.to)
  const emittersOf = (key: string) => (to.get(key) ?? []).map((tie) => tie.from)
  /** Passes through globs, so that a glob does not count as a hop. */
  const through = (keys: ReadonlyArray<string>, beyond: (glob: string) => ReadonlyArray<string>) =>
    keys.flatMap((key) => {
      if (!isGlob(key)) return [key]
      near.add(key)
      return beyond(key)
    })
  let last: ReadonlyArray<string> = [focus]
  for (let hop = 0; hop < hops; hop++) {
    const found = last.flatMap((key) => {
      const kind = kinds.get(key)
      const hearing = kind !== undefined && canEmit(kind) ? globs.filter((glob) => matches(glob, key)) : []
      matched.push(...hearing.map((glob): Tie => ({ from: key, to: glob, manner: "", subscription: undefined })))
      return [
        ...through([...listenersOf(key), ...hearing], listenersOf),
        ...through(emittersOf(key), emittersOf)
      ]
    })
    last = [...new Set(found)].filter((key) => !near.has(key))
    for (const key of last) near.add(key)
  }
  const known = new Set(
    ties.flatMap(({ from, subscription, to }) => subscription === undefined ? [`${from} ${to}`] : [])
  )
  return {
    kinds: new Map([...kinds].filter(([key]) => near.has(key))),
    ties: [
      ...ties.filter((tie) => near.has(tie.from) && near.has(tie.to)),
      ...matched.filter((tie) => !known.has(`${tie.from} ${tie.to}`))
    ]
  }
}

/** The class of each node or glob. Members of one class can be drawn as one. */
type Classes = ReadonlyMap<string, number>

const classesBy = (keys: Iterable<string>, textOf: (key: string) => string): Classes => {
  const numbers = new Map<string, number>()
  const classes = new Map<string, number>()
  for (const key of keys) {
    const text = textOf(key)
    const number = numbers.get(text) ?? numbers.size
    numbers.set(text, number)
    classes.set(key, number)
  }
  return classes
}

/** Splits classes, so that two members stay together only if their neighbours are of the same classes. */
const refined = ({ kinds, ties }: Ties, own: Classes, neighbours: Classes): Classes => {
  const around = new Map<string, Set<string>>([...kinds.keys()].map((key) => [key, new Set()]))
  for (const { from, manner, to } of ties) {
    around.get(from)!.add(`>${neighbours.get(to)} ${manner}`)
    around.get(to)!.add(`<${neighbours.get(from)} ${manner}`)
  }
  return classesBy(kinds.keys(), (key) => `${own.get(key)}\n${[...around.get(key)!].sort().join("\n")}`)
}

const sizeOf = (classes: Classes): number => new Set(classes.values()).size

/** @param fits tells whether classes this fine are acceptable */
const classesOf = (
  all: Ties,
  grouping: Grouping,
  focus: string | undefined,
  fits: (classes: Classes) => boolean
): Classes => {
  const keys = all.kinds.keys()
  switch (grouping) {
    case "none":
      return classesBy(keys, (key) => key)
    case "same":
      return refined(all, classesOf(all, "kind", focus, fits), classesOf(all, "none", focus, fits))
    case "kind":
      return classesBy(keys, (key) => `${all.kinds.get(key)}${key === focus ? " focus" : ""}`)
    case "alike": {
      // Nodes of one kind are alike until something that they hear, or that hears them, is not.
      let classes = classesOf(all, "kind", focus, fits)
      while (true) {
        const finer = refined(all, classes, classes)
        if (sizeOf(finer) === sizeOf(classes) || !fits(finer)) return classes
        classes = finer
      }
    }
  }
}

const stopsOf = (
  { kinds }: Ties,
  classes: Classes,
  open: ReadonlySet<string>
): ReadonlyArray<Stop> =>
  [...Map.groupBy(kinds.keys(), (key) => classes.get(key)!).values()].flatMap((members): ReadonlyArray<Stop> => {
    const kind = kinds.get(members[0]!)!
    if (members.length < leastGroup || members.some((key) => open.has(key))) {
      return members.map((key) => ({ key, kind, ids: [key] }))
    }
    const ids = members.toSorted()
    return [{ key: `group:${ids[0]}`, kind, ids }]
  })

const linesOf = ({ ties }: Ties, stops: ReadonlyArray<Stop>): ReadonlyArray<Line> => {
  const stopOf = new Map(stops.flatMap(({ ids, key }) => ids.map((id) => [id, key] as const)))
  return [...Map.groupBy(ties, ({ from, to }) => `${stopOf.get(from)} ${stopOf.get(to)}`)].map(([key, some]) => ({
    key,
    from: stopOf.get(some[0]!.from)!,
    to: stopOf.get(some[0]!.to)!,
    subscriptions: some.flatMap(({ subscription }) => subscription === undefined ? [] : [subscription])
  }))
}

/** The stops and lines of a graph's drawing. They depend on its nodes and subscriptions, and not on their state. */
export const shapeOf = (graph: WholeGraph, { focus, grouping, heard, hops, open }: ShapeOptions): Shape => {
  const whole = allOf(graph, heard)
  const all = focus !== undefined && whole.kinds.has(focus) ? neighbourhood(whole, focus, hops) : whole
  const fits = (classes: Classes) => grouping !== undefined || stopsOf(all, classes, new Set()).length <= mostStops
  for (const one of grouping === undefined ? automatic : [grouping]) {
    const classes = classesOf(all, one, focus, fits)
    if (one !== "alike" && !fits(classes)) continue
    const stops = stopsOf(all, classes, open)
    return { stops, lines: linesOf(all, stops), grouping: one }
  }
  return { stops: [], lines: [], grouping: "none" }
}

/** The structure of a graph as a text. The drawing stays the same as long as this text does. */
export const structureOf = ({ edges, nodes }: WholeGraph): string =>
  [
    ...nodes.map(({ id }) => id),
    ...edges.map((edge) => `${edge.subscription_id} ${edge.is_filtered}`)
  ].join("\n")
