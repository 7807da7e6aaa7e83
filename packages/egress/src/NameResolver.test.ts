import { assert, describe, it } from "@effect/vitest"
import * as TemporaryDirectory from "@headwater/fixtures/TemporaryDirectory"
import { Effect, Fiber, Result } from "effect"
import { Host, NetAddress } from "effect/net"
import { TestClock } from "effect/testing"
import * as Fs from "node:fs/promises"
import * as Path from "node:path"
import * as DnsServer from "../test/DnsServer.ts"
import { type Asker, NameResolver } from "./NameResolver.ts"

const ann: Asker = { accountId: "u_ann", use: "delivery" }
const bob: Asker = { accountId: "u_bob", use: "delivery" }

const lookup = (name: string, asker = ann) =>
  NameResolver.pipe(
    Effect.flatMap((names) => names.lookup(Host.domainNameFromStringUnsafe(name), asker)),
    Effect.map((addresses) => addresses.map(NetAddress.formatIp))
  )

/** What is known of a name without asking. */
const known = (name: string) =>
  Effect.map(NameResolver, (names) => {
    const outcome = names.known(Host.domainNameFromStringUnsafe(name))
    return outcome === undefined ? undefined : Result.getOrThrow(outcome).map(NetAddress.formatIp)
  })

/** Waits in real time, for what a name server does. */
const until = (isSo: () => boolean) =>
  TestClock.withLive(Effect.gen(function*() {
    while (!isSo()) yield* Effect.sleep("2 millis")
  }))

const settle = TestClock.withLive(Effect.sleep("50 millis"))

/** Names that begin with `dead` are never answered for. */
const mostlyDead = (name: string): DnsServer.Answer => name.startsWith("dead") ? "silence" : ["192.0.2.1"]

describe("NameResolver", () => {
  it.effect("names whose name servers are dead hold up no other account, nor what the same account does otherwise", () =>
    Effect.gen(function*() {
      const server = yield* DnsServer.make(mostlyDead)
      yield* Effect.gen(function*() {
        const names = Array.from({ length: 500 }, (_, i) => `dead-${i}.test`)
        const dead = yield* Effect.forEach(names, (name) => Effect.forkChild(Effect.flip(lookup(name))))
        yield* until(() => names.filter((name) => server.lookups(name) > 0).length === 16)
        assert.deepStrictEqual(yield* lookup("live.test", bob), ["192.0.2.1"])
        assert.deepStrictEqual(yield* lookup("also-live.test", { ...ann, use: "component" }), ["192.0.2.1"])
        yield* settle
        assert.lengthOf(names.filter((name) => server.lookups(name) > 0), 16)
        // Another account's question about a name that waits in the first one's line is put at once.
        yield* Effect.forkChild(lookup("dead-499.test", bob))
        yield* until(() => server.lookups("dead-499.test") > 0)
        yield* TestClock.adjust("5 seconds")
        yield* until(() => names.filter((name) => server.lookups(name) > 0).length >= 32)
        yield* TestClock.adjust("5 seconds")
        const codes = (yield* Effect.forEach(dead, Fiber.join)).map(({ code }) => code)
        assert.deepStrictEqual([...new Set(codes)], ["ETIMEOUT"])
      }).pipe(Effect.provide(server.layer))
    }))

  it.effect("those who ask for the same name share one question, whoever they are", () =>
    Effect.gen(function*() {
      const server = yield* DnsServer.make(mostlyDead)
      const askers = [ann, bob, { ...ann, use: "component" } as const]
      const found = yield* Effect.forEach(
        Array.from({ length: 99 }, (_, i) => askers[i % 3]!),
        (asker) => lookup("live.test", asker),
        { concurrency: "unbounded" }
      ).pipe(Effect.provide(server.layer))
      assert.deepStrictEqual(new Set(found.flat()), new Set(["192.0.2.1"]))
      assert.strictEqual(server.lookups("live.test"), 1)
    }))

  it.effect("an answer is used as long as it says and no more than a minute, and one that says 0 once", () =>
    Effect.gen(function*() {
      for (const [ttl, seconds] of [[30, 30], [3_600, 60], [0, 0]] as const) {
        const server = yield* DnsServer.make(() => ["192.0.2.1", "2001:db8::1"], { ttl })
        yield* Effect.gen(function*() {
          for (let asked = 0; asked < 3; asked++) {
            assert.deepStrictEqual(
              yield* known("live.test"),
              asked > 0 && ttl > 0 ? ["192.0.2.1", "2001:db8::1"] : undefined
            )
            assert.deepStrictEqual(yield* lookup("live.test"), ["192.0.2.1", "2001:db8::1"])
          }
          assert.strictEqual(server.lookups("live.test"), seconds === 0 ? 3 : 1)
          yield* TestClock.adjust(seconds * 1_000)
          yield* lookup("live.test")
          assert.strictEqual(server.lookups("live.test"), seconds === 0 ? 4 : 2)
        }).pipe(Effect.provide(server.layer))
      }
    }))

  it.effect("a name server that never answers about IPv6 costs a name half a second, and no more until its time is over", () =>
    Effect.gen(function*() {
      const server = yield* DnsServer.make(() => ({ four: ["192.0.2.1"] }), { ttl: 30 })
      yield* Effect.gen(function*() {
        const found = yield* Effect.forkChild(lookup("live.test"))
        yield* until(() => server.lookups("live.test") === 1)
        yield* settle
        yield* TestClock.adjust("500 millis")
        assert.deepStrictEqual(yield* Fiber.join(found), ["192.0.2.1"])
        yield* TestClock.adjust("29 seconds")
        assert.deepStrictEqual(yield* lookup("live.test"), ["192.0.2.1"])
        assert.strictEqual(server.lookups("live.test"), 1)
      }).pipe(Effect.provide(server.layer))
    }))

  it.effect("a failure says what is wrong, and is remembered for two seconds", () =>
    Effect.gen(function*() {
      const server = yield* DnsServer.make((name) => name === "unknown.test" ? [] : "failure")
      yield* Effect.gen(function*() {
        for (const [name, code] of [["unknown.test", "ENOTFOUND"], ["broken.test", "EAI_AGAIN"]] as const) {
          const failure = yield* Effect.flip(lookup(name))
          assert.deepInclude({ ...failure }, { _tag: "DnsFailed", host: name, code })
          assert.include(failure.message, name)
          const asked = server.lookups(name)
          yield* Effect.flip(lookup(name, bob))
          assert.strictEqual(server.lookups(name), asked)
          yield* TestClock.adjust("2 seconds")
          yield* Effect.flip(lookup(name))
          assert.isAbove(server.lookups(name), asked)
        }
      }).pipe(Effect.provide(server.layer))
    }))

  it.effect("a look-up that is given up before its turn is not made", () =>
    Effect.gen(function*() {
      const server = yield* DnsServer.make(mostlyDead)
      yield* Effect.gen(function*() {
        const names = Array.from({ length: 16 }, (_, i) => `dead-${i}.test`)
        for (const name of names) yield* Effect.forkChild(lookup(name))
        yield* until(() => names.every((name) => server.lookups(name) > 0))
        const waiting = yield* Effect.forkChild(lookup("never-asked.test"))
        const next = yield* Effect.forkChild(lookup("live.test"))
        yield* settle
        yield* Fiber.interrupt(waiting)
        yield* TestClock.adjust("5 seconds")
        assert.deepStrictEqual(yield* Fiber.join(next), ["192.0.2.1"])
        assert.strictEqual(server.lookups("never-asked.test"), 0)
      }).pipe(Effect.provide(server.layer))
    }))

  it.effect("the hosts file, search domains and localhost mean what they do elsewhere, and the files may change", () =>
    Effect.gen(function*() {
      const directory = yield* TemporaryDirectory.make("names")
      const files = { hosts: Path.join(directory, "hosts"), resolvConf: Path.join(directory, "resolv.conf") }
      const write = (path: string, text: string) => Effect.promise(() => Fs.writeFile(path, text))
      yield* write(files.hosts, "::1 db\n10.0.0.7 db db.internal # the database\n")
      yield* write(files.resolvConf, "nameserver 192.0.2.53\nsearch first.test second.test.\noptions ndots:2\n")
      const zone: Record<string, ReadonlyArray<string>> = {
        "api.second.test": ["192.0.2.2"],
        "a.b.first.test": ["192.0.2.3"],
        "a.b": ["192.0.2.4"],
        "a.b.c": ["192.0.2.5"],
        "a.b.c.first.test": ["192.0.2.6"]
      }
      const server = yield* DnsServer.make((name) => zone[name] ?? [])
      yield* Effect.gen(function*() {
        assert.deepStrictEqual(yield* lookup("db"), ["10.0.0.7", "::1"])
        assert.deepStrictEqual(yield* lookup("db.internal."), ["10.0.0.7"])
        assert.deepStrictEqual(yield* lookup("localhost"), ["127.0.0.1", "::1"])
        assert.deepStrictEqual(yield* lookup("app.localhost"), ["127.0.0.1", "::1"])
        assert.deepStrictEqual(yield* lookup("api"), ["192.0.2.2"])
        assert.deepStrictEqual(yield* lookup("a.b"), ["192.0.2.3"])
        assert.deepStrictEqual(yield* lookup("a.b."), ["192.0.2.4"])
        assert.deepStrictEqual(yield* lookup("a.b.c"), ["192.0.2.5"])
        assert.strictEqual((yield* Effect.flip(lookup("api."))).code, "ENOTFOUND")
        yield* write(files.hosts, "10.0.0.8 db\n")
        yield* TestClock.adjust("5 seconds")
        assert.deepStrictEqual(yield* lookup("db"), ["10.0.0.8"])
      }).pipe(Effect.provide(NameResolver.layer({ nameServers: [server.address], files })))
    }))

  it.effect("goes on where the system's files can't be read", () =>
    Effect.gen(function*() {
      const server = yield* DnsServer.make(mostlyDead)
      const files = { hosts: "/dev/null/none", resolvConf: "/dev/null/none" }
      const names = NameResolver.layer({ nameServers: [server.address], files })
      assert.deepStrictEqual(yield* Effect.provide(lookup("live.test"), names), ["192.0.2.1"])
    }))
})
