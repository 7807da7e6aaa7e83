// An endpoint for trying out webhooks. It prints each event and whether its signature is valid, and serves a small feed
// at /feed.xml. Start it with the webhook's secret: node examples/receiver.mjs whsec_...
import { createHmac, timingSafeEqual } from "node:crypto"
import { createServer } from "node:http"

const port = Number(process.env.PORT ?? 9000)
const secret = process.argv[2]

const isSigned = (headers, body) => {
  const signed = `${headers["webhook-id"]}.${headers["webhook-timestamp"]}.${body}`
  const key = Buffer.from(secret.replace("whsec_", ""), "base64")
  const expected = createHmac("sha256", key).update(signed).digest()
  return String(headers["webhook-signature"]).split(" ").some((signature) => {
    const given = Buffer.from(signature.replace("v1,", ""), "base64")
    return given.length === expected.length && timingSafeEqual(given, expected)
  })
}

const feed = `<?xml version="1.0"?>
<rss version="2.0">
  <channel>
    <title>River levels</title>
    <item>
      <guid>level-2</guid>
      <title>The river is rising</title>
      <link>http://127.0.0.1:${port}/level-2</link>
      <pubDate>Sat, 21 Nov 2026 09:00:00 GMT</pubDate>
    </item>
    <item>
      <guid>level-1</guid>
      <title>The river is calm</title>
      <link>http://127.0.0.1:${port}/level-1</link>
      <pubDate>Fri, 20 Nov 2026 09:00:00 GMT</pubDate>
    </item>
  </channel>
</rss>
`

createServer((request, response) => {
  if (request.method === "GET") {
    response.writeHead(200, { "content-type": "application/rss+xml" }).end(feed)
    return
  }
  let body = ""
  request.on("data", (chunk) => {
    body += chunk
  })
  request.on("end", () => {
    const verdict = secret === undefined ? "not checked" : isSigned(request.headers, body) ? "valid" : "INVALID"
    console.log(`event ${request.headers["x-headwater-event-id"]}, signature ${verdict}: ${body}`)
    response.writeHead(204).end()
  })
}).listen(port, "127.0.0.1", () => console.log(`Receiving on http://127.0.0.1:${port}`))
