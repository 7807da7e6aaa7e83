import { assert, layer } from "@effect/vitest"
import * as Json from "@headwater/fixtures/Json"
import { Effect } from "effect"
import * as CommandInProcess from "../../test/CommandInProcess.ts"
import * as Files from "../../test/Files.ts"
import * as HeadwaterCommand from "../../test/HeadwaterCommand.ts"
import { RunningServer } from "../../test/RunningServer.ts"

const files = {
  "tell.mjs": `export default {
    name: "Tell",
    steps: {
      tell: {
        props: { url: { type: "string" }, count: { type: "integer" } },
        run({ $ }) { $.emit({ url: this.url, count: this.count, token: process.env.TOKEN }) }
      }
    }
  }`,
  "token.txt": "of a file"
}

layer(RunningServer.layer, { excludeTestServices: true, timeout: "120 seconds" })("headwater env", (it) => {
  it.effect("sets variables that the code and the expressions of a workflow find, and shows no secret", () =>
    Effect.gen(function*() {
      const { environment, events } = yield* RunningServer
      const cwd = yield* Files.make(files)
      const headwater = (args: ReadonlyArray<string>, input = "") =>
        CommandInProcess.run(args, { env: environment, cwd, input })
      assert.match(
        (yield* headwater(["env", "list"])).stdout,
        /There is no environment variable yet\. Set the first with/
      )
      assert.strictEqual((yield* headwater(["env", "set", "SHOP_URL"], "https://shop.example\n")).code, 0)
      const secret = yield* headwater(["env", "set", "TOKEN", "--secret", "--file", "token.txt", "--json"])
      Json.assertHolds(HeadwaterCommand.jsonOf(secret), { name: "TOKEN", value: null, secret: true })

      const deployed = HeadwaterCommand.jsonOf(
        yield* headwater([
          "deploy",
          "--workflow",
          "tell.mjs",
          "--prop",
          "tell.url={{ process.env.SHOP_URL }}/orders",
          "--prop",
          "tell.count={{ steps.trigger.event.count * 2 }}",
          "--json"
        ])
      )
      const id = Json.textOf(deployed["id"])
      assert.strictEqual(
        (yield* headwater(["env", "set", "SHOP_URL", "--program", "tell"], "https://own.example")).code,
        0
      )
      assert.strictEqual((yield* headwater(["trigger", "tell", "--data", `{"count": 21}`, "--wait"])).code, 0)
      assert.deepStrictEqual<unknown>((yield* events(id, 1))[0]!["event"]!["raw_event"], {
        url: "https://own.example/orders",
        count: 42,
        token: "of a file"
      })

      assert.match((yield* headwater(["projects", "list"])).stdout, /There is no project yet\. Make the first with/)
      const { name_slug } = HeadwaterCommand.jsonOf(yield* headwater(["projects", "create", "Web shop", "--json"]))
      assert.strictEqual<unknown>(name_slug, "web-shop")
      yield* headwater(["env", "set", "TOKEN", "--project", "web-shop"], "of the project")
      const deploy = (project: string) => headwater(["deploy", "--workflow", "tell.mjs", "--project", project])
      HeadwaterCommand.assertRefused(yield* deploy("none"), /no project "none"/)
      assert.strictEqual((yield* deploy("Web shop")).code, 0)
      assert.strictEqual((yield* headwater(["trigger", "tell", "--data", `{"count": 1}`, "--wait"])).code, 0)
      Json.assertHolds((yield* events(id, 2))[0]!["event"]!["raw_event"], { token: "of the project" })
      HeadwaterCommand.assertRefused(yield* headwater(["projects", "delete", "web-shop"]), /belong to the project/)
      assert.strictEqual((yield* deploy("")).code, 0)
      assert.match((yield* headwater(["projects", "rename", "web-shop", "Store"])).stdout, /\nSlug +store\n/)
      assert.match((yield* headwater(["projects", "list"])).stdout, /Store +store +proj_/)
      assert.match((yield* headwater(["env", "list", "--project", "store"])).stdout, /TOKEN +of the project /)
      HeadwaterCommand.assertRefused(
        yield* headwater(["env", "list", "--project", "store", "--program", "tell"]),
        /either program_id or project_id/
      )
      assert.strictEqual((yield* headwater(["projects", "delete", "store"])).code, 0)

      const listed = yield* headwater(["env", "list"])
      assert.match(listed.stdout, /SHOP_URL +https:\/\/shop\.example .*\nTOKEN +\(secret\) /)
      assert.strictEqual((yield* headwater(["env", "delete", "TOKEN"])).code, 0)
      HeadwaterCommand.assertRefused(yield* headwater(["env", "delete", "TOKEN"]), /no environment variable "TOKEN"/)
      HeadwaterCommand.assertRefused(
        yield* headwater(["env", "set", "1A"], "x"),
        /<name>: must be letters, digits and _/
      )
    }))
})
