/** Writes the step that people paste into a workflow elsewhere, where it runs in Node without packages. */

import { mostPages } from "@headwater/domain/Courier"

export interface Errand {
  readonly url: string
  readonly token: string
  /** The ids of data stores there. */
  readonly stores: ReadonlyArray<string>
  readonly variables: ReadonlyArray<string>
  readonly files: boolean
}

/** The prop of a data store. */
export const propOf = (index: number): string => `store_${index + 1}`

const list = (values: ReadonlyArray<string>) => JSON.stringify(values, undefined, 1).replace(/\n */g, " ")

const propsOf = (stores: ReadonlyArray<string>) =>
  stores.map((id, index) =>
    `    ${propOf(index)}: { type: "data_store", label: ${JSON.stringify(`The data store ${id}`)} }`
  ).join(",\n")

/** The code of the step. */
export const codeOf = ({ files, stores, token, url, variables }: Errand): string =>
  `// Paste this into a step of Node.js code, choose the data stores, and run the step once. It brings to ${
    new URL(url).host
  }
// what is named here. Run again, it brings only what has changed. The token below opens nothing else: remove the step afterwards.
import { createHash } from "crypto"
import { readdir, readFile } from "fs/promises"

const url = ${JSON.stringify(url)}
const token = ${JSON.stringify(token)}
const stores = ${list(stores)}
const variables = ${list(variables)}
const bringsFiles = ${files}

const pageEntries = 400
const pageBytes = 256 * 1024

/** A number that a text has each time. */
const numberOf = (text) => createHash("sha256").update(text).digest().readUInt32BE()

/** Sends a page, and again where the server is busy or away. */
const send = async (method, query, type, body) => {
  for (let attempt = 0; ; attempt++) {
    const answer = await fetch(url + query, {
      method,
      headers: { authorization: "Bearer " + token, "content-type": type },
      body
    }).catch((error) => ({ ok: false, status: 503, headers: new Map(), text: async () => String(error.cause ?? error) }))
    const text = await answer.text()
    if (answer.ok) return
    if (attempt < 5 && (answer.status === 429 || answer.status >= 500)) {
      const seconds = Math.min(Number(answer.headers.get("retry-after")) || 2 ** attempt, 60)
      await new Promise((resume) => setTimeout(resume, seconds * 1000))
      continue
    }
    throw Object.assign(new Error(answer.status + ": " + text.slice(0, 500)), { status: answer.status })
  }
}

const sendJson = (value) => send("POST", "", "application/json", JSON.stringify(value))

/** The entries of a data store, in an order that is the same each time. */
const entriesOf = async (store) => {
  const all = []
  if (typeof store[Symbol.asyncIterator] === "function") for await (const [key, value] of store) all.push({ key, value: value ?? null })
  else for (const [key, value] of await store.entries()) all.push({ key, value: value ?? null })
  return all.sort((one, other) => (one.key < other.key ? -1 : 1))
}

const bringStore = async (id, store) => {
  const told = { entries: 0, left: [] }
  const numbers = new Set()
  const bring = async (entries) => {
    let page = numberOf(entries[0].key) % ${mostPages}
    while (numbers.has(page)) page = (page + 1) % ${mostPages}
    numbers.add(page)
    try {
      await sendJson({ store: id, page, entries })
      told.entries += entries.length
    } catch (error) {
      if (error.status !== 400 && error.status !== 413) throw error
      if (entries.length === 1) told.left.push({ key: entries[0].key, why: error.message })
      else for (const entry of entries) await bring([entry])
    }
  }
  let page = []
  let bytes = 0
  for (const entry of await entriesOf(store)) {
    const size = JSON.stringify(entry).length
    // The keys say at which entry a page begins: one that is added or removed changes its own page, and no other.
    const begins = numberOf(entry.key) % 100 === 0
    if (page.length > 0 && (begins || page.length === pageEntries || bytes + size > pageBytes)) {
      await bring(page)
      page = []
      bytes = 0
    }
    page.push(entry)
    bytes += size
  }
  if (page.length > 0) await bring(page)
  return told
}

const bringVariables = async () => {
  const set = variables.filter((name) => process.env[name] !== undefined)
  if (set.length > 0) await sendJson({ variables: Object.fromEntries(set.map((name) => [name, process.env[name]])) })
  return { set, unset: variables.filter((name) => !set.includes(name)) }
}

/** All files by the paths that they get, with what reads each: attached ones, those of the file store, and those in /tmp. */
const filesOf = async function* (attachments, store) {
  for (const [name, path] of Object.entries(attachments)) yield ["attachments/" + name, () => readFile(path)]
  const within = async function* (folder) {
    for await (const entry of folder === undefined ? store.dir() : store.dir(folder)) {
      if (entry.isDirectory()) yield* within(entry.path)
      else yield [entry.path.replace(/^\\/+/, ""), () => store.open(entry.path).toBuffer()]
    }
  }
  // A workflow may have no file store.
  if (store) {
    try {
      yield* within(undefined)
    } catch (error) {
      yield ["$.files", () => Promise.reject(error)]
    }
  }
  const attached = new Set(Object.values(attachments))
  const below = async function* (folder) {
    for (const entry of await readdir(folder, { withFileTypes: true }).catch(() => [])) {
      const path = folder + "/" + entry.name
      if (entry.isDirectory()) yield* below(path)
      else if (entry.isFile() && !attached.has(path)) yield [path.slice(1), () => readFile(path)]
    }
  }
  yield* below("/tmp")
}

const bringFiles = async (attachments, store) => {
  const told = { files: 0, left: [] }
  for await (const [path, read] of filesOf(attachments, store)) {
    try {
      const bytes = await read()
      const sha256 = createHash("sha256").update(bytes).digest("hex")
      await send("PUT", "?" + new URLSearchParams({ path, sha256 }), "application/octet-stream", bytes)
      told.files++
    } catch (error) {
      if (error.status === 401) throw error
      told.left.push({ path, why: error.message })
    }
  }
  return told
}

export default defineComponent({
  props: {
${propsOf(stores)}
  },
  async run({ steps, $ }) {
    const brought = { stores: {} }
    for (const [index, id] of stores.entries()) brought.stores[id] = await bringStore(id, this["store_" + (index + 1)])
    if (variables.length > 0) brought.variables = await bringVariables()
    if (bringsFiles) brought.files = await bringFiles(steps.trigger.context?.attachments ?? {}, $.files)
    return brought
  }
})
`
