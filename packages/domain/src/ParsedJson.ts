import * as Schema from "effect/Schema"

/** What was read from a text is JSON: to look at each part of it again takes many times as long as to read it. */
export const ParsedJson = Schema.declare((_value: unknown): _value is Schema.Json => true)
