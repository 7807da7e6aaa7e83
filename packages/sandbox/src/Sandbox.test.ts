import { assert, layer } from "@effect/vitest"
import { componentOf, inspectCode, realSandbox, runCode } from "@headwater/fixtures/RealSandbox"
import { Effect, Fiber } from "effect"

layer(realSandbox(), { excludeTestServices: true, timeout: "60 seconds" })("Sandbox", (it) => {
  it.effect("emits come out in the order of the calls, with their metadata and the JSON text as written", () =>
    Effect.gen(function*() {
      const result = yield* runCode(componentOf(`
        this.$emit({ b: 1, a: [null, "ü"] }, { id: 7, name: "n", summary: "s", ts: 1700000000000, delivery_ts: 1800000000000 })
        await this.$emit("text", { id: "x", ts: new Date(5) })
        this.$emit(undefined)`))
      assert.strictEqual(result.outcome, "success")
      assert.deepStrictEqual(result.emits, [
        {
          payload: `{"b":1,"a":[null,"ü"]}`,
          id: 7,
          name: "n",
          summary: "s",
          ts: 1700000000000,
          deliveryTs: 1800000000000
        },
        { payload: `"text"`, id: "x", ts: 5 },
        { payload: "null" }
      ])
    }))

  it.effect("a run that waits for another in its process is told apart from one that takes long by itself", () =>
    Effect.gen(function*() {
      const asked = { accountId: "u_waits", limits: { wallMillis: 20_000 } }
      const quick = runCode(componentOf("this.$emit(1)"), asked)
      yield* quick
      const busy = yield* Effect.forkChild(
        runCode(componentOf("for (const end = Date.now() + 600; Date.now() < end;);"), asked)
      )
      yield* Effect.sleep("100 millis")
      const waited = yield* quick
      const { ownMs } = yield* Fiber.join(busy)
      assert.isAtLeast(ownMs, 600)
      assert.isAtLeast(waited.wallMs, 2 * waited.ownMs)
    }))

  it.effect("what is no time or no id counts as none, and an object as id is its JSON", () =>
    Effect.gen(function*() {
      const { emits } = yield* runCode(componentOf(`
        for (const ts of [new Date("soon"), NaN, Infinity, true, { valueOf: () => 7 }]) this.$emit("ts", { ts })
        for (const id of [NaN, -Infinity, new Date(NaN), () => 1, { a: 1 }, [1, 2], { toJSON: () => "own" }, true, 9n]) {
          this.$emit("id", { id })
        }`))
      const given = (payload: string) =>
        emits.filter((emit) => emit.payload === payload).map(({ id, ts }) => ts ?? id ?? null)
      assert.deepStrictEqual(given(`"ts"`), [null, null, null, null, 7])
      assert.deepStrictEqual(given(`"id"`), [null, null, null, null, `{"a":1}`, "[1,2]", "own", "true", "9"])
    }))

  it.effect("what a run says and nobody can read is counted, and how it ended is an error where that is unreadable", () =>
    Effect.gen(function*() {
      const accountId = "u_unreadable"
      const odd = yield* runCode(
        componentOf(`
        const { String } = globalThis
        globalThis.String = () => ({ no: "text" })
        try {
          this.$emit(1, { summary: "s" })
          this.$emit(2, { summary: "s" })
        } finally {
          globalThis.String = String
        }
        this.$emit(3)`),
        { accountId }
      )
      assert.strictEqual(odd.outcome, "success")
      assert.deepStrictEqual(odd.emits, [{ payload: "3" }])
      assert.strictEqual(odd.unreadable?.count, 2)
      assert.match(odd.unreadable?.first ?? "", /^Emitted: Expected string at \["summary"\]$/)
      const far = yield* runCode(
        componentOf(`
        this.$emit(1)
        throw Object.assign(new Error("far away"), { stack: "at component.mjs:" + "9".repeat(400) + ":1" })`),
        { accountId, limits: { wallMillis: 20_000 } }
      )
      assert.deepStrictEqual(far.emits, [{ payload: "1" }])
      assert.strictEqual(far.outcome, "error")
      assert.match(far.error?.message ?? "", /^the result of the run can't be read: Ended: /)
    }))

  it.effect("a question that can't be answered is an error to the code, and those after it are answered", () =>
    Effect.gen(function*() {
      const result = yield* runCode(
        `export default { props: { dir: { type: "dir", accessMode: "read" } }, async run() {
           const { open } = this.dir
           const asked = ["broken", "whole"].map((path) => open(path).toUrl().catch(({ code, message }) => [code, message]))
           this.$emit(await Promise.all(asked))
         } }`,
        {
          limits: { wallMillis: 10_000 },
          fileStore: (question) =>
            "path" in question && question.path === "broken" ? Effect.die("broken") : Effect.succeed({ answer: "url" })
        }
      )
      assert.deepStrictEqual(result.emits.map(({ payload }) => JSON.parse(payload)), [
        [["EIO", "The question could not be answered"], "url"]
      ])
    }))

  it.effect("run gets the event and has bound methods, props and an extensible this", () =>
    Effect.gen(function*() {
      const result = yield* runCode(
        `export default {
          props: { greeting: { type: "string" } },
          methods: { greet(who) { return this.greeting + " " + who }, later() { return this.extra } },
          async run(event) {
            const { greet, later } = this
            this.extra = 5
            this.$emit([greet(event.who), later(), this === this.self()])
          }
        }`.replace("later()", "self() { return this }, later()"),
        { event: { who: "you" }, props: { greeting: "hi" } }
      )
      assert.deepStrictEqual(result.emits.map((_) => _.payload), [`["hi you",5,true]`])
    }))

  it.effect("an app has its methods bound, and what it defines is taken over by the component's props", () =>
    Effect.gen(function*() {
      const code = `
        const app = {
          type: "app",
          app: "shop",
          propDefinitions: {
            shop: { type: "string", label: "Shop", optional: true, async options() { return [] } },
            shops: { propDefinition: [{ propDefinitions: { base: { type: "string[]", min: 1 } } }, "base"], label: "Shops" }
          },
          methods: {
            base() { return "https://" + this.name() },
            name() { return this.$auth.name ?? "nobody" },
            url(path) { return this.base() + path }
          }
        }
        export default {
          props: {
            app,
            shop: { propDefinition: [app, "shop"], label: "Your shop", optional: false },
            shops: { propDefinition: [app, "shops", () => ({ x: 1 })] }
          },
          methods: { first() { return this.app.url("/first") } },
          async run() {
            const { url } = this.app
            this.app.extra = 1
            this.$emit([url("/orders"), this.first(), this.shop, this.app.extra])
          }
        }`
      assert.deepStrictEqual((yield* inspectCode(code)).props, [
        { name: "app", type: "app", app: "shop" },
        { name: "shop", type: "string", label: "Your shop", optional: false, remoteOptions: true },
        { name: "shops", type: "string[]", min: 1, label: "Shops" }
      ])
      const props = { app: { authProvisionId: "apn_1" }, shop: "s" }
      for (const name of ["nobody", "north"]) {
        const credentials = name === "north" ? { app: { name } } : {}
        const result = yield* runCode(code, { props, credentials })
        assert.deepStrictEqual(result.emits.map(({ payload }) => JSON.parse(payload)), [
          [`https://${name}/orders`, `https://${name}/first`, "s", 1]
        ])
      }
    }))

  it.effect("a prop that takes a definition which its app has not is refused by name", () =>
    Effect.gen(function*() {
      const refused = (prop: string) =>
        Effect.flip(inspectCode(`
          const app = { type: "app", propDefinitions: { one: {} } }
          app.propDefinitions.self = { propDefinition: [app, "self"] }
          export default { props: { app, thing: ${prop} }, run() {} }`))
      for (const prop of [`{ propDefinition: [app, "two"] }`, `{ propDefinition: [app, "self"] }`]) {
        const fault = yield* refused(prop)
        assert.match(fault.message, /^the prop "thing" uses the propDefinition "(two|self)"/)
        assert.strictEqual(fault.reason, "definition")
      }
      assert.match((yield* refused(`{ propDefinition: "one" }`)).message, /is not \[app, name\]/)
    }))

  it.effect("a value that was chosen with its label comes with it where the prop asks for it, else alone", () =>
    Effect.gen(function*() {
      const one = { __lv: { label: "North", value: 1 } }
      const some = { __lv: [{ label: "North", value: 1 }, { label: "South", value: 2 }] }
      const { emits } = yield* runCode(
        `export default {
          props: { a: { type: "integer", withLabel: true }, b: "integer", c: { type: "integer[]", withLabel: true }, d: "integer[]" },
          run() { this.$emit([this.a, this.b, this.c, this.d]) }
        }`,
        { props: { a: one, b: one, c: some, d: some } }
      )
      assert.deepStrictEqual(JSON.parse(emits[0]!.payload), [one.__lv, 1, some.__lv, [1, 2]])
    }))

  it.effect("a component without run emits the event of its interface", () =>
    Effect.gen(function*() {
      const result = yield* runCode(`export default { props: { timer: "$.interface.timer" } }`, {
        event: { timestamp: 5, interval_seconds: 60 }
      })
      assert.deepStrictEqual(result.emits, [{ payload: `{"timestamp":5,"interval_seconds":60}` }])
    }))

  it.effect("db is read from the snapshot, and what is set is read back and told", () =>
    Effect.gen(function*() {
      const result = yield* runCode(
        componentOf(`
          const before = this.db.get("list")
          before.push(4)
          this.db.set("list", before)
          this.db.set("gone", undefined)
          this.$emit([this.db.get("list"), await this.db.get("gone") ?? "none", this.db.get("never") ?? "none"])`),
        { db: { list: "[1,2,3]", gone: "true" } }
      )
      assert.deepStrictEqual(result.emits.map((_) => _.payload), [`[[1,2,3,4],"none","none"]`])
      assert.deepStrictEqual(result.db, { list: "[1,2,3,4]", gone: null })
    }))

  it.effect("db.set past 1 MiB throws in the component and stores nothing", () =>
    Effect.gen(function*() {
      const result = yield* runCode(componentOf(`
        this.db.set("a", "x".repeat(600_000))
        try { this.db.set("b", "x".repeat(600_000)) } catch (error) { this.$emit(error.name) }
        this.db.set("a", 1)
        this.db.set("b", "x".repeat(600_000))`))
      assert.strictEqual(result.outcome, "success")
      assert.deepStrictEqual(result.emits.map((_) => _.payload), [`"RangeError"`])
      assert.strictEqual(result.db["a"], "1")
      assert.strictEqual(result.db["b"]?.length, 600_002)
    }))

  it.effect("hooks run with the same this as run, and a missing hook does nothing", () =>
    Effect.gen(function*() {
      const code = `export default {
        props: { db: "$.service.db" },
        methods: { mark(value) { this.db.set("mark", value) } },
        hooks: { async deploy() { this.mark("deployed"); this.$emit("first") } },
        run() {}
      }`
      const deployed = yield* runCode(code, { call: { _tag: "Hook", hook: "deploy" } })
      assert.deepStrictEqual(deployed.db, { mark: `"deployed"` })
      assert.deepStrictEqual(deployed.emits, [{ payload: `"first"` }])
      const activated = yield* runCode(code, { call: { _tag: "Hook", hook: "activate" } })
      assert.strictEqual(activated.outcome, "success")
      assert.deepStrictEqual(activated.db, {})
    }))

  it.effect("the answer to a request is handed over at once, and only the first one", () =>
    Effect.gen(function*() {
      const answers: Array<unknown> = []
      const result = yield* runCode(
        componentOf(`
          this.http.respond({ status: "201", headers: { "X-A": 1 }, body: { endpoint: this.http.endpoint } })
          await new Promise((resolve) => setTimeout(resolve, 50))
          this.http.respond({ status: 500 })`),
        { onRespond: (answer) => Effect.sync(() => void answers.push(answer)) }
      )
      assert.isTrue(result.responded)
      assert.deepStrictEqual(answers, [{
        status: 201,
        headers: { "x-a": "1", "content-type": "application/json" },
        body: `{"endpoint":"https://in.example/abc"}`
      }])
    }))

  it.effect("an answer's body may be bytes", () =>
    Effect.gen(function*() {
      const bodies: Array<unknown> = []
      yield* runCode(componentOf(`this.http.respond({ status: 200, body: Buffer.from([0, 255, 10]) })`), {
        onRespond: (answer) => Effect.sync(() => void bodies.push(answer.body))
      })
      assert.deepStrictEqual(bodies, [new Uint8Array([0, 255, 10])])
    }))

  it.effect("console lines become the run's log, with levels, also when runs overlap in a process", () =>
    Effect.gen(function*() {
      const code = componentOf(`
        console.log("start", event.n, { deep: { x: 1 } })
        await new Promise((resolve) => setTimeout(resolve, 20))
        console.error("end %d", event.n)
        process.stdout.write("written\\n")`)
      const results = yield* Effect.forEach(
        [1, 2, 3],
        (n) => runCode(code, { event: { n } }),
        { concurrency: "unbounded" }
      )
      for (const [index, result] of results.entries()) {
        assert.deepStrictEqual(result.logs.map(({ level, message }) => [level, message]), [
          ["info", `start ${index + 1} { deep: { x: 1 } }`],
          ["error", `end ${index + 1}`],
          ["info", "written"]
        ])
      }
    }))

  it.effect("process.env holds only the source's id and the place for files, each run its own", () =>
    Effect.gen(function*() {
      const code = componentOf(`
        await new Promise((resolve) => setTimeout(resolve, 10))
        this.$emit(process.env)`)
      const results = yield* Effect.forEach(
        ["dc_a", "dc_b"],
        (programId) => runCode(code, { programId }),
        { concurrency: "unbounded" }
      )
      assert.deepStrictEqual(results.map((_) => _.emits[0]?.payload), [
        `{"PD_COMPONENT":"dc_a","STASH_DIR":"/tmp"}`,
        `{"PD_COMPONENT":"dc_b","STASH_DIR":"/tmp"}`
      ])
    }))

  it.effect("a throw ends the run as an error in the component's own lines, with what it did until then", () =>
    Effect.gen(function*() {
      const result = yield* runCode(componentOf(`
        this.$emit(1)
        this.db.set("k", 2)
        throw Object.assign(new TypeError("broken"), { code: "E_BROKEN" })`))
      assert.strictEqual(result.outcome, "error")
      assert.deepStrictEqual(
        { ...result.error, stack: undefined },
        { name: "TypeError", message: "broken", code: "E_BROKEN", line: 5, column: 29, stack: undefined }
      )
      assert.strictEqual(result.error?.stack, "TypeError: broken\n    at Object.run (component.mjs:5:29)")
      assert.deepStrictEqual(result.emits, [{ payload: "1" }])
      assert.deepStrictEqual(result.db, { k: "2" })
    }))

  const thrown: Record<string, readonly [code: string, message: string]> = {
    "an object": [`throw { why: "odd" }`, "{ why: 'odd' }"],
    text: [`throw "odd"`, "odd"],
    "an empty text": [`throw ""`, "''"],
    "a number": [`throw 0`, "0"],
    "a large number": [`throw 9007199254740993n`, "9007199254740993n"],
    "a symbol": [`throw Symbol("odd")`, "Symbol(odd)"],
    null: [`throw null`, "null"],
    nothing: [`throw undefined`, "undefined"],
    "a list": [`throw [1, "two"]`, "[ 1, 'two' ]"],
    "a cycle": [
      `const odd = { why: "odd" }; odd.self = odd; throw odd`,
      "<ref *1> { why: 'odd', self: [Circular *1] }"
    ],
    "an object with a getter that throws": [
      `throw { why: "odd", get more() { throw new Error("never") } }`,
      "{ why: 'odd', more: [Getter] }"
    ],
    "an object that can't be looked at": [
      `throw { [Symbol.for("nodejs.util.inspect.custom")]() { throw new Error("never") } }`,
      "a object that can't be shown"
    ],
    "a rejection": [`await Promise.reject(null)`, "null"],
    "an error with a message that is no text": [
      `throw Object.assign(new Error("never"), { message: { why: "odd" } })`,
      "{ why: 'odd' }"
    ]
  }
  for (const [name, [code, message]] of Object.entries(thrown)) {
    it.effect(`${name} can be thrown`, () =>
      Effect.gen(function*() {
        const { error, outcome } = yield* runCode(componentOf(code))
        assert.strictEqual(outcome, "error")
        assert.strictEqual(error?.message, message)
        assert.isNotEmpty(error?.stack)
      }))
  }

  it.effect("nothing that a thrown value does keeps a run from ending with it", () =>
    Effect.gen(function*() {
      const hostile = [
        `new Proxy({}, new Proxy({}, { get() { throw new Error("trap") } }))`,
        `new Proxy(new Error("proxied"), { get() { throw new Error("trap") } })`,
        `(() => { const { proxy, revoke } = Proxy.revocable(new Error("gone"), {}); revoke(); return proxy })()`,
        `Object.defineProperties(new Error("x"), Object.fromEntries(["name", "message", "stack", "code", "cause", "errors"]
          .map((name) => [name, { get() { throw new Error(name) } }])))`,
        `Object.assign(new Error("x"), { name: null, stack: 7, code: {}, errors: new Proxy([], { get() { throw 1 } }) })`,
        `Object.defineProperty(new Error("x"), "cause", { get() { return Object.assign(new Error("y"), { cause: {} }) } })`,
        `class extends Error { static [Symbol.hasInstance]() { throw 1 } }`
      ]
      for (const value of hostile) {
        const { error, outcome } = yield* runCode(componentOf(`throw ${value}`))
        assert.strictEqual(outcome, "error", value)
        assert.isNotEmpty(error?.name, value)
        assert.isNotEmpty(error?.stack, value)
      }
    }))

  it.effect("the stack of an error has those of its causes and of the errors that it gathers", () =>
    Effect.gen(function*() {
      const { error } = yield* runCode(componentOf(`
        const refused = Object.assign(new Error("refused"), { code: "ECONNREFUSED" })
        const both = new AggregateError([refused, "plain", new RangeError("late", { cause: null })], "both failed")
        throw new TypeError("not saved", { cause: both })`))
      assert.strictEqual(error?.message, "not saved")
      assert.strictEqual(error?.line, 5)
      const at = (line: number, column: number) => `    at Object.run (component.mjs:${line}:${column})`
      assert.deepStrictEqual(error?.stack.split("\n"), [
        "TypeError: not saved",
        at(5, 15),
        "[cause]: AggregateError: both failed",
        at(4, 22),
        "[cause.errors.0]: Error: refused (ECONNREFUSED)",
        at(3, 39),
        "[cause.errors.1]: plain",
        "[cause.errors.2]: RangeError: late",
        at(4, 60),
        "[cause.errors.2.cause]: null"
      ])
    }))

  it.effect("the errors of Promise.any and what fetch failed of are told", () =>
    Effect.gen(function*() {
      const any = yield* runCode(
        componentOf(`await Promise.any([1, 2].map(async (n) => { throw new Error("no. " + n) }))`)
      )
      assert.match(any.error?.stack ?? "", /^\[errors\.0\]: Error: no\. 1$/m)
      assert.match(any.error?.stack ?? "", /^\[errors\.1\]: Error: no\. 2$/m)
      const failed = yield* runCode(componentOf(`await fetch("http://127.0.0.1:1/")`))
      assert.match(failed.error?.stack ?? "", /^\[cause\]: /m)
    }))

  it.effect("what is told of causes is bounded in number, depth and length, and ends at a cycle", () =>
    Effect.gen(function*() {
      const stackOf = (code: string) => Effect.map(runCode(componentOf(code)), ({ error }) => error?.stack ?? "")
      const causesIn = (stack: string) => stack.match(/^\[[\w.]+\]: .*$/gm) ?? []
      const deep = causesIn(
        yield* stackOf(
          `let error = new Error("0"); for (let n = 1; n < 5000; n++) error = new Error(n, { cause: error }); throw error`
        )
      )
      assert.strictEqual(deep.length, 9)
      assert.strictEqual(deep[7], `[${"cause.".repeat(7)}cause]: Error: 4991`)
      assert.match(deep[8]!, /: this and what follows is left out$/)
      const many = causesIn(
        yield* stackOf(`throw new AggregateError(Array.from({ length: 100000 }, (_, n) => new Error(n)), "many")`)
      )
      assert.strictEqual(many.length, 13)
      assert.deepStrictEqual(many.slice(11), [
        "[errors.11]: Error: 11",
        "[errors.12]: this and what follows is left out"
      ])
      const endless = yield* stackOf(`throw Object.assign(new Error("x"), { errors: new Proxy([], {
        get: (list, key) => key === "length" ? 2 ** 40 : new Error(String(key)) }) })`)
      assert.strictEqual(causesIn(endless).length, 13)
      const long = yield* stackOf(`throw new AggregateError(
        Array.from({ length: 50 }, () => new Error("é".repeat(1e6))), "x".repeat(1e6))`)
      assert.isAtMost(Buffer.byteLength(long), 64 * 1024)
      assert.strictEqual(causesIn(long).length, 13)
      const cycle = causesIn(
        yield* stackOf(`const a = new Error("a"), b = new Error("b", { cause: a }); a.cause = b; throw a`)
      )
      assert.deepStrictEqual(cycle, ["[cause]: Error: b", "[cause.cause]: one of the errors above"])
    }))

  it.effect("an unhandled rejection or a throw in a timer ends the run that caused it, and no other", () =>
    Effect.gen(function*() {
      const code = componentOf(`
        if (event.how === "reject") Promise.reject(new Error("rejected"))
        if (event.how === "throw") setTimeout(() => { throw new Error("thrown") }, 5)
        await new Promise((resolve) => setTimeout(resolve, 100))
        this.$emit("done")`)
      const [rejected, thrown, fine] = yield* Effect.forEach(
        ["reject", "throw", "nothing"],
        (how) => runCode(code, { event: { how } }),
        { concurrency: "unbounded" }
      )
      assert.strictEqual(rejected?.error?.message, "rejected")
      assert.strictEqual(rejected?.error?.line, 3)
      assert.strictEqual(thrown?.error?.message, "thrown")
      assert.strictEqual(thrown?.error?.line, 4)
      assert.strictEqual(fine?.outcome, "success")
      assert.deepStrictEqual(fine?.emits, [{ payload: `"done"` }])
    }))

  it.effect("process.exit ends the run as an error and leaves the process", () =>
    Effect.gen(function*() {
      const result = yield* runCode(componentOf(`process.exit(3)`))
      assert.strictEqual(result.outcome, "error")
      assert.include(result.error?.message, "process.exit(3)")
    }))

  it.effect("inspect describes the component and its props as JSON", () =>
    Effect.gen(function*() {
      const description = yield* inspectCode(`export default {
        name: "N", key: "k", version: "0.0.1", type: "source", description: "D", dedupe: "unique",
        props: {
          timer: { type: "$.interface.timer", default: { intervalSeconds: 60 } },
          db: "$.service.db",
          list: { type: "string[]", label: "L", optional: true, options: ["a", { label: "B", value: "b" }] },
          remote: { type: "string", options() { return [] } }
        },
        hooks: { async deploy() {}, async deactivate() {} },
        async run() {}
      }`)
      assert.deepStrictEqual<unknown>(description, {
        name: "N",
        key: "k",
        version: "0.0.1",
        type: "source",
        description: "D",
        dedupe: "unique",
        hasAdditionalProps: false,
        hasRun: true,
        hooks: ["deploy", "deactivate"],
        props: [
          { name: "timer", type: "$.interface.timer", default: { intervalSeconds: 60 } },
          { name: "db", type: "$.service.db" },
          { name: "list", type: "string[]", label: "L", optional: true, options: ["a", { label: "B", value: "b" }] },
          { name: "remote", type: "string", remoteOptions: true }
        ]
      })
    }))

  for (
    const [what, code, expected] of [
      ["a parse error", "export default {\n  run() {\n    let = = 3\n  }\n}", { reason: "syntax", line: 3 }],
      ["a redeclaration", "const a = 1\nconst a = 2", { reason: "syntax", line: 2, column: 7 }],
      ["an import that is not there", "\nimport x from 'lodash'", { reason: "import", line: 2 }],
      ["a throwing top level", "\nthrow new Error('top')", { reason: "load", line: 2 }],
      ["no default export", "export const x = 1", { reason: "no_default_export" }],
      ["an empty default export", "export default {}", { reason: "no_default_export" }],
      ["a bad dedupe", "export default { dedupe: 'no', run() {} }", { reason: "definition" }]
    ] as const
  ) {
    it.effect(`inspect refuses ${what}, and says where`, () =>
      Effect.gen(function*() {
        const error = yield* Effect.flip(inspectCode(code))
        assert.strictEqual(error._tag, "ComponentInvalid")
        assert.deepInclude({ ...error }, expected)
        assert.notInclude(error.message, "blob:")
      }))
  }

  it.effect("Buffer, process and global are there as in Node", () =>
    Effect.gen(function*() {
      const result = yield* runCode(componentOf(`
        this.$emit([Buffer.from("a").toString("hex"), typeof process.nextTick, global === globalThis])
        this.$emit([typeof self, typeof window, typeof location, typeof Window])`))
      assert.deepStrictEqual(result.emits.map(({ payload }) => JSON.parse(payload)), [
        ["61", "function", true],
        // By these packages take what they run in for a browser.
        ["undefined", "undefined", "undefined", "undefined"]
      ])
    }))

  it.effect("what a component may not do is told without the ways in which somebody else could allow it", () =>
    Effect.gen(function*() {
      const read = `Deno.readTextFileSync("/tmp/file")`
      const { error, logs } = yield* runCode(componentOf(`
        try { ${read} } catch (error) { console.log(error.message); console.error(error) }
        await Promise.reject(new Error("wrapped", { cause: (() => { try { ${read} } catch (error) { return error } })() }))
          .catch((error) => console.log(error))
        ${read}`))
      assert.strictEqual(error?.message, `Requires read access to "/tmp/file", which components do not have`)
      const told = [error?.stack ?? "", ...logs.map(({ message }) => message)]
      assert.lengthOf(told, 4)
      for (const text of told) {
        assert.match(text, /which components do not have/)
        assert.notMatch(text, /run again|--allow/)
      }
      const fault = yield* Effect.flip(inspectCode(`${read}; export default { run() {} }`))
      assert.match(fault.message, /which components do not have$/)
    }))
})
