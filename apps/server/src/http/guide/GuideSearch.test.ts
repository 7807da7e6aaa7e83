import { assert, it } from "@effect/vitest"
import type { GuidePage } from "./GuidePage.ts"
import * as GuideSearch from "./GuideSearch.ts"

const pageOf = (text: string): GuidePage => ({
  name: "events",
  title: "Events",
  html: "",
  sections: [{ anchor: "", depth: 1, heading: "Events", text }]
})

const excerptOf = (text: string, query: string) => GuideSearch.find([pageOf(text)], query)[0]?.excerpt ?? ""

it("an excerpt has whole words around the one that was found, and all of an address without spaces is there up to its cut", () => {
  const text = `${"before ".repeat(30)}needle${" behind".repeat(60)}`
  assert.match(excerptOf(text, "needle"), /^… (before )+needle( behind)+ …$/)
  assert.strictEqual(excerptOf("needle and thread", "needle"), "needle and thread")
  assert.include(excerptOf(`see ${"a".repeat(90)}needle${"b".repeat(300)}`, "needle"), "needle")
})
