import * as Folder from "@headwater/postgres/Folder"
import { explain } from "@headwater/server/ErrorExplanation"
import { Effect, FileSystem, Schema } from "effect"
import { Argument, Command } from "effect/cli"
import * as Path from "node:path"
import * as CodeFile from "../code/CodeFile.ts"
import * as ProjectFiles from "../code/ProjectFiles.ts"
import { CommandRefused } from "../CommandRefused.ts"
import * as Output from "../text/Output.ts"

/** A component that does a little of everything that most do. */
const sourceStarter = (name: string): string =>
  `// A component: what a source runs. \`headwater dev\` deploys it on every save and shows what it does,
// \`headwater deploy\` deploys it once.
export default {
  // The name of the source. A deployment updates the source of this name.
  name: ${JSON.stringify(name)},
  version: "0.0.1",

  // The members of \`this\`. Set values with \`--prop greeting=Hi\`.
  props: {
    // The source's own endpoint: every request to it starts a run.
    http: "$.interface.http",
    // Keeps JSON values from one run to the next.
    db: "$.service.db",
    greeting: {
      type: "string",
      label: "Greeting",
      description: "How to greet the sender of a request.",
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

    // Goes into the source's log and to all its subscribers. Headwater commits everything that a run stores and emits
    // when the run ends.
    this.$emit({ text: \`\${this.greeting}, \${name}\`, count }, {
      summary: \`\${event.method} \${event.path}\`
    })
  }
}
`

/** A workflow that does a little of everything that most do. */
const workflowStarter = (name: string): string =>
  `// A workflow: steps that run one after another for each event. \`headwater dev\` deploys it on every save and shows what
// it does, \`headwater deploy\` deploys it once. GET /v1/workflows/<name>/runs/<run> shows what a run did.
export default {
  name: ${JSON.stringify(name)},
  version: "0.0.1",

  // The members of \`this\` in each step. Set values with \`--prop limit=50\`.
  props: {
    // The workflow's own endpoint: every request to it starts a run. Subscriptions, timers and invocations start runs too.
    http: "$.interface.http",
    limit: {
      type: "integer",
      label: "Limit",
      description: "The smallest total of a large order.",
      default: 100
    }
  },

  // Headwater commits each step when it ends. A crash or a long delay can come between two steps.
  steps: {
    check: {
      async run({ steps, $ }) {
        const { body } = steps.trigger.event
        const total = Number(body?.total)

        // Ends the run and goes to the stream $errors.
        if (Number.isNaN(total)) throw new TypeError("the order has no total")

        // Ends the run here, successfully.
        if (total < this.limit) return $.flow.exit("a small order")

        // Later steps see this as steps.check.$return_value.
        return { total, over: total - this.limit }
      }
    },
    tell: {
      // Props of this step alone: \`--prop tell.greeting=Hi\`.
      props: {
        greeting: { type: "string", default: "A large order" }
      },
      async run({ steps, $ }) {
        const { over, total } = steps.check.$return_value

        // Goes to the stream $logs.
        console.log(\`an order of \${total}\`)

        // Goes into the workflow's log and to all its subscribers.
        $.emit({ text: \`\${this.greeting}, \${over} over the limit\`, total })
      }
    }
  }
}
`

const command = (kind: "source" | "workflow", starter: (name: string) => string, next: (path: string) => string) =>
  Command.make(
    kind,
    {
      folder: Argument.String("folder").pipe(
        Argument.withDescription("Where to write it. Default: the current folder"),
        Argument.withDefault(".")
      ),
      json: Output.json
    },
    Effect.fnUntraced(function*({ folder, json }) {
      const files = yield* FileSystem.FileSystem
      const path = Path.join(folder, `${kind}.mjs`)
      if (yield* CodeFile.isFile(path)) {
        return yield* new CommandRefused({ message: `${path} exists already and was not changed` })
      }
      yield* Effect.tryPromise({
        try: () => Folder.create(Path.resolve(folder), 0o777),
        catch: (cause) => new CommandRefused({ message: `Cannot create ${folder}: ${explain(cause)}` })
      })
      yield* files.writeFileString(path, starter(Path.basename(Path.resolve(folder)) || kind), { flag: "wx" })
      yield* Output.print(json, { file: path }, `Wrote ${path}. Next: ${next(path)}`)
    })
  )

const source = command("source", sourceStarter, (path) => `headwater dev ${path}`).pipe(
  Command.withDescription("Write a small source that takes requests, keeps a count and emits")
)

const workflow = command("workflow", workflowStarter, (path) => `headwater dev ${path}`).pipe(
  Command.withDescription("Write a small workflow of two steps")
)

/** As a package may be called. */
const nameOf = (folder: string): string =>
  Path.basename(folder).toLowerCase().replaceAll(/[^a-z0-9._-]+/g, "-").replace(/^[._-]+/, "") || "components"

const manifest = "package.json"

const decodeManifest = Schema.decodeEffect(Schema.fromJsonString(Schema.Record(Schema.String, Schema.Unknown)))

/** True for files that npm writes to a folder in which a package is installed, and for those that it comes from. */
const isOfNpm = (name: string): boolean =>
  [manifest, "package-lock.json", "node_modules"].includes(name) || name.endsWith(".tgz")

const readManifest = Effect.fnUntraced(function*(path: string) {
  const files = yield* FileSystem.FileSystem
  return yield* Effect.flatMap(files.readFileString(path), decodeManifest).pipe(
    Effect.mapError(({ message }) => new CommandRefused({ message: `${path} can't be read: ${message}` }))
  )
})

/** Writes a project, or code to begin with. */
export const initCommand = Command.make(
  "init",
  {
    folder: Argument.String("folder").pipe(
      Argument.withDescription("Where to write it: a folder that is new or empty, but for what npm has installed there")
    ),
    json: Output.json
  },
  Effect.fnUntraced(function*({ folder, json }) {
    const fileSystem = yield* FileSystem.FileSystem
    const refuse = (cause: unknown) => new CommandRefused({ message: `Cannot create ${folder}: ${explain(cause)}` })
    const create = (path: string) =>
      Effect.tryPromise({ try: () => Folder.create(Path.resolve(path), 0o777), catch: refuse })
    yield* create(folder)
    const names = yield* Effect.mapError(fileSystem.readDirectory(folder), refuse)
    const found = names.find((name) => !isOfNpm(name))
    if (found !== undefined) {
      return yield* new CommandRefused({
        message: `${folder} is not empty: it has ${found}. Name a folder that is empty or does not exist`
      })
    }
    const present = names.includes(manifest) ? yield* readManifest(Path.join(folder, manifest)) : {}
    const archives = new Map(
      yield* Effect.filter(
        ProjectFiles.outsideArchives(present),
        ([, from]) => CodeFile.isFile(Path.resolve(folder, from))
      )
    )
    const files = ProjectFiles.of(nameOf(Path.resolve(folder)), present, archives)
    for (const [file, text] of Object.entries(files)) {
      const path = Path.join(folder, file)
      yield* create(Path.dirname(path))
      yield* fileSystem.writeFileString(path, text, { flag: file === manifest ? "w" : "wx" })
    }
    for (const [to, from] of archives) {
      yield* create(Path.join(folder, Path.dirname(to)))
      yield* Effect.mapError(
        fileSystem.copyFile(Path.resolve(folder, from), Path.join(folder, to)),
        ({ message }) => new CommandRefused({ message })
      )
    }
    const next = ["npm install", "npm test", "npx headwater dev orders.ts"]
    const isHere = Path.resolve(folder) === process.cwd()
    yield* Output.print(
      json,
      { folder, files: Object.keys(files) },
      `Wrote a project to ${isHere ? "this folder" : folder}. Next: ${
        [...isHere ? [] : [`cd ${folder}`], ...next].join(" && ")
      }`
    )
  })
).pipe(
  Command.withDescription("Write a project with a source, a workflow, tests and deployment"),
  Command.withSubcommands([source, workflow])
)
