import { assert, layer } from "@effect/vitest"
import { realSandbox } from "@headwater/fixtures/RealSandbox"
import { authority } from "@headwater/fixtures/TestCertificate"
import { Effect, Layer } from "effect"
import * as ImapServer from "../test/ImapServer.ts"
import * as Polling from "../test/Polling.ts"
import * as ScriptedServer from "../test/ScriptedServer.ts"

const dayMillis = 24 * 3_600_000

/** A day after the one on which the sources are made, by the clock that components see. */
const day = (number: number) => new Date((Math.floor(Date.now() / dayMillis) + number) * dayMillis + dayMillis / 2)

const mail = (subject: string, text = "Hello.") =>
  `From: Ann <ann@example.com>\nTo: ben@example.com\nMessage-ID: <${subject}@example.com>\nSubject: ${subject}\n\n${text}\n`

/** With an encoded subject, two bodies and an attachment. */
const letter = `From: =?UTF-8?Q?J=C3=BCrgen?= <j@example.com>
To: Ann <ann@example.com>, ben@example.com
Subject: =?ISO-8859-1?Q?Stra=DFe?= (1)
Message-ID: <letter@example.com>
Date: Thu, 1 Jan 2026 10:00:00 +0100
MIME-Version: 1.0
Content-Type: multipart/mixed; boundary=m

--m
Content-Type: multipart/alternative; boundary=a

--a
Content-Type: text/plain; charset=ISO-8859-1
Content-Transfer-Encoding: quoted-printable

Gr=FC=DFe (2) {3}
--a
Content-Type: text/html; charset=utf-8

<b>Greetings</b>
--a--
--m
Content-Type: application/octet-stream; name="a.bin"
Content-Disposition: attachment; filename="a.bin"
Content-Transfer-Encoding: base64

AAECAw==
--m--
`

const sourceOf = ({ port }: { readonly port: number }, props: Record<string, unknown> = {}) =>
  Polling.source("imap", {
    host: "127.0.0.1",
    port,
    security: "none",
    user: ImapServer.user,
    password: ImapServer.password,
    ...props
  })

const subjectsOf = (
  { emitted }: { readonly emitted: ReadonlyArray<{ readonly event: { readonly subject: string } }> }
) => emitted.map(({ event }) => event.subject)

layer(Polling.layer, { timeout: "60 seconds", excludeTestServices: true })("mail", (it) => {
  it.effect("is emitted once each, from the time on when the source was made or with what was there", () =>
    Effect.gen(function*() {
      const server = yield* ImapServer.make()
      for (const number of [1, 2, 3]) server.add("INBOX", day(number), mail(`old ${number}`))
      const later = yield* sourceOf(server)
      assert.deepStrictEqual(subjectsOf(yield* later.deploy), [])
      const earlier = yield* sourceOf(server, { initialMessages: 2 })
      assert.deepStrictEqual(subjectsOf(yield* earlier.deploy), ["old 2", "old 3"])
      assert.deepStrictEqual(subjectsOf(yield* later.tick), [])
      server.add("INBOX", day(4), mail("new 4"))
      server.add("INBOX", day(2), mail("moved here"))
      server.remove("INBOX", 4)
      server.add("INBOX", day(5), mail("new 5"))
      assert.deepStrictEqual(subjectsOf(yield* later.tick), ["moved here", "new 5"])
      assert.deepStrictEqual(subjectsOf(yield* later.tick), [])
      assert.deepStrictEqual(subjectsOf(yield* earlier.tick), ["moved here", "new 5"])
    }).pipe(Polling.onTestClock))

  it.effect("is emitted with what it says, in whatever encoding", () =>
    Effect.gen(function*() {
      const server = yield* ImapServer.make()
      server.add("INBOX", day(1), letter)
      const all = yield* (yield* sourceOf(server, { initialMessages: 1, content: "all" })).deploy
      const { headers, ...event } = all.emitted[0]!.event
      assert.deepInclude(headers, ["Message-ID", "<letter@example.com>"])
      const size = letter.replaceAll("\n", "\r\n").length
      assert.deepStrictEqual(event, {
        uid: 1,
        folder: "INBOX",
        message_id: "<letter@example.com>",
        date: "2026-01-01T09:00:00.000Z",
        received_at: day(1).toISOString(),
        from: { name: "Jürgen", address: "j@example.com" },
        to: [{ name: "Ann", address: "ann@example.com" }, { name: "", address: "ben@example.com" }],
        subject: "Straße (1)",
        flags: [],
        size,
        text: "Grüße (2) {3}\n",
        html: "<b>Greetings</b>\n",
        attachments: [{ filename: "a.bin", mime_type: "application/octet-stream", size: 4, content: "AAECAw==" }],
        truncated: false
      })
      assert.deepStrictEqual(all.emitted[0]!.meta, {
        id: "127.0.0.1 ann INBOX 7 1",
        summary: "Straße (1)",
        ts: day(1).getTime()
      })
      const headersOnly = yield* (yield* sourceOf(server, { initialMessages: 1, content: "headers" })).deploy
      assert.doesNotHaveAnyKeys(headersOnly.emitted[0]!.event, ["text", "html", "attachments"])
      assert.deepInclude(headersOnly.emitted[0]!.event, { subject: "Straße (1)", truncated: false })
      server.add("INBOX", day(2), mail("long", "x".repeat(5_000)))
      const cut = yield* (yield* sourceOf(server, { initialMessages: 1, maxBytes: 1_000 })).deploy
      assert.isTrue(cut.emitted[0]!.event.truncated)
      assert.match(cut.emitted[0]!.event.text, /^x{500,999}\n$/)
    }).pipe(Polling.onTestClock))

  it.effect("is found by its time where the server numbers the messages anew, and none of before", () =>
    Effect.gen(function*() {
      const server = yield* ImapServer.make()
      for (const number of [-3, -2, -1]) server.add("INBOX", day(number), mail(`old ${number}`))
      const source = yield* sourceOf(server)
      const quiet = yield* sourceOf(server)
      yield* source.deploy
      yield* quiet.deploy
      server.add("INBOX", day(3), mail("new 3"))
      server.add("INBOX", day(4), mail("new 4"))
      assert.deepStrictEqual(subjectsOf(yield* source.tick), ["new 3", "new 4"])
      server.add("INBOX", day(4), mail("new 4 too"))
      server.remove("INBOX", 1)
      server.add("INBOX", day(5), mail("new 5"))
      server.renumber("INBOX")
      const renumbered = yield* source.tick
      // They are of the same second as the last that was seen, so nothing tells which of them were emitted.
      assert.deepStrictEqual(subjectsOf(renumbered), ["new 4", "new 4 too", "new 5"])
      assert.match(renumbered.logged.join(), /have other UIDs/)
      assert.deepStrictEqual(subjectsOf(yield* source.tick), [])
      server.add("INBOX", day(6), mail("new 6"))
      assert.deepStrictEqual(subjectsOf(yield* source.tick), ["new 6"])
      assert.deepStrictEqual(subjectsOf(yield* quiet.tick), [
        "new 3",
        "new 4",
        "new 4 too",
        "new 5",
        "new 6"
      ])
    }).pipe(Polling.onTestClock))

  it.effect("is looked for in a folder of any name, by criteria", () =>
    Effect.gen(function*() {
      const server = yield* ImapServer.make()
      const source = yield* sourceOf(server, { folder: "Entwürfe/2026", criteria: `SUBJECT "wanted"` })
      yield* source.deploy
      for (const subject of ["wanted 1", "other", "wanted 2"]) {
        server.add("Entw&APw-rfe/2026", day(1), mail(subject))
      }
      assert.deepStrictEqual(subjectsOf(yield* source.tick), ["wanted 1", "wanted 2"])
      assert.deepStrictEqual(subjectsOf(yield* source.tick), [])
    }).pipe(Polling.onTestClock))

  it.effect("that is more than fits into one run comes with the next ones", () =>
    Effect.gen(function*() {
      const server = yield* ImapServer.make()
      const source = yield* sourceOf(server)
      yield* source.deploy
      const subjects = Array.from({ length: 12 }, (_, index) => `large ${index}`)
      for (const [index, subject] of subjects.entries()) {
        server.add("INBOX", day(index + 1), mail(subject, `${"x".repeat(900)}\n`.repeat(999)))
      }
      const first = yield* source.tick
      assert.isBelow(first.emitted.length, 8)
      const found = [first, yield* source.tick, yield* source.tick].flatMap(subjectsOf)
      assert.deepStrictEqual(found, subjects)
    }).pipe(Polling.onTestClock))

  for (const security of ["tls", "starttls"]) {
    it.effect(`is fetched over ${security}, from a server whose certificate is right`, () =>
      Effect.gen(function*() {
        const server = yield* ImapServer.make({ tls: security === "tls", plugins: ["STARTTLS"] })
        server.add("INBOX", day(1), mail("secret"))
        const props = { security, initialMessages: 1 }
        const source = yield* sourceOf(server, { ...props, ca: authority })
        assert.deepStrictEqual(subjectsOf(yield* source.deploy), ["secret"])
        const unknown = yield* Effect.flip((yield* sourceOf(server, props)).deploy)
        assert.match(unknown.message, /certificate|issuer/i)
      }).pipe(Polling.onTestClock))
  }

  it.effect("is refused where it can't be had, without a word of the password", () =>
    Effect.gen(function*() {
      const server = yield* ImapServer.make()
      const refused = (props: Record<string, unknown>) =>
        Effect.flatMap(
          sourceOf(server, props),
          ({ deploy }) => Effect.map(Effect.flip(deploy), ({ message }) => message)
        )
      const denied = yield* refused({ password: "hush" })
      assert.match(denied, /^The server answers AUTHENTICATE with: NO /)
      assert.notInclude(denied, "hush")
      assert.match(yield* refused({ folder: "None" }), /^The server answers EXAMINE with: BAD Invalid mailbox/)
      assert.match(yield* refused({ criteria: "NONSENSE" }), /^The server answers UID with: /)
      assert.match(yield* refused({ criteria: "ALL\r\na9 LOGOUT" }), /criteria have to be ASCII/)
    }).pipe(Polling.onTestClock))

  it.effect("is read whatever a server says in between, and in whatever parts", () =>
    Effect.gen(function*() {
      const raw = "Subject: odd\r\n\r\na4 OK (not)\r\n* BYE \"{5}\r\n"
      const server = yield* ScriptedServer.make("* OK hello", {
        CAPABILITY: ["* CAPABILITY IMAP4rev1", "* OK [ALERT] Mind {the gap}", "TAG OK"],
        LOGIN: ["TAG OK"],
        EXAMINE: ["* 1 EXISTS", "* OK [UIDVALIDITY 4294967295] v", "TAG OK [READ-ONLY]"],
        "UID SEARCH": ["* SEARCH 2", "* 3 EXISTS", "* SEARCH 1", "* SEARCH", "TAG OK"],
        "UID FETCH 1": [
          "* 1 FETCH (FLAGS (\\Seen $Odd) UID 1)",
          "* 2 FETCH (UID 2 FLAGS () BODY[]<0> NIL)",
          `* 1 FETCH (uid 1 RFC822.SIZE ${raw.length} BODY[]<0> {${raw.length}}\r\n${raw} INTERNALDATE " 1-Nov-2026 09:55:08 +0100")`,
          "* 2 EXPUNGE",
          "TAG OK"
        ],
        "UID FETCH 2": ["TAG OK"]
      })
      const { emitted } = yield* (yield* sourceOf(server, { initialMessages: 2, password: "a\"b" })).deploy
      assert.deepStrictEqual(subjectsOf({ emitted }), ["odd"])
      assert.deepInclude(emitted[0]!.event, {
        received_at: "2026-11-01T08:55:08.000Z",
        flags: ["\\Seen", "$Odd"],
        text: "a4 OK (not)\n* BYE \"{5}\n"
      })
      assert.include(server.asked.join("\n"), `LOGIN "ann" "a\\"b"`)
      assert.isFalse(server.asked.some((line) => /STORE|SELECT|BODY\[/.test(line)))
    }).pipe(Polling.onTestClock))

  it.effect("goes on after the last that was emitted, where the connection was lost in the middle", () =>
    Effect.gen(function*() {
      const answers: Record<string, ReadonlyArray<string>> = {
        CAPABILITY: ["TAG OK"],
        EXAMINE: ["* OK [UIDVALIDITY 1]", "* OK [UIDNEXT 1]", "TAG OK"],
        "UID SEARCH": ["* SEARCH", "TAG OK"]
      }
      for (const uid of [1, 2, 3]) {
        const raw = mail(`number ${uid}`)
        answers[`UID FETCH ${uid}`] = [`* ${uid} FETCH (UID ${uid} BODY[] {${raw.length}}\r\n${raw})`, "TAG OK"]
      }
      const server = yield* ScriptedServer.make("* PREAUTH hello", answers)
      const source = yield* sourceOf(server)
      yield* source.deploy
      const second = answers["UID FETCH 2"]!
      answers["EXAMINE"] = ["* OK [UIDVALIDITY 1]", "* OK [UIDNEXT 4]", "TAG OK"]
      answers["UID SEARCH"] = ["* SEARCH 1 2 3", "TAG OK"]
      answers["UID FETCH 2"] = ["* BYE Für heute genug"]
      const cut = yield* source.tick
      assert.deepStrictEqual(subjectsOf(cut), ["number 1"])
      assert.match(cut.errors.join(), /ends the connection: .*Für heute genug/)
      answers["UID FETCH 2"] = [second[0]!.slice(0, -40), "CLOSE"]
      assert.match((yield* source.tick).errors.join(), /closed the connection/)
      answers["UID FETCH 2"] = ["TAG NO [UNAVAILABLE] later"]
      assert.match((yield* source.tick).errors.join(), /answers UID with: NO \[UNAVAILABLE\] later/)
      answers["UID FETCH 2"] = second
      assert.deepStrictEqual(subjectsOf(yield* source.tick), ["number 2", "number 3"])
      assert.lengthOf(server.asked.filter((line) => line.includes("UID FETCH 1 ")), 1)
      assert.isFalse(server.asked.some((line) => line.includes("LOGIN")))
    }).pipe(Polling.onTestClock))

  it.effect("that can't be read does not keep others: it comes without what it says", () =>
    Effect.gen(function*() {
      const server = yield* ImapServer.make()
      const source = yield* sourceOf(server, { maxBytes: 2_000_000 })
      yield* source.deploy
      server.add("INBOX", day(1), mail("too large", "\x01".repeat(1_900_000)))
      const nested = Array.from({ length: 300 }, (_, n) => `Content-Type: multipart/mixed; boundary=b${n}\n\n--b${n}\n`)
      server.add("INBOX", day(2), nested.join(""))
      server.add("INBOX", day(3), mail("good"))
      const { emitted, errors, logged } = yield* source.tick
      assert.deepStrictEqual(errors, [])
      assert.deepStrictEqual(emitted.map(({ event }) => event.subject ?? event.truncated), [true, true, "good"])
      assert.match(logged.join("\n"), /Message 1 .* too large[^]*Message 2 .* nesting/)
    }).pipe(Polling.onTestClock))

  it.effect("is not had from a server that refuses, asks for what there is not, or never ends", () =>
    Effect.gen(function*() {
      const failureWith = (greeting: string, answers: Record<string, ReadonlyArray<string>> = {}, password = "hush") =>
        Effect.gen(function*() {
          const server = yield* ScriptedServer.make(greeting, answers)
          const { message } = yield* Effect.flip((yield* sourceOf(server, { password })).deploy)
          assert.notInclude(message, "hush")
          return { asked: server.asked.join("\n"), message }
        })
      assert.match((yield* failureWith("* BYE full")).message, /refuses: \* BYE full/)
      const disabled = yield* failureWith("* OK", { CAPABILITY: ["* CAPABILITY LOGINDISABLED", "TAG OK"] })
      assert.match(disabled.message, /no password on this connection/)
      assert.notInclude(disabled.asked, "hush")
      const literals = { CAPABILITY: ["TAG OK"], LOGIN: ["+ go on"], "ann {5}": ["+ go on"], "hüsh": ["+ go on"] }
      const { asked, message } = yield* failureWith("* OK", literals, "hüsh")
      assert.match(message, /takes LOGIN for incomplete/)
      assert.include(asked, "LOGIN {3}\nann {5}\nhüsh")
      const endless = { CAPABILITY: Array.from({ length: 300 }, () => `* OK ${"x".repeat(100_000)}`) }
      assert.match((yield* failureWith("* OK", endless)).message, /sends more than 16777216 bytes/)
      assert.match(
        (yield* failureWith("* OK", { CAPABILITY: ["* X {99999999999}"].concat(endless.CAPABILITY) })).message,
        /more than/
      )
    }).pipe(Polling.onTestClock))
})

layer(
  Polling.layerNoSandbox.pipe(Layer.provideMerge(realSandbox({ allow: "loopback", limits: { cpuMillis: 1_500 } }))),
  { timeout: "60 seconds", excludeTestServices: true }
)("mail, with little time", (it) => {
  it.effect("that takes a run's whole time is emitted by the next one without what it says", () =>
    Effect.gen(function*() {
      const server = yield* ImapServer.make()
      const source = yield* sourceOf(server, { maxBytes: 2_000_000 })
      yield* source.deploy
      server.add("INBOX", day(1), mail("before"))
      server.add("INBOX", day(2), mail("endless", "\n".repeat(1_990_000)))
      server.add("INBOX", day(3), mail("after"))
      const ended = yield* source.tick
      assert.deepStrictEqual(subjectsOf(ended), ["before"])
      assert.match(ended.errors.join(), /processor|CPU/i)
      const next = yield* source.tick
      assert.deepStrictEqual(next.errors, [])
      assert.deepStrictEqual(next.emitted.map(({ event }) => [event.uid, event.subject]), [[2, undefined], [
        3,
        "after"
      ]])
    }).pipe(Polling.onTestClock))
})
