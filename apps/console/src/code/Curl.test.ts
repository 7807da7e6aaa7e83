import { assert, describe, it } from "@effect/vitest"
import { execFileSync } from "node:child_process"
import { curl } from "./Curl.ts"

describe("curl", () => {
  it("makes a command whose every part a shell takes as it is", () => {
    const body = "{\"it's\": \"$(touch /tmp/no) `id` \\\\ \\n\"}\n'; echo no; '"
    const command = curl({
      method: "PUT",
      url: "http://127.0.0.1:1/?a='b'&c=$HOME",
      headers: { "x-it's": "`id`", host: "elsewhere", "content-type": "application/json" },
      body
    })
    // The shell hands the words to this function in place of curl.
    const printed = execFileSync("sh", [
      "-c",
      `curl() { for word in "$@"; do printf '%s\\0' "$word"; done; }\n${command}`
    ])
    assert.deepStrictEqual(printed.toString().split("\0").slice(0, -1), [
      "-X",
      "PUT",
      "http://127.0.0.1:1/?a='b'&c=$HOME",
      "-H",
      "x-it's: `id`",
      "-H",
      "content-type: application/json",
      "--data-binary",
      body
    ])
  })
})
