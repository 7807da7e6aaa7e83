import { assert, it } from "@effect/vitest"
import { Schema } from "effect"
import { allowsText, compare, mostCharacters, parse } from "./PythonRequirement.ts"

const plain = { extras: [], specifiers: [], marker: undefined }

it("a requirement is read however it is written", () => {
  const read: Readonly<Record<string, ReturnType<typeof parse>>> = {
    "Py_YAML": { ...plain, name: "py-yaml" },
    "  a.b[Fast, x_y]  >= 1.0 ,<2 ;  python_version > '3'  ": {
      name: "a-b",
      extras: ["fast", "x-y"],
      specifiers: [{ operator: ">=", version: "1.0" }, { operator: "<", version: "2" }],
      marker: "python_version > '3'"
    },
    "a (==1.*)": { ...plain, name: "a", specifiers: [{ operator: "==", version: "1.*" }] },
    "a[]===1;": { ...plain, name: "a", specifiers: [{ operator: "===", version: "1" }] }
  }
  for (const [written, expected] of Object.entries(read)) assert.deepStrictEqual(parse(written), expected, written)
})

it("what is no requirement of an index's package is none", () => {
  for (
    const written of ["", "-a", "a b", "a @ https://example.com/a.whl", "a[x", "a (>=1", "a>=1@b", "a=1", "../a", "ä"]
  ) {
    assert.isUndefined(parse(written), written)
  }
  assert.isDefined(parse("a".repeat(mostCharacters)))
  assert.isUndefined(parse("a".repeat(mostCharacters + 1)))
})

const parts = Schema.Literals(["x", " ", "\t", "-", ".", "[", "]", "(", ")", ",", ";", ">=", "==", "1", "@", "'"])
const repeated = Schema.Struct({ part: parts, times: Schema.Literals([1, 2, 40, 100, 400]) })

it.prop("no text takes long to read, whatever is repeated in it", [Schema.Array(repeated)], ([all]) => {
  const written = `x${all.map(({ part, times }) => part.repeat(times)).join("").slice(0, mostCharacters - 2)}@`
  assert.isTrue(parse(written) === undefined || written.includes(";"), written)
})

it("versions are in their order", () => {
  const ordered = ["1.0.dev1", "1.0a1", "1.0b2", "1.0rc1", "1.0", "1.0.post1", "1.1", "1.10", "2", "1!0.1"]
  assert.deepStrictEqual(ordered.toReversed().toSorted(compare), ordered)
  for (
    const [text, version] of [["~=1.4.2", "1.4.9"], [">=1,!=1.5,<2", "1.6"], ["==1.*", "1.7"], ["==1", "1.0.0"]]
  ) {
    assert.isTrue(allowsText(text!, version!), `${text} ${version}`)
  }
  for (const [text, version] of [["~=1.4.2", "1.5"], [">=1,!=1.5,<2", "1.5.0"], ["!=1.*", "1.7"], [">2", "2.0"]]) {
    assert.isFalse(allowsText(text!, version!), `${text} ${version}`)
  }
})
