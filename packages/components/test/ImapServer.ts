import { certificate, privateKey } from "@headwater/fixtures/TestCertificate"
import { Effect, type Scope } from "effect"
import { createRequire } from "node:module"
import type * as Net from "node:net"

interface Mailbox {
  uidvalidity: number
  uidnext: number
  readonly messages: Array<{ uid: number }>
}

/** As much as is used here of the package, which has no types. */
interface Hoodiecrow {
  readonly server: Net.Server
  getMailbox(path: string): Mailbox
  appendMessage(path: string, flags: ReadonlyArray<string>, internalDate: Date, raw: string): unknown
}

const hoodiecrow: (options: unknown) => Hoodiecrow = createRequire(import.meta.url)("hoodiecrow-imap")

export interface ImapServer {
  readonly port: number
  readonly add: (folder: string, receivedAt: Date, raw: string) => void
  readonly remove: (folder: string, uid: number) => void
  /** Has the folder's messages numbered anew, as a server does that has lost their UIDs. */
  readonly renumber: (folder: string) => void
}

export const user = "ann"
export const password = `p"ass\\wörd`

const latin1 = (text: string) => Buffer.from(text).toString("latin1")

/** A mailbox with the folders INBOX and Entwürfe/2026, on loopback. */
export const make = (options: {
  readonly tls?: boolean
  /** Extensions, by the server's names of them. */
  readonly plugins?: ReadonlyArray<string>
} = {}): Effect.Effect<ImapServer, never, Scope.Scope> =>
  Effect.acquireRelease(
    Effect.callback<ImapServer & { readonly close: Effect.Effect<void> }>((resume) => {
      const plugins = options.plugins ?? ["AUTH-PLAIN"]
      const imap = hoodiecrow({
        plugins,
        secureConnection: options.tls === true,
        credentials: { key: privateKey, cert: certificate },
        // It reads what LOGIN sends as Latin-1.
        users: { [user]: { password: plugins.includes("AUTH-PLAIN") ? password : latin1(password) } },
        storage: {
          INBOX: { uidvalidity: 7, messages: [] },
          "": { separator: "/", folders: { "Entw&APw-rfe": { folders: { "2026": { messages: [] } } } } }
        }
      })
      const open = new Set<Net.Socket>()
      imap.server.on("connection", (socket) => {
        open.add(socket)
        socket.once("close", () => open.delete(socket))
      })
      imap.server.listen(0, "127.0.0.1", () => {
        const address = imap.server.address()
        resume(Effect.succeed({
          port: typeof address === "object" && address !== null ? address.port : 0,
          add: (folder, receivedAt, raw) =>
            void imap.appendMessage(folder, [], receivedAt, raw.replaceAll("\n", "\r\n")),
          remove: (folder, uid) => {
            const { messages } = imap.getMailbox(folder)
            messages.splice(messages.findIndex((message) => message.uid === uid), 1)
          },
          renumber: (folder) => {
            const mailbox = imap.getMailbox(folder)
            mailbox.uidvalidity++
            for (const [index, message] of mailbox.messages.entries()) message.uid = index + 1
            mailbox.uidnext = mailbox.messages.length + 1
          },
          close: Effect.callback<void>((closed) => {
            for (const socket of open) socket.destroy()
            imap.server.close(() => closed(Effect.void))
          })
        }))
      })
    }),
    ({ close }) => close
  )
