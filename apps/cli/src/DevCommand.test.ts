import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import * as Fs from "node:fs/promises"
import * as Path from "node:path"
import * as Files from "../test/Files.ts"
import * as HeadwaterCommand from "../test/HeadwaterCommand.ts"
import { RunningServer } from "../test/RunningServer.ts"

const greeter = {
  "greeter.ts": `import { greeting } from "./lib/greeting.ts"

export default {
  name: "Greeter",
  props: { http: "$.interface.http" },
  hooks: { deploy(this: any) { this.$emit("deployed") } },
  run(this: any, { body }: { body: string }) {
    console.log("greets", body)
    this.$emit(greeting(body))
  }
}`,
  "lib/greeting.ts": "export const greeting = (name: string) => `Hello, ${name}`"
}

const post = (url: string, body: string) =>
  Effect.promise(() => fetch(url, { method: "POST", headers: { "content-type": "text/plain" }, body }))

const dev = Effect.fnUntraced(function*(folder: string, ...args: ReadonlyArray<string>) {
  const { environment } = yield* RunningServer
  return yield* HeadwaterCommand.start(["dev", ...args], environment, folder)
})

const sources = Effect.flatMap(RunningServer, ({ server }) => server.api("GET", "/users/me/sources"))

layer(RunningServer.layer, { excludeTestServices: true, timeout: "120 seconds" })("headwater dev", (it) => {
  it.effect(
    "deploys on every save, and shows events, logs, and errors in the user's own lines",
    () =>
      Effect.gen(function*() {
        const folder = yield* Files.make(greeter)
        const { interrupt, output, printed } = yield* dev(folder, "greeter.ts")
        const [, id = ""] = yield* printed(/^Created +(dc_\w+)$/m)
        const [, endpoint = ""] = yield* printed(/^Endpoint +(http.*)$/m)
        yield* printed(/ event +"deployed"$/m)
        yield* printed(/ watching +greeter\.ts /)
        yield* post(endpoint, "Ann")
        yield* printed(/ event +"Hello, Ann"$/m)
        yield* printed(/ info +greets Ann$/m)

        yield* Files.write(folder, { "lib/greeting.ts": "export const greeting = (name: string) => `Bye, ${" })
        yield* printed(/ failed +lib\/greeting\.ts:1:\d+: /)
        // As many editors save: another file takes the place of the old one.
        yield* Files.write(folder, {
          "lib/new":
            "interface Name {}\n\nexport const greeting = (name: string & Name) => {\n  throw new TypeError(name)\n}"
        })
        yield* Effect.promise(() => Fs.rename(Path.join(folder, "lib/new"), Path.join(folder, "lib/greeting.ts")))
        yield* printed(/ deployed +Greeter$/m)
        yield* post(endpoint, "Bob")
        yield* printed(/ error +TypeError: Bob\n +at greeting \(lib\/greeting\.ts:4:9\)\n +at .*greeter\.ts:9:16/)

        yield* interrupt
        assert.match(output(), new RegExp(`\nGreeter \\(${id}\\) stays in service\\.\n$`))
        assert.include(JSON.stringify(yield* sources), id)
      }),
    HeadwaterCommand.patienceMs
  )

  it.effect(
    "waits for a file that misses, and shows no event twice where its server comes back",
    () =>
      Effect.gen(function*() {
        const { server } = yield* RunningServer
        const folder = yield* Files.make({ "greeter.ts": greeter["greeter.ts"] })
        const { interrupt, output, printed } = yield* dev(folder, "greeter.ts", "--name", "Late", "--rm")
        yield* printed(/ failed +greeter\.ts:1:26: There is no file "\.\/lib\/greeting\.ts"$/m)
        yield* printed(/ watching /)
        yield* Files.write(folder, greeter)
        const [, id = ""] = yield* printed(/^Created +(dc_\w+)\nName +Late$/m)
        const [, endpoint = ""] = yield* printed(/^Endpoint +(http.*)$/m)
        yield* post(endpoint, "Ann")
        yield* printed(/ event +"Hello, Ann"$/m)

        yield* server.kill
        yield* printed(/ lost +/)
        yield* server.start
        yield* post(endpoint, "Bob")
        yield* printed(/ event +"Hello, Bob"$/m)
        assert.strictEqual(output().match(/Hello, Ann/g)?.length, 1)

        yield* interrupt
        assert.match(output(), new RegExp(`\nDeleted Late \\(${id}\\)\\.\n$`))
        assert.notInclude(JSON.stringify(yield* sources), id)
      }),
    HeadwaterCommand.patienceMs
  )
})
