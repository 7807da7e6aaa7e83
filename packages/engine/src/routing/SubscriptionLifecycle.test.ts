import { assert, layer } from "@effect/vitest"
import { Webhooks } from "@headwater/log/resources/Webhooks"
import { beforeAll, Cursors } from "@headwater/log/work/Cursors"
import { Effect, Fiber, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { inOpenTransaction } from "../../../log/test/OpenTransaction.ts"
import * as EngineFixture from "../../test/EngineFixture.ts"
import { ActorCalls } from "../ground/ActorCalls.ts"
import type { Wake } from "../ground/Wake.ts"
import { Router } from "./Router.ts"
import { SubscriptionLifecycle } from "./SubscriptionLifecycle.ts"

layer(EngineFixture.layerNoSandbox, { excludeTestServices: true })("the life of subscriptions", (it) => {
  it.effect("tells the listener of an event that is appended while its subscription is being created", () =>
    Effect.gen(function*() {
      const sql = yield* SqlClient.SqlClient
      const { id: accountId } = yield* EngineFixture.account
      const log = yield* EngineFixture.emitter(accountId)
      const webhook = yield* (yield* Webhooks).insert({
        accountId,
        name: null,
        description: null,
        url: "http://127.0.0.1:1/"
      })
      const hints: Array<readonly [string, Wake]> = []
      const lifecycle = yield* Layer.build(SubscriptionLifecycle.layer.pipe(Layer.provide([
        Layer.mock(ActorCalls, {
          ingest: () => assert.fail("nothing is ingested"),
          isHere: () => true,
          wake: (actorId, wake) => {
            hints.push([actorId, wake])
          }
        }),
        Layer.mock(Router, { invalidate: () => Effect.void })
      ])))
      // Holds the creation up once its cursors are placed, so that the event comes behind them and before the commit.
      yield* sql`
        CREATE FUNCTION hold_up() RETURNS trigger LANGUAGE plpgsql
        AS 'BEGIN PERFORM pg_advisory_xact_lock(1); RETURN NULL; END'`
      yield* sql`CREATE TRIGGER hold_up AFTER INSERT ON cursors_folded FOR EACH STATEMENT EXECUTE FUNCTION hold_up()`
      const lock = yield* inOpenTransaction(sql`SELECT pg_advisory_xact_lock(1)`)
      const creating = yield* Effect.forkChild(
        Effect.provide(
          Effect.flatMap(
            SubscriptionLifecycle,
            ({ create }) => create({ accountId, emitterId: "dc_*", listenerId: webhook.id, eventName: "" })
          ),
          lifecycle
        )
      )
      yield* sql<{ waiting: boolean }>`
        SELECT count(*) > 0 AS waiting FROM pg_stat_activity
        WHERE wait_event = 'advisory' AND datname = current_database()`.pipe(
        Effect.repeat({ until: ([row]) => row!.waiting })
      )
      yield* EngineFixture.append(log, ["meanwhile"])
      yield* lock.commit
      const subscription = yield* Fiber.join(creating)
      const { owed: [owed] } = yield* (yield* Cursors).owedTo(webhook.id, beforeAll)
      assert.deepStrictEqual([owed?.subscriptionId, owed?.position.n], [subscription.id, 0])
      assert.deepStrictEqual(hints.map(([actorId, { look }]) => [actorId, look]), [[webhook.id, true]])
    }))
})
