import { Effect, FileSystem } from "effect"
import { Argument, Command } from "effect/cli"
import * as Path from "node:path"
import * as CodeFile from "./CodeFile.ts"
import { CommandRefused } from "./CommandRefused.ts"
import * as Output from "./Output.ts"

const fileName = "source.mjs"

/** A component that does a little of everything that most do. */
const starter = (name: string): string =>
  `// A component: what a source runs. \`headwater dev\` deploys it on every save and shows what it does,
// \`headwater deploy\` deploys it once.
export default {
  // The source is called by this, and a deployment goes to the source of that name.
  name: ${JSON.stringify(name)},
  version: "0.0.1",

  // What the code gets as \`this\`. Values are given by \`--prop greeting=Hi\`.
  props: {
    // An endpoint of the source's own: every request to it is a run.
    http: "$.interface.http",
    // Keeps JSON values from one run to the next.
    db: "$.service.db",
    greeting: {
      type: "string",
      label: "Greeting",
      description: "How to greet whoever sends a request.",
      default: "Hello"
    }
  },

  // The event is the request: {method, path, query, headers, body, …}.
  async run(event) {
    const name = event.body?.name ?? "stranger"
    const count = (this.db.get("count") ?? 0) + 1
    this.db.set("count", count)

    // Goes to the stream $logs.
    console.log(\`request \${count} is from \${name}\`)

    // Goes into the source's log and to everything that is subscribed to the source. What is stored and emitted in a run
    // is committed when it ends.
    this.$emit({ text: \`\${this.greeting}, \${name}\`, count }, {
      summary: \`\${event.method} \${event.path}\`
    })
  }
}
`

const source = Command.make(
  "source",
  {
    folder: Argument.String("folder").pipe(
      Argument.withDescription("Where to write it. Default: the current folder"),
      Argument.withDefault(".")
    ),
    json: Output.json
  },
  Effect.fnUntraced(function*({ folder, json }) {
    const files = yield* FileSystem.FileSystem
    const path = Path.join(folder, fileName)
    if (yield* CodeFile.isFile(path)) {
      return yield* new CommandRefused({ message: `${path} is there already, and is left as it is` })
    }
    yield* files.makeDirectory(folder, { recursive: true })
    yield* files.writeFileString(path, starter(Path.basename(Path.resolve(folder)) || "source"), { flag: "wx" })
    yield* Output.print(json, { file: path }, `Wrote ${path}. Next: headwater dev ${path}`)
  })
).pipe(Command.withDescription("Write a small source that takes requests, keeps a count and emits"))

/** Writes code to begin with. */
export const initCommand = Command.make("init").pipe(
  Command.withDescription("Write a component to begin with"),
  Command.withSubcommands([source])
)
