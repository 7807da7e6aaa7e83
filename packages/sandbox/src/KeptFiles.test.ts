import { assert, it } from "@effect/vitest"
import { entryBytes, partBytes, type RunFile } from "@headwater/domain/RunFile"
import { Effect } from "effect"
import { KeptFiles } from "./KeptFiles.ts"
import { defaultLimits } from "./SandboxLimits.ts"

const file = (path: string, size: number, content: string | null): RunFile => ({
  path,
  size,
  content,
  mode: 0o100644,
  modifiedAt: 0,
  target: null
})

const fileBytes = partBytes + 8 * entryBytes

const kept = (written: Array<string> = []) =>
  new KeptFiles({
    entries: [file("old", 3, "before-0"), file("both", 3, "before-0"), file("other", 5, "before-1")],
    read: () => Effect.succeed(new Uint8Array()),
    write: (content, place, bytes) =>
      Effect.sync(() => {
        written.push(`${content} ${place} ${bytes.length}`)
        return true
      })
  }, { ...defaultLimits, fileBytes })

const base64 = (size: number) => Buffer.alloc(size).toString("base64")

it.effect("names what is put, and knows what no file has any more", () =>
  Effect.gen(function*() {
    const written: Array<string> = []
    const files = kept(written)
    assert.isUndefined(yield* files.put(0, 0, base64(partBytes)))
    assert.isUndefined(yield* files.put(0, 1, base64(10)))
    assert.isUndefined(yield* files.put(1, 0, base64(1)))
    const [first = "", second = ""] = new Set(written.map((each) => each.split(" ")[0]!))
    assert.deepStrictEqual(written, [`${first} 0 ${partBytes}`, `${first} 1 10`, `${second} 0 1`])
    const told = { mode: 0o100644, modifiedAt: 1, target: null }
    const put = [
      { ...told, path: "a/large", size: partBytes + 10, content: 0 },
      { ...told, path: "old", size: 1, content: 1 },
      { ...told, path: "moved", size: 3, content: "before-0" }
    ]
    assert.isUndefined(files.hear(put, ["both", "other"]))
    assert.deepStrictEqual(files.changes, {
      put: [
        { ...put[0]!, content: first },
        { ...put[1]!, content: second },
        { ...put[2]!, content: "before-0" }
      ],
      removed: ["both", "other"],
      dropped: ["before-1"]
    })
  }))

it.effect("refuses bytes that are not the next ones of a file, and more than a run may have", () =>
  Effect.gen(function*() {
    const files = kept()
    const codes = []
    for (
      const [content, place, size] of [
        [1, 0, 1], // No file before it.
        [0, 1, 1], // No part before it.
        [0, 0, partBytes + 1],
        [0, 0, 10],
        [0, 1, 10], // The part before it was the last.
        [1, 0, partBytes],
        [2, 0, 8 * entryBytes]
      ] as const
    ) codes.push((yield* files.put(content, place, base64(size)))?.code)
    assert.deepStrictEqual(codes, ["EINVAL", "EINVAL", "EINVAL", undefined, "EINVAL", undefined, "ENOSPC"])
  }))

it("refuses files that lead out of /tmp, that have bytes nobody handed over, or that no database takes", () => {
  const refused = [
    file("../etc/passwd", 0, null),
    file("/etc/passwd", 0, null),
    file("a//b", 0, null),
    file("", 0, null),
    file("x".repeat(3_000), 0, null),
    file("a\u0000", 0, null),
    file("a", 3, "before-9"),
    file("a", 4, "before-0"),
    file("a", 4, null),
    { ...file("a", 4, null), content: 0 },
    { ...file("a", 0, null), target: "x".repeat(5_000) }
  ]
  for (const each of refused) assert.isString(kept().hear([each], []), JSON.stringify(each).slice(0, 100))
  for (const removed of ["never there", "a\u0000"]) assert.isString(kept().hear([], [removed]))
  assert.isString(kept().hear([file("a", 0, null), file("a", 0, null)], []))
  assert.isString(new KeptFiles(undefined, defaultLimits).hear([], []))
})

it.effect("names what is put anew when a step is done again", () =>
  Effect.gen(function*() {
    const written: Array<string> = []
    for (const files of [kept(written), kept(written)]) assert.isUndefined(yield* files.put(0, 0, base64(1)))
    assert.strictEqual(new Set(written).size, 2)
  }))

it("refuses more files than a run has room for, also of empty ones and of those that share their bytes", () => {
  const empty = (count: number) => Array.from({ length: count }, (_, n) => file(`empty-${n}`, 0, null))
  const most = fileBytes / entryBytes - 5
  assert.isUndefined(kept().hear(empty(most), []))
  assert.match(kept().hear(empty(most + 1), [])!, /^ENOSPC/)
  assert.isUndefined(kept().hear(empty(most + 1), ["old"]))
  const large = file("large", partBytes, "large")
  const files = new KeptFiles({
    entries: [large],
    read: () => Effect.succeed(new Uint8Array()),
    write: () => Effect.succeed(true)
  }, { ...defaultLimits, fileBytes })
  assert.match(files.hear([{ ...large, path: "linked" }], [])!, /^ENOSPC/)
})
