import { SourceMap } from "node:module"
import type { ModulePosition } from "./BundlerProtocol.ts"

/** The name of a component's module in positions and stacks. */
export const moduleName = "component.mjs"

/** The beginning of a component's module. */
export const start: ModulePosition = { file: moduleName, line: 1, column: 1 }

/** The position at which something of a made module was written; lines and columns count from 1. */
export type SourcePlaces = (line: number, column: number) => ModulePosition

/**
 * @param map a source map as JSON
 * @param otherwise where that is told to be which nobody wrote
 */
export const make = (map: string, otherwise: ModulePosition): SourcePlaces => {
  const parsed = new SourceMap(JSON.parse(map))
  return (line, column) => {
    const found = parsed.findEntry(line - 1, column - 1)
    return "originalSource" in found && found.originalSource !== undefined
      ? { file: found.originalSource, line: found.originalLine + 1, column: found.originalColumn + 1 }
      : otherwise
  }
}

/** The first place of a stack that is in the component's own module. */
export const firstIn = (stack: string): { readonly line: number; readonly column: number } | undefined => {
  const found = /\bcomponent\.mjs:(\d+):(\d+)/.exec(stack)
  return found === null ? undefined : { line: Number(found[1]), column: Number(found[2]) }
}

/** A source map in which a file has another name. */
export const renamed = (map: string, from: string, to: string): string => {
  const parsed: { readonly sources: ReadonlyArray<string> } = JSON.parse(map)
  return JSON.stringify({ ...parsed, sources: parsed.sources.map((source) => source === from ? to : source) })
}

/** A stack in which the places of the made module are those where it was written. */
export const ofStack = (places: SourcePlaces, stack: string): string =>
  stack.replace(/\bcomponent\.mjs:(\d+):(\d+)/g, (_, line: string, column: string) => {
    const place = places(Number(line), Number(column))
    return `${place.file}:${place.line}:${place.column}`
  })

/** A source map, as JSON, of a module whose lines are those that somebody wrote. */
export const unchanged = (text: string): string =>
  JSON.stringify({
    version: 3,
    sources: [moduleName],
    names: [],
    mappings: text.split("\n").map((_, index) => index === 0 ? "AAAA" : "AACA").join(";")
  })
