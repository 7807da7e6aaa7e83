/**
 * Files that only a passphrase opens. A header of 38 bytes (`HWSEAL`, the version 1, the costs log2 N, r and p of scrypt, a
 * salt of 16 bytes, an initialisation vector of 12) is followed by the content under AES-256-GCM, and its tag of 16 bytes. The
 * tag covers the header, too.
 */
import { Effect, FileSystem, Option, Redacted, Schema } from "effect"
import { createCipheriv, createDecipheriv, randomBytes, scrypt } from "node:crypto"
import { CommandRefused } from "../CommandRefused.ts"

const magic = Buffer.from("HWSEAL")
const version = 1
const headerBytes = magic.length + 4 + 16 + 12
const tagBytes = 16

/** The most bytes of such a file. */
const mostBytes = 64 * 1024 * 1024

const refuse = (message: string) => new CommandRefused({ message })

interface Cost {
  readonly logN: number
  readonly r: number
  readonly p: number
}

const usualCost: Cost = { logN: 17, r: 8, p: 1 }

const keyOf = (passphrase: Redacted.Redacted, salt: Uint8Array, { logN, p, r }: Cost) =>
  Effect.callback<Buffer>((resume) =>
    scrypt(
      Redacted.value(passphrase).trim().normalize("NFC"),
      salt,
      32,
      { N: 2 ** logN, r, p, maxmem: 256 * r * 2 ** logN },
      (error, key) => resume(error === null ? Effect.succeed(key) : Effect.die(error))
    )
  )

/** Seals bytes. */
export const seal = Effect.fnUntraced(function*(
  passphrase: Redacted.Redacted,
  content: Uint8Array,
  cost: Cost = usualCost
) {
  const salt = randomBytes(16)
  const vector = randomBytes(12)
  const header = Buffer.concat([magic, Buffer.from([version, cost.logN, cost.r, cost.p]), salt, vector])
  const cipher = createCipheriv("aes-256-gcm", yield* keyOf(passphrase, salt, cost), vector)
  cipher.setAAD(header)
  return Buffer.concat([header, cipher.update(content), cipher.final(), cipher.getAuthTag()])
})

/** Opens what was sealed. */
export const open = Effect.fnUntraced(function*(file: string, passphrase: Redacted.Redacted, sealed: Uint8Array) {
  const bytes = Buffer.from(sealed)
  const [sealedVersion, logN = 0, r = 0, p = 0] = bytes.subarray(magic.length, magic.length + 4)
  if (bytes.length < headerBytes + tagBytes || !bytes.subarray(0, magic.length).equals(magic)) {
    return yield* refuse(`${file} is no sealed file`)
  }
  if (sealedVersion !== version) {
    return yield* refuse(`${file} was sealed in version ${sealedVersion}, which this program does not open`)
  }
  // A file from elsewhere could ask for all memory and an hour.
  if (logN < 1 || logN > 19 || r < 1 || r > 8 || p < 1 || p > 4) return yield* refuse(`${file} is no sealed file`)
  const salt = bytes.subarray(magic.length + 4, magic.length + 20)
  const vector = bytes.subarray(magic.length + 20, headerBytes)
  const decipher = createDecipheriv("aes-256-gcm", yield* keyOf(passphrase, salt, { logN, r, p }), vector)
  decipher.setAAD(bytes.subarray(0, headerBytes))
  decipher.setAuthTag(bytes.subarray(-tagBytes))
  return yield* Effect.try({
    try: () =>
      new Uint8Array(Buffer.concat([decipher.update(bytes.subarray(headerBytes, -tagBytes)), decipher.final()])),
    catch: () => refuse(`${file} is not opened by this passphrase, or is damaged`)
  })
})

const Content = Schema.fromJsonString(Schema.Json)

/** Reads the JSON value of a sealed file; none if there is no file. */
export const read = Effect.fnUntraced(function*(file: string, passphrase: Redacted.Redacted) {
  const files = yield* FileSystem.FileSystem
  const info = yield* Effect.option(files.stat(file))
  if (Option.isNone(info)) return Option.none<Schema.Json>()
  if (info.value.size > mostBytes) return yield* refuse(`${file} is larger than ${mostBytes} bytes`)
  const sealed = yield* Effect.mapError(files.readFile(file), ({ message }) => refuse(message))
  const text = new TextDecoder().decode(yield* open(file, passphrase, sealed))
  return Option.some(yield* Effect.mapError(Schema.decodeEffect(Content)(text), () => refuse(`${file} holds no JSON`)))
})

/** The bytes of a sealed file with a JSON value. */
export const sealJson = (passphrase: Redacted.Redacted, value: Schema.Json, cost?: Cost) =>
  seal(passphrase, new TextEncoder().encode(JSON.stringify(value)), cost)
