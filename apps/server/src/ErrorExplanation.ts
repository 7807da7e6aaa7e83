import { Predicate } from "effect"

/** An error's message and those of what caused it, as far as they say something new. */
export const explain = (error: unknown): string => {
  const messages: Array<string> = []
  for (let at = error, depth = 0; Predicate.isObject(at) && depth < 6; depth++) {
    const message: unknown = Reflect.get(at, "message")
    if (Predicate.isString(message) && message !== "" && !messages.some((known) => known.includes(message))) {
      messages.push(message)
    }
    at = Reflect.get(at, "cause") ?? Reflect.get(at, "reason")
  }
  return messages.length === 0 ? String(error) : messages.join(": ")
}
