import { assert, it, layer } from "@effect/vitest"
import { moduleOf, runPython, slowly } from "@headwater/fixtures/PythonSteps"
import { hashOf, realSandbox } from "@headwater/fixtures/RealSandbox"
import * as WheelIndex from "@headwater/fixtures/WheelIndex"
import { Effect, Layer } from "effect"
import { TestClock } from "effect/testing"
import type { PythonNeeds } from "./ComponentDescription.ts"
import { PythonPackages, withWheels } from "./PythonPackages.ts"
import { Sandbox } from "./Sandbox.ts"

const needing = (packages: ReadonlyArray<string>, imports: ReadonlyArray<string> = []): PythonNeeds => ({
  packages: packages.map((each, index) => ({ package: each, line: index + 1 })),
  imports: imports.map((module) => ({ module, line: 1 }))
})

const installed = Effect.fnUntraced(function*(needs: PythonNeeds, kept: ReadonlyArray<string> = []) {
  return Object.keys(yield* (yield* PythonPackages).install([{ step: "greet", needs }], kept))
})

const refused = (needs: PythonNeeds) =>
  Effect.map(Effect.flip(installed(needs)), ({ line, message, reason }) => [reason, line, message])

const init = (name: string, version: string) => ({ [`${name}/__init__.py`]: `version = "${version}"\n` })

it.effect("The time for all Python packages of a component together is limited", () =>
  Effect.gen(function*() {
    const index = yield* WheelIndex.WheelIndex
    const run = Effect.runPromiseWith(yield* Effect.context())
    for (const n of [0, 1, 2, 3]) {
      index.publish({ name: `late${n}`, version: "1.0", files: {}, requires: [`late${n + 1}`] })
    }
    const needs = needing([], ["late0"])
    index.beforeAnswer = () => run(TestClock.adjust("25 seconds"))
    assert.deepStrictEqual(yield* refused(needs), ["unreachable", 1, "not all packages arrived within 120 seconds"])
    assert.strictEqual(index.asked.length, 5)
    index.beforeAnswer = () => run(TestClock.adjust("31 seconds"))
    assert.deepStrictEqual(yield* refused(needs), [
      "unreachable",
      1,
      "late0: there was no answer within 30 seconds"
    ])
  }).pipe(Effect.provide(WheelIndex.packages.pipe(Layer.provideMerge(WheelIndex.WheelIndex.layer)))))

layer(
  Layer.merge(
    realSandbox({ pool: { warmProcesses: 1 } }),
    WheelIndex.packages.pipe(Layer.provideMerge(WheelIndex.WheelIndex.layer))
  ),
  { excludeTestServices: true, timeout: "240 seconds" }
)("Python packages", (it) => {
  it.effect("are the newest pure wheels that fit, with what they need", () =>
    Effect.gen(function*() {
      const index = yield* WheelIndex.WheelIndex
      for (const version of ["1.0", "1.9.1", "1.10", "2.0rc1"]) {
        index.publish({
          name: "shapes",
          version,
          files: init("shapes", version),
          requires: [
            "col_ors (>=1,<2)",
            `windows-only; sys_platform == "win32"`,
            `fast-shapes>=1; extra == "fast"`,
            `old-typing; python_version < "3.8" and (os_name == "posix" or os_name == "nt")`
          ]
        })
      }
      index.publish({ name: "shapes", version: "3.0", files: {}, requiresPython: ">=4" })
      index.publish({ name: "col-ors", version: "1.4", files: init("colors", "1.4") })
      index.publish({ name: "col-ors", version: "2.0", files: init("colors", "2.0") })
      index.publish({ name: "fast-shapes", version: "1.0", files: init("fast", "1.0") })
      for (const speaksJson of [true, false]) {
        index.speaksJson = speaksJson
        assert.deepStrictEqual(yield* installed(needing(["shapes"])), [
          "shapes-1.10-py3-none-any.whl",
          "col_ors-1.4-py3-none-any.whl"
        ])
      }
      index.speaksJson = true
      assert.deepStrictEqual(yield* installed(needing(["Shapes[Fast]==1.9.*"])), [
        "shapes-1.9.1-py3-none-any.whl",
        "col_ors-1.4-py3-none-any.whl",
        "fast_shapes-1.0-py3-none-any.whl"
      ])
      assert.include(
        yield* installed(needing([], ["shapes"]), ["shapes-1.0-py3-none-any.whl"]),
        "shapes-1.0-py3-none-any.whl"
      )
      // What a package brings by another name is not looked for, nor what the runtime has.
      assert.deepStrictEqual(yield* installed(needing(["col-ors<2", "requests==2.31"], ["colors", "requests"])), [
        "col_ors-1.4-py3-none-any.whl"
      ])
    }))

  it.effect("that can't be installed are refused by name", () =>
    Effect.gen(function*() {
      const { publish } = yield* WheelIndex.WheelIndex
      publish({ name: "native", version: "1.0", files: {}, tags: "cp314-cp314-manylinux_2_28_x86_64" })
      publish({ name: "above", version: "1.0", files: {}, requires: ["native>=1"] })
      publish({ name: "both", version: "1.0", files: {}, requires: ["shapes>=1", "col-ors==2.0"] })
      publish({ name: "forged", version: "1.0", files: {}, sha256: "0".repeat(64) })
      publish({ name: "unproven", version: "1.0", files: {}, sha256: null })
      const none = "has no wheel that is pure Python, and only those can be installed"
      assert.deepStrictEqual(yield* refused(needing(["col-ors", "native"])), [
        "refused",
        2,
        `the package native ${none}`
      ])
      assert.deepStrictEqual(
        yield* refused(needing([], ["above"])),
        ["refused", 1, `the package native, which above needs, ${none}`]
      )
      assert.deepStrictEqual(yield* refused(needing([], ["nowhere"])), [
        "refused",
        1,
        "the package nowhere is not in the index"
      ])
      assert.deepStrictEqual(yield* refused(needing(["col-ors==9"])), [
        "refused",
        1,
        "the package col-ors has no version that fits"
      ])
      assert.deepStrictEqual(yield* refused(needing(["col-ors<2", "both"])), [
        "refused",
        2,
        "the package col-ors is needed in another version than 1.4, by both"
      ])
      assert.deepStrictEqual(yield* refused(needing(["a b c"])), ["refused", 1, `"a b c" names no package`])
      assert.deepStrictEqual(yield* refused(needing([], ["a/%2e%2e/b"])), [
        "refused",
        1,
        `"a/%2e%2e/b" names no package`
      ])
      assert.deepStrictEqual(yield* refused(needing(["col-ors", `x${" ".repeat(500)}@`])), [
        "refused",
        2,
        "a requirement has at most 500 characters"
      ])
      assert.deepStrictEqual(yield* refused(needing([], ["unproven"])), [
        "refused",
        1,
        "the index gives no SHA-256 checksum of unproven-1.0-py3-none-any.whl"
      ])
      const many = Array.from({ length: 61 }, (_, n) => `many${n}`)
      for (const [needs, line] of [[needing(many), 61], [needing([], many), 1]] as const) {
        assert.deepStrictEqual(yield* refused(needs), [
          "refused",
          line,
          "a component has at most 60 packages of Python"
        ])
      }
      assert.deepStrictEqual(yield* refused(needing(["forged"])), [
        "unreachable",
        1,
        "forged: forged-1.0-py3-none-any.whl does not have the checksum that the index gives"
      ])
    }))

  it.effect("are the same for all steps of a component, which may not contradict each other", () =>
    Effect.gen(function*() {
      const packages = yield* PythonPackages
      const first = { step: "first", needs: needing([], ["col-ors"]) }
      assert.deepStrictEqual(
        Object.keys(yield* packages.install([first, { step: "second", needs: needing(["col-ors<2"]) }], [])),
        ["col_ors-1.4-py3-none-any.whl"]
      )
      const steps = [first, { step: "second", needs: needing(["col-ors<2"]) }, {
        step: "third",
        needs: needing(["tzdata", "col-ors>=2"])
      }]
      const { publish } = yield* WheelIndex.WheelIndex
      publish({ name: "tzdata", version: "1.0", files: {} })
      const { line, message, step } = yield* Effect.flip(packages.install(steps, []))
      assert.deepStrictEqual([step, line, message], [
        "third",
        2,
        "the package col-ors is needed in another version than 1.4"
      ])
    }))

  it.effect("are what the code asks for in comments, and imports", () =>
    Effect.gen(function*() {
      const sandbox = yield* Sandbox
      const spaced = `x${" ".repeat(40_000)}y`
      const { steps } = yield* sandbox.inspect({
        accountId: "u_test",
        kind: "workflow",
        module: moduleOf(`# pipedream add-package col-ors==1.4\t
# pipedream add-package ${spaced}
# pipedream add-package \t
import json, os.path, requests
from colors.deep import x
try:
    import fast
except ImportError:
    fast = None
def handler(pd):
    import shapes
`)
      })
      assert.deepStrictEqual(steps![0]!.needs, {
        packages: [{ package: "col-ors==1.4", line: 1 }, { package: spaced, line: 2 }],
        imports: [{ module: "colors", line: 5 }, { module: "shapes", line: 11 }]
      })
    }), slowly)

  it.effect("are at hand for the steps that have them, each component with its own", () =>
    Effect.gen(function*() {
      const packages = yield* PythonPackages
      const text = moduleOf(`
import colors, importlib.metadata
def handler(pd): return [colors.version, importlib.metadata.version("col-ors")]`).code
      const run = Effect.fnUntraced(function*(package_: string) {
        const code = withWheels(text, yield* packages.install([{ step: "greet", needs: needing([package_]) }], []))
        const { error, value } = yield* runPython("", { module: { code, hash: hashOf(code) } })
        return error?.message ?? value
      })
      assert.deepStrictEqual(yield* run("col-ors==1.4"), ["1.4", "1.4"])
      assert.deepStrictEqual(yield* run("col-ors==2.0"), ["2.0", "2.0"])
      assert.deepStrictEqual(yield* run("col-ors==1.4"), ["1.4", "1.4"])
      const { error } = yield* runPython("import colors\ndef handler(pd): pass")
      assert.strictEqual(error?.message, "No module named 'colors'")
    }), slowly)

  it.effect(
    "leave nothing of themselves to a component with others, and can't be changed by a step",
    () =>
      Effect.gen(function*() {
        const { publish } = yield* WheelIndex.WheelIndex
        const made = `import sys, types\nsys.modules["made"] = types.ModuleType("made")\n`
        publish({ name: "room-one", version: "1.0", files: { "room/one.py": made, "found.py": "n = 1" } })
        publish({ name: "room-two", version: "1.0", files: { "room/two.py": "" } })
        const packages = yield* PythonPackages
        const runWith = Effect.fnUntraced(function*(package_: string, body: string) {
          const wheels = yield* packages.install([{ step: "greet", needs: needing([package_]) }], [])
          const code = withWheels(moduleOf(`import sys\ndef handler(pd):\n    ${body}`).code, wheels)
          const { error, value } = yield* runPython("", { module: { code, hash: hashOf(code) } })
          return error?.message ?? value
        })
        const change = `import room.one, made, found
    try:
        open(found.__file__, "w")
    except PermissionError:
        return found.n`
        assert.strictEqual(yield* runWith("room-one", change), 1)
        assert.strictEqual(yield* runWith("room-one", change), 1)
        assert.deepStrictEqual(
          yield* runWith("room-two", `import room.two\n    return [hasattr(room, "one"), "made" in sys.modules]`),
          [false, false]
        )
        for (const name of ["room", "made", "found"]) {
          const { error } = yield* runPython(`import ${name}\ndef handler(pd): pass`)
          assert.strictEqual(error?.message, `No module named '${name}'`)
        }
      }),
    slowly
  )

  it.effect("are at hand only if all of them could be unpacked", () =>
    Effect.gen(function*() {
      const packages = yield* PythonPackages
      const wheels = yield* packages.install([{ step: "greet", needs: needing(["col-ors==1.4"]) }], [])
      const code = withWheels(moduleOf("import colors\ndef handler(pd): pass").code, { ...wheels, "z.whl": "" })
      const module = { code, hash: hashOf(code) }
      for (let times = 0; times < 2; times++) {
        assert.strictEqual((yield* runPython("", { module })).error?.message, "File is not a zip file")
      }
    }), slowly)
})
