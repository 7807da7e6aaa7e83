import { version } from "@headwater/domain/Version"
import { Predicate } from "effect"
import * as Path from "node:path"

const source = `import { type Db, defineSource } from "@headwater/component"

/** Takes orders by HTTP, and emits each once. */
export default defineSource({
  name: "Orders",
  version: "0.0.1",
  dedupe: "unique",

  // The members of \`this\`. Set values with \`--prop minimum=10\`.
  props: {
    // The source's own endpoint: every request to it starts a run.
    http: "$.interface.http",
    // Keeps JSON values from one run to the next.
    db: "$.service.db" as Db<{ count: number }>,
    minimum: {
      type: "integer",
      label: "Minimum",
      description: "The smallest total of an order that is emitted.",
      default: 0
    }
  },

  run(event) {
    const { order, total } = event.body
    // Goes to the stream $errors.
    if (typeof total !== "number") throw new TypeError(\`order \${order} has no total\`)
    if (total < this.minimum) return
    const count = (this.db.get("count") ?? 0) + 1
    this.db.set("count", count)
    // Headwater commits everything that a run stores and emits when the run ends.
    this.$emit({ order, total, count }, { id: order, summary: \`order \${order}\` })
  }
})
`

const workflow = `import { defineWorkflow } from "@headwater/component"

/** Reminds of large orders a day after they came. */
export default defineWorkflow({
  props: {
    limit: { type: "integer", label: "Limit", description: "The smallest total of a large order.", default: 100 }
  },

  // Headwater commits each step when it ends. A crash or a long delay can come between two steps.
  steps: {
    check: {
      run({ steps, $ }) {
        const { order, total } = steps.trigger.event
        // Ends the run here, successfully.
        if (total < this.limit) return $.flow.exit("a small order")
        $.flow.delay(24 * 60 * 60 * 1000)
        // Later steps see this as steps.check.$return_value.
        return { order, over: total - this.limit }
      }
    },
    remind: {
      run({ steps, $ }) {
        $.emit({ ...steps.check?.$return_value, reminder: true })
      }
    }
  }
})
`

const test = `import { Headwater } from "@headwater/testing"
import assert from "node:assert/strict"
import { test } from "node:test"

const orders = new URL("../orders.ts", import.meta.url)
const largeOrders = new URL("../large-orders/workflow.ts", import.meta.url)

test("an order is emitted once, and reminded of a day later if it is large", async () => {
  await using headwater = await Headwater.start({ at: "2026-03-02T09:00:00Z" })
  const source = await headwater.source(orders, { props: { minimum: 10 } })
  const workflow = await headwater.workflow(largeOrders, { props: { limit: 50 } })
  await headwater.subscribe(source, workflow)

  for (const total of [130, 130, 5]) await source.request({ json: { order: \`order of \${total}\`, total } })
  assert.deepEqual((await source.events()).map(({ data }) => data), [{ order: "order of 130", total: 130, count: 1 }])
  assert.deepEqual(await workflow.events(), [])

  await headwater.advance("1 day")
  assert.deepEqual((await workflow.events()).map(({ data }) => data), [
    { order: "order of 130", over: 80, reminder: true }
  ])
})

test("an order without a total is an error", async () => {
  await using headwater = await Headwater.start()
  const source = await headwater.source(orders)
  await source.request({ json: { order: 17 } })
  assert.deepEqual((await source.errors()).map(({ message }) => message), ["order 17 has no total"])
})
`

const packageOf = (name: string) => ({
  name,
  private: true,
  type: "module",
  scripts: {
    check: "tsc && headwater check orders.ts && headwater check large-orders",
    test: "node --test",
    deploy: "headwater deploy orders.ts && headwater deploy large-orders"
  },
  devDependencies: {
    "@headwater/component": `^${version}`,
    "@headwater/testing": `^${version}`,
    "@types/node": "^24.0.0",
    "headwater": `^${version}`,
    "typescript": "^7.0.0"
  },
  engines: { node: ">=20" }
})

const settings = {
  compilerOptions: {
    target: "ES2024",
    module: "NodeNext",
    lib: ["ES2024", "ESNext.Disposable", "DOM"],
    types: ["node", "@headwater/component"],
    strict: true,
    noUncheckedIndexedAccess: true,
    erasableSyntaxOnly: true,
    verbatimModuleSyntax: true,
    allowImportingTsExtensions: true,
    skipLibCheck: true,
    noEmit: true
  },
  include: ["**/*.ts"]
}

const deployment = `# Checks and tests each change, and deploys what is pushed to the main branch.
name: Deploy
on:
  push:
    branches: [main, master]
  pull_request:
jobs:
  deploy:
    runs-on: ubuntu-latest
    env:
      # Set these in the repository: the server as a variable, a key with the scope write as a secret.
      HEADWATER_URL: \${{ vars.HEADWATER_URL }}
      HEADWATER_API_KEY: \${{ secrets.HEADWATER_API_KEY }}
    concurrency: \${{ github.ref }}
    steps:
      - uses: actions/checkout@v4
      - uses: actions/setup-node@v4
        with:
          node-version: 24
      - run: npm install
      - run: npx tsc
      - run: npm test
      # Until both are set, and for pull requests from forks, which have no key, that is all.
      - if: env.HEADWATER_URL != '' && env.HEADWATER_API_KEY != ''
        run: npm run check
      - if: github.event_name == 'push' && env.HEADWATER_URL != '' && env.HEADWATER_API_KEY != ''
        run: npm run deploy
`

const readMe = (name: string) =>
  `# ${name}

| | |
|---|---|
| \`orders.ts\` | a source: takes orders by HTTP and emits each once |
| \`large-orders/workflow.ts\` | a workflow: reminds of large orders a day later |
| \`test/\` | tests of both on a real server within the test, at the test's own time |
| \`.github/workflows/deploy.yml\` | checks and tests each change, and deploys those of the branch \`main\` |

\`\`\`sh
npm install
npm test
npx headwater start
\`\`\`

That starts a server of your own on this machine, with its data in \`.headwater\`, and prints its API key. In another
terminal, or with the URL and a key of another server:

\`\`\`sh
npx headwater login --url http://127.0.0.1:8787
npm run check
npm run deploy
\`\`\`

\`npx headwater dev orders.ts\` deploys the source on every save, and shows what it emits, logs and throws. The workflow
runs for the orders once it is subscribed to the source: \`npx headwater subscribe orders large-orders\`.

GitHub checks and tests what is pushed. For it to deploy too, set the variable \`HEADWATER_URL\` and the secret
\`HEADWATER_API_KEY\` in the repository.
`

const agents = `# For those who write components here

A component is a module whose default export is given to \`defineSource\` or \`defineWorkflow\` of \`@headwater/component\`;
an app that components share is given to \`defineApp\`. The server runs the code; nothing of it runs on this machine but
in tests.

- Order of members: \`props\`, \`methods\`, \`hooks\`, then \`run\` or \`steps\` last. The types of \`this\` depend on it.
- After each change: \`npx tsc\`, \`npm test\`. Both have to pass. \`npm run check\` asks the server, and needs a login.
- Types of props: \`string\`, \`integer\`, \`boolean\`, lists of them (\`string[]\`), \`object\`, \`any\`, \`app\`, \`http_request\`,
  \`$.interface.http\`, \`$.interface.timer\`, \`$.interface.apphook\`, \`$.service.db\`. A store gets its shape by
  \`"$.service.db" as Db<{ key: Type }>\`.
- A run commits once, when it ends: what it emitted, stored and logged. After a crash it runs again from its start, so
  requests to others can happen twice: send an id of your own along (in a workflow \`steps.trigger.context.id\`).
- Give each emitted event an \`id\`, and the component \`dedupe: "unique"\`, so that nothing is emitted twice.
- Nothing in variables of the module lasts. Keep values in the store (1 MiB), and wait by timers, \`$.flow.delay\` and
  \`$.flow.rerun\`, not by \`setTimeout\`.
- No files, no child processes, no environment variables: settings are props, credentials are app accounts.
- npm packages work by plain imports; the server installs them in the range of \`package.json\`.
- Tests start a server within the process: \`Headwater.start({ at })\`, \`headwater.source(file, { props, fetch })\`,
  \`headwater.advance("3 days")\`. Give \`fetch\` a handler that answers what the component asks of others.
`

type Entries = Readonly<Record<string, unknown>>

const entriesOf = (value: unknown): Entries =>
  Predicate.isObject(value) ? Object.fromEntries(Object.entries(value)) : {}

/** The folder of archives that packages were installed from, so that whoever checks out the project can install them too. */
const archives = "packages"

const archive = /^file:(.+\.tgz)$/

/** Dependencies on archives elsewhere on this machine, by the paths that they are to have in the project. */
export const outsideArchives = (present: Entries): ReadonlyMap<string, string> =>
  new Map(
    ["dependencies", "devDependencies"].flatMap((part) => Object.values(entriesOf(present[part]))).flatMap(
      (version) => {
        const [, path] = archive.exec(String(version)) ?? []
        return path?.startsWith("..") || Path.isAbsolute(path ?? "")
          ? [[`${archives}/${Path.basename(path!)}`, path!] as const]
          : []
      }
    )
  )

type Archives = ReturnType<typeof outsideArchives>

const withOwnArchives = (dependencies: Entries, moved: Archives): Entries => {
  const places = new Map([...moved].map(([to, from]) => [`file:${from}`, `file:${to}`]))
  return Object.fromEntries(
    Object.entries(dependencies).map(([name, version]) => [name, places.get(String(version)) ?? version])
  )
}

/** The test script that npm writes until somebody writes one. */
const noTest = /no test specified/

/** The `package.json` of a project: the one that is there, with all that the project needs beside. */
const packageWith = (name: string, present: Entries, archives: Archives) => {
  const own = packageOf(name)
  const dependencies = withOwnArchives(entriesOf(present["dependencies"]), archives)
  const kept = Object.entries(entriesOf(present["scripts"])).filter(([, script]) => !noTest.test(String(script)))
  const missing = Object.entries(own.devDependencies).filter(([dependency]) => !(dependency in dependencies))
  return {
    ...own,
    ...present,
    type: own.type,
    scripts: { ...own.scripts, ...Object.fromEntries(kept) },
    ...(Object.keys(dependencies).length === 0 ? {} : { dependencies }),
    devDependencies: {
      ...Object.fromEntries(missing),
      ...withOwnArchives(entriesOf(present["devDependencies"]), archives)
    }
  }
}

/**
 * The files of a project to begin with, by their paths.
 *
 * @param present the `package.json` that is there: what it says stays
 * @param moved the archives elsewhere that the project is to have itself
 */
export const of = (name: string, present: Entries, moved: Archives): Readonly<Record<string, string>> => ({
  "package.json": `${JSON.stringify(packageWith(name, present, moved), null, 2)}\n`,
  "tsconfig.json": `${JSON.stringify(settings, null, 2)}\n`,
  "orders.ts": source,
  "large-orders/workflow.ts": workflow,
  "test/orders.test.ts": test,
  ".github/workflows/deploy.yml": deployment,
  ".gitignore": ".headwater/\nnode_modules/\n*.tsbuildinfo\n",
  "README.md": readMe(name),
  "AGENTS.md": agents
})
