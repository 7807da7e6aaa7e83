import { assert, it } from "vitest"
import { Headwater, type Warning } from "./Headwater.ts"

it("writes and reads the bytes of files as they are, also those of JSON", async () => {
  const sent: Array<readonly [method: string, url: string, type: string | null, body: Uint8Array]> = []
  const headwater = new Headwater({
    url: "https://headwater.example.com",
    apiKey: "key",
    fetch: async (request) => {
      const { headers, method, url } = request
      sent.push([method, url, headers.get("content-type"), new Uint8Array(await request.arrayBuffer())])
      const body = method === "GET" ? "{\"a\":  1}" : "{\"data\":{\"size\":2}}"
      return new Response(body, { headers: { "content-type": "application/json" } })
    }
  })
  const query = { path: "a/ö.json" }
  const bytes = new Uint8Array([0, 255])
  const { data } = await headwater.files.write({
    query,
    body: new Blob([bytes]),
    headers: { "Content-Type": "image/png" }
  })
  assert.strictEqual(data.size, 2)
  const url = "https://headwater.example.com/v1/files/content?path=a%2F%C3%B6.json"
  assert.deepStrictEqual(sent, [["PUT", url, "image/png", bytes]])
  const read = await headwater.files.read({ query })
  assert.strictEqual(await (read as Blob).text(), "{\"a\":  1}")
})

it("hands over what an answer warns of, also one without a body", async () => {
  const warning = { path: "nmae", message: "There is no such field. Did you mean name?" }
  const warned: Array<Warning> = []
  const headwater = new Headwater({
    url: "https://headwater.example.com",
    apiKey: "key",
    onWarning: (each) => void warned.push(each),
    fetch: async () =>
      new Response(null, { status: 204, headers: { "x-headwater-warnings": JSON.stringify([warning]) } })
  })
  await headwater.subscriptions.delete({ body: { emitter_id: "dc_1", listener_id: "wh_1" } })
  assert.deepStrictEqual(warned, [warning])
})
