import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import * as Fs from "node:fs/promises"
import * as Path from "node:path"

it.live("docs/coming.md says for each product that people come from what is called how here, and what is missing", () =>
  Effect.promise(async () => {
    const document = await Fs.readFile(Path.resolve(import.meta.dirname, "../docs/coming.md"), "utf8")
    const [, ...sections] = document.split(/^## /m)
    const names = sections.map((section) => section.slice(0, section.indexOf("\n")))
    assert.includeMembers(names, ["Pipedream", "Svix", "Convoy", "Outpost", "n8n", "Inngest", "Zapier"])
    for (const section of sections) {
      assert.match(section, /^\| There \| Here \|$/m)
      assert.match(section, /^\*Missing:\* \S/m)
    }
  }))
