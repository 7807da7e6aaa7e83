import { Schema } from "effect"

/** What the engine did is not what the model says. */
export class ModelBroken extends Schema.TaggedError<ModelBroken>()("ModelBroken", {
  message: Schema.String
}) {}

const text = (value: unknown): string =>
  JSON.stringify(value, (_, inner) => typeof inner === "bigint" ? String(inner) : inner)

/** Breaks with what is wrong and what it was found by. */
export const broken = (what: string, details: Readonly<Record<string, unknown>> = {}): never => {
  throw new ModelBroken({ message: `${what} ${text(details)}` })
}

/** Breaks where two values don't have the same text. */
export const same = (
  what: string,
  is: unknown,
  expected: unknown,
  details: Readonly<Record<string, unknown>> = {}
): void => {
  if (text(is) !== text(expected)) broken(what, { ...details, is, expected })
}
