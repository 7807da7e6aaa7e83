import { assert, describe, it } from "@effect/vitest"
import { Result } from "effect"
import * as FastCheck from "fast-check"
import * as WorkflowFile from "./WorkflowFile.ts"

const read = (text: string) => WorkflowFile.readWorkflow(new TextEncoder().encode(text))

const faultsOf = (text: string) => {
  const found = read(text)
  assert.isTrue(Result.isFailure(found))
  return Result.isFailure(found) ? found.failure : []
}

describe("a workflow.yaml", () => {
  it("gives its values, and the line of each", () => {
    const found = Result.getOrThrow(read([
      "schema: workflow/2022.04",
      "name: Orders",
      "triggers:",
      "- id: hi_AbC12",
      "steps:",
      "- namespace: code",
      "  runtime: nodejs20.x",
      "  uses: ./code/entry.js",
      "  _props_cursor: 3",
      "  props:",
      "    col_0000: a",
      "    more: 1"
    ].join("\n")))
    assert.deepStrictEqual(found.value.steps?.[0]?.props, { col_0000: "a", more: 1 })
    assert.strictEqual(found.lineOf(["triggers", 0]), 4)
    assert.strictEqual(found.lineOf(["steps", 0, "props", "more"]), 12)
    assert.strictEqual(found.lineOf(["steps", 0, "gone"]), 6)
    assert.deepStrictEqual(found.unknown, [])
  })

  it("names keys that nobody knows", () => {
    const found = Result.getOrThrow(read(
      "schema: workflow/2022.04\nextra: 1\nsettings:\n  speed: 2\nsteps:\n- namespace: a\n  retry: true\n"
    ))
    assert.deepStrictEqual(found.unknown, [["extra"], ["settings", "speed"], ["steps", 0, "retry"]])
  })

  it("is refused with the line, where it is broken", () => {
    assert.deepStrictEqual(faultsOf("name: a\nsteps: [1\nother: 2\n").map(({ line }) => line), [3])
    assert.match(faultsOf("name: a\nname: b\n")[0]!.message, /is not YAML/)
    assert.deepStrictEqual(faultsOf("name: a\nsteps:\n- uses: ./a\n").map(({ line }) => line), [3])
    assert.match(faultsOf("steps:\n- namespace: a\n  disabled: 7\n")[0]!.message, /^steps\.0\.disabled: /)
    assert.match(faultsOf("")[0]!.message, /is not a mapping/)
    assert.match(faultsOf("- 1\n")[0]!.message, /is not a mapping/)
    assert.match(faultsOf("a: *gone\n")[0]!.message, /is not (YAML|a plain document)/)
  })

  it("is refused where it is not text, too large, or unfolds", () => {
    const notText = WorkflowFile.readWorkflow(new Uint8Array([110, 97, 109, 101, 58, 32, 0xff, 0xfe]))
    assert.deepStrictEqual(Result.isFailure(notText) ? notText.failure : [], [{
      line: 1,
      message: "is not UTF-8 text"
    }])
    const large = WorkflowFile.readWorkflow(new Uint8Array(WorkflowFile.mostBytes + 1))
    assert.isTrue(Result.isFailure(large))
    const tenfold = Array.from(
      { length: 9 },
      (_, index) => `l${index + 1}: &l${index + 1} [${`*l${index},`.repeat(10)}]`
    )
    assert.match(faultsOf(["l0: &l0 [x]", ...tenfold].join("\n"))[0]!.message, /is not a plain document/)
    assert.match(faultsOf("a: &a [*a]\n")[0]!.message, /is not/)
  })

  it("gives a result or faults with lines for whatever text there is", () => {
    FastCheck.assert(FastCheck.property(
      FastCheck.array(
        FastCheck.constantFrom(
          "steps:",
          "\n",
          "- ",
          "namespace: a",
          "  ",
          "&a ",
          "*a",
          "{",
          "}",
          "[",
          "]",
          ": ",
          "|",
          "\t",
          "props:",
          "\0"
        ),
        {
          maxLength: 40
        }
      ),
      (parts) => {
        const found = read(parts.join(""))
        if (Result.isFailure(found)) assert.isTrue(found.failure.every(({ line }) => line >= 1))
        else for (const path of found.success.unknown) assert.isAtLeast(found.success.lineOf(path), 1)
      }
    ))
  })
})
