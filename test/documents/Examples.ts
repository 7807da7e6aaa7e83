import * as PythonModule from "@headwater/sandbox/PythonModule"
import { Schema } from "effect"
import { posix } from "node:path"

/** What a document may say of each block of code: what is done with it, and what comes of it. */
export const trialFields = {
  configured_props: Schema.optionalKey(Schema.Record(Schema.String, Schema.Json)),
  /** What somebody's API answers to which request. */
  upstream: Schema.optionalKey(Schema.Record(Schema.String, Schema.Json)),
  requests: Schema.optionalKey(Schema.Array(Schema.Json)),
  answers: Schema.optionalKey(
    Schema.Array(Schema.Struct({ status: Schema.Int, body: Schema.optionalKey(Schema.Json) }))
  ),
  events: Schema.optionalKey(Schema.Array(Schema.Json)),
  streams: Schema.optionalKey(Schema.Record(Schema.String, Schema.Array(Schema.Json))),
  errors: Schema.optionalKey(Schema.Array(Schema.String)),
  logs: Schema.optionalKey(Schema.Array(Schema.String)),
  calls: Schema.optionalKey(Schema.Array(Schema.String))
}

/** A block of code in a document. */
export interface Example<Trial> {
  /** The heading that it stands under, and which of the blocks there it is, from 1. */
  readonly title: string
  readonly code: string
  /** What its first line says that it is called: `// shop/totals.mjs`. */
  readonly file: string | undefined
  readonly trials: ReadonlyArray<Trial>
}

export interface Examples<Trial> {
  readonly programs: ReadonlyArray<Example<Trial>>
  /** Blocks that others import. */
  readonly files: ReadonlyArray<Example<Trial>>
  /** Bodies of requests that save components out of packages. */
  readonly packaged: ReadonlyArray<{ readonly component_url: string }>
}

const Packaged = Schema.Struct({ component_url: Schema.String })
const isPackaged = Schema.is(Packaged)

const lineForms = /^(?<marks>#+) (?<heading>.*)$|^```(?<language>\w*)$/

/**
 * The blocks of a document, of which each has to be of a kind that is run.
 *
 * @param trial the form of what it says of its code in JSON
 */
export const read = <Trial>(document: string, trial: Schema.ConstraintDecoder<Trial>): Examples<Trial> => {
  const decodeTrial = Schema.decodeUnknownSync(trial, { onExcessProperty: "error" })
  const examples: Array<Example<Trial> & { readonly trials: Array<Trial> }> = []
  const packaged: Array<{ readonly component_url: string }> = []
  let heading = ""
  let count = 0
  const lines = document.split("\n")
  for (let index = 0; index < lines.length; index++) {
    const form = lineForms.exec(lines[index]!)?.groups
    if (form === undefined) continue
    if (form["heading"] !== undefined) {
      heading = form["heading"]
      count = 0
      continue
    }
    const end = lines.indexOf("```", index + 1)
    const text = lines.slice(index + 1, end).join("\n")
    switch (form["language"]) {
      case "js":
      case "ts": {
        const file = /^\/\/ (\S+)\n/.exec(text)?.[1]
        examples.push({ title: `${heading}, ${++count}`, code: text, file, trials: [] })
        break
      }
      case "python": {
        const file = /^# (\S+\.py)\n/.exec(text)?.[1]
        examples.push({ title: `${heading}, ${++count}`, code: PythonModule.moduleOf(text), file, trials: [] })
        break
      }
      case "json": {
        const value: unknown = JSON.parse(text)
        if (isPackaged(value)) packaged.push(value)
        else examples.at(-1)!.trials.push(decodeTrial(value))
        break
      }
      case "console":
        break
      default:
        throw new Error(`a block of ${JSON.stringify(form["language"])} under ${heading} is not run`)
    }
    index = end
  }
  const imported = new Set(
    examples.flatMap(({ code, file = "" }) =>
      [...code.matchAll(/ from "(\.[^"]*)"/g)].map(([, path]) => posix.join(posix.dirname(file), path!))
    )
  )
  const isImported = ({ file }: Example<Trial>) => file !== undefined && imported.has(file)
  return {
    programs: examples.filter((example) => !isImported(example)),
    files: examples.filter(isImported),
    packaged
  }
}
