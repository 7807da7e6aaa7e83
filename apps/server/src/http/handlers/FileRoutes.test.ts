import { assert, layer } from "@effect/vitest"
import * as FileKey from "@headwater/domain/FileKey"
import { urlMillis } from "@headwater/domain/StoredFile"
import { FileSecret } from "@headwater/log/access/FileSecret"
import { StoredFiles } from "@headwater/log/resources/StoredFiles"
import { Clock, Effect } from "effect"
import * as Http from "../../../test/HttpAppFixture.ts"

layer(Http.layer, { excludeTestServices: true })("FileRoutes", (it) => {
  it.effect("answers a file to anybody who has its URL, for as long as that works, in an origin of its own", () =>
    Effect.gen(function*() {
      const http = yield* Http.tenant()
      const files = yield* StoredFiles
      const { secret } = yield* FileSecret
      const content = `content-of-${http.accountId}`
      const bytes = [Buffer.alloc(256 * 1024, "a"), Buffer.from("<script>end</script>")]
      for (const [place, part] of bytes.entries()) {
        yield* files.putPart(http.accountId, { content, place, bytes: part })
      }
      const size = bytes.reduce((sum, { length }) => sum + length, 0)
      yield* files.write(http.accountId, { path: "a/ü.html", size, content, contentType: "text/html", sha256: "" })
      const now = yield* Clock.currentTimeMillis
      const at = (until: number, of = content, by = secret) =>
        http.request("GET", `/files/${FileKey.make(by, { content: of, until })}`, { key: null })
      const found = yield* at(now + urlMillis)
      assert.strictEqual(found.status, 200)
      assert.strictEqual(found.text, Buffer.concat(bytes).toString())
      assert.strictEqual(found.headers.get("content-type"), "text/html")
      assert.strictEqual(found.headers.get("content-length"), String(size))
      assert.match(found.headers.get("content-security-policy") ?? "", /^sandbox /)
      assert.strictEqual(found.headers.get("content-disposition"), "inline; filename*=UTF-8''%C3%BC.html")
      const refused = [
        yield* at(now - 1),
        yield* at(now + urlMillis, "content-of-none"),
        yield* at(now + urlMillis, content, "another"),
        yield* http.request("GET", "/files/none", { key: null })
      ]
      for (const answer of refused) Http.assertProblem(answer, 404, "not_found")
      yield* files.write(http.accountId, {
        path: "a/ü.html",
        size: 0,
        content: `${content}-2`,
        contentType: null,
        sha256: ""
      })
      Http.assertProblem(yield* at(now + urlMillis), 404, "not_found")
      assert.strictEqual(yield* files.bytesOf(http.accountId), 0)
    }))
})
