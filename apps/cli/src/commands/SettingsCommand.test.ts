import { assert, layer } from "@effect/vitest"
import * as Json from "@headwater/fixtures/Json"
import { Effect } from "effect"
import * as CommandInProcess from "../../test/CommandInProcess.ts"
import * as HeadwaterCommand from "../../test/HeadwaterCommand.ts"
import { RunningServer } from "../../test/RunningServer.ts"

layer(RunningServer.layer, { excludeTestServices: true, timeout: "120 seconds" })("headwater settings", (it) => {
  it.effect("shows and changes the own account, and says which field can't be so", () =>
    Effect.gen(function*() {
      const { environment, server } = yield* RunningServer
      const headwater = (...args: ReadonlyArray<string>) =>
        CommandInProcess.run(["settings", ...args], { env: environment })
      const updated = yield* headwater(..."update --username anna --email anna@example.com".split(" "))
      assert.match(updated.stdout, /^Username +anna$/m)
      const limited = HeadwaterCommand.jsonOf(
        yield* headwater(..."update --daily-invocations-limit 500 --daily-compute-time-limit 90m --json".split(" "))
      )
      Json.assertHolds(limited, {
        username: "anna",
        email: "anna@example.com",
        own_limits: { daily_compute_time: 5_400_000, daily_invocations: 500, billing_period_invocations: null }
      })
      const { stdout } = yield* headwater("get")
      assert.match(stdout, /^Compute time of the day +0s +90m +90m +none$/m)
      const whoami = yield* CommandInProcess.run(["whoami"], { env: environment })
      assert.match(whoami.stdout, /^Daily compute time quota +90m$/m)
      assert.strictEqual((yield* headwater("update", "--daily-compute-time-limit", "none")).code, 0)
      const { data } = yield* server.api("GET", "/users/me/settings")
      Json.assertHolds(data!["own_limits"], { daily_compute_time: null, daily_invocations: 500 })
      const shown = yield* headwater("get")
      assert.match(shown.stdout, /^QUOTA +USED +LIMIT +YOUR OWN +OPERATOR'S$/m)
      assert.match(shown.stdout, /^Invocations of the day +0 +500 +500 +none$/m)
      assert.match(shown.stdout, /^Compute time of the day +0s +none +none +none$/m)
      HeadwaterCommand.assertRefused(yield* headwater("update"), /at least one flag/)
      HeadwaterCommand.assertRefused(yield* headwater("update", "--email", "anna"), /--email/)
      HeadwaterCommand.assertRefused(
        yield* headwater("update", "--daily-invocations-limit", "-1"),
        /--daily-invocations-limit/
      )
      HeadwaterCommand.assertRefused(
        yield* headwater("update", "--daily-compute-time-limit", "1.5h"),
        /a duration/
      )
    }))
})
