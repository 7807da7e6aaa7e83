import * as Schema from "effect/Schema"

/** A value read from JSON text, taken for JSON unchecked: checking each part takes many times as long as reading it. */
export const ParsedJson = Schema.declare((_value: unknown): _value is Schema.Json => true)
