import { Effect, Option, Queue, Terminal } from "effect"

const keys: Readonly<Record<string, string>> = { "\n": "return", "↓": "down", "⌫": "backspace", " ": "space" }

const inputOf = (character: string): Terminal.UserInput => ({
  input: character === "↓" ? Option.none() : Option.some(character),
  key: { name: keys[character] ?? character, ctrl: false, meta: false, shift: false }
})

/** A terminal at which somebody types. */
export interface TypedTerminal {
  readonly terminal: Terminal.Terminal
  /** What it has shown. */
  readonly seen: () => string
  /** Types more. */
  readonly type: (keys: string) => void
}

/** @param typed the keys, of which `↓` is the arrow and `⌫` the backspace */
export const make = Effect.fnUntraced(function*(typed: string) {
  let seen = ""
  const input = yield* Queue.make<Terminal.UserInput>()
  yield* Queue.offerAll(input, [...typed].map(inputOf))
  const terminal = Terminal.make({
    columns: Effect.succeed(80),
    rows: Effect.succeed(24),
    size: Effect.die("nothing is resized"),
    readInput: Effect.succeed(input),
    readLine: Effect.die("lines are typed key by key"),
    display: (text) => Effect.sync(() => void (seen += text))
  })
  const type = (keys: string) => void Queue.offerAllUnsafe(input, [...keys].map(inputOf))
  return { terminal, seen: () => seen, type } satisfies TypedTerminal as TypedTerminal
})
