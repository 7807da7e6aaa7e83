import { isDeeper, maxComponentDepth } from "@headwater/domain/JsonDepth"
import { ParsedJson } from "@headwater/domain/ParsedJson"
import { Option, Schema } from "effect"

/** The longest time that a run may wait, in milliseconds: a leap year. */
const Delay = Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 366 * 24 * 3_600_000 }))

/** Branches of a block, each with the places of its first step and behind its last one, counted from 0. */
export const Fork = Schema.Struct({
  branches: Schema.Array(Schema.Struct({ name: Schema.String, from: Schema.Int, until: Schema.Int })),
  /** The place of the step that comes after the block. */
  joins: Schema.Int
})
export type Fork = typeof Fork.Type

/** The answer of a step that has run to its end: its part of `steps`, and how the run goes on. */
export const StepAnswer = Schema.Struct({
  /** Its exports by name, with what it returned as `$return_value`. */
  result: Schema.Record(Schema.String, ParsedJson),
  flow: Schema.Struct({
    /** The run ends here, for this reason. */
    exit: Schema.optionalKey(Schema.String),
    /** The place of the next step, counted from 0, where it is not the one behind this one. */
    next: Schema.optionalKey(Schema.Int),
    /** The run goes on in these branches at once, and at a place when all of them have ended. */
    fork: Schema.optionalKey(Fork),
    /** The run goes on when somebody has it do so, within so many milliseconds. */
    suspend: Schema.optionalKey(Delay),
    /** The next step comes after so many milliseconds. */
    delay: Schema.optionalKey(Delay),
    /** The step is to be run again after so many milliseconds, and handed this. */
    rerun: Schema.optionalKey(Schema.Struct({
      delay: Delay,
      context: ParsedJson
    })),
    /** Workflows, by id or slug, to be run over events once the step is done. */
    triggers: Schema.optionalKey(Schema.Array(Schema.Struct({ workflow: Schema.String, event: ParsedJson })))
  })
})
export type StepAnswer = typeof StepAnswer.Type

const decodeText = Schema.decodeUnknownOption(Schema.fromJsonString(StepAnswer))

/** Reads what a sandbox says a step gave, which may be anything. */
export const decode = (json: string | undefined): Option.Option<StepAnswer> =>
  json === undefined || isDeeper(json, maxComponentDepth) ? Option.none() : decodeText(json)
