import { createHash, generateKeyPairSync, type KeyObject, randomBytes, sign } from "node:crypto"
import { createSecureContext, type SecureContext } from "node:tls"

/** Gives out certificates for any host, which only those accept who trust this authority. */
export interface TestAuthority {
  /** PEM text. */
  readonly certificate: string
  readonly contextOf: (host: string) => SecureContext
}

/** DER: a value by its tag, or one made of others (ITU-T X.690). */
const der = (tag: number, ...parts: ReadonlyArray<Uint8Array>): Buffer => {
  const content = Buffer.concat(parts)
  const { length } = content
  const lengthBytes = length < 128 ? [length] : length < 256 ? [0x81, length] : [0x82, length >> 8, length & 255]
  return Buffer.concat([Buffer.from([tag, ...lengthBytes]), content])
}

const sequence = (...parts: ReadonlyArray<Uint8Array>) => der(0x30, ...parts)
const set = (...parts: ReadonlyArray<Uint8Array>) => der(0x31, ...parts)
const oid = (hex: string) => der(0x06, Buffer.from(hex, "hex"))
const octets = (bytes: Uint8Array) => der(0x04, bytes)
const time = (date: Date) => der(0x18, Buffer.from(date.toISOString().replaceAll(/[-:T]|\.\d+/g, "")))
const isTrue = der(0x01, Buffer.from([0xff]))
const bits = (bytes: Uint8Array, unused = 0) => der(0x03, Buffer.from([unused]), bytes)

const ecdsaWithSha256 = sequence(oid("2a8648ce3d040302"))
const basicConstraints = oid("551d13")
const keyUsage = oid("551d0f")
const subjectAltName = oid("551d11")
const subjectKeyIdentifier = oid("551d0e")
const authorityKeyIdentifier = oid("551d23")

/** A name of one part, its common name. */
const nameOf = (text: string) => sequence(set(sequence(oid("550403"), der(0x0c, Buffer.from(text)))))
const issuer = nameOf("Headwater testing")

const dayMs = 86_400_000

/** A certificate of X.509, version 3 (RFC 5280, section 4.1), valid by the time of the system, whatever it is in a test. */
const certify = (subject: Buffer, key: KeyObject, by: KeyObject, extensions: ReadonlyArray<Buffer>): string => {
  const now = Date.now()
  const toSign = sequence(
    der(0xa0, der(0x02, Buffer.from([2]))),
    der(0x02, Buffer.from([1]), randomBytes(15)),
    ecdsaWithSha256,
    issuer,
    sequence(time(new Date(now - dayMs)), time(new Date(now + 30 * dayMs))),
    subject,
    key.export({ type: "spki", format: "der" }),
    der(0xa3, sequence(...extensions))
  )
  const text = sequence(toSign, ecdsaWithSha256, bits(sign("sha256", toSign, by))).toString("base64")
  return `-----BEGIN CERTIFICATE-----\n${text.match(/.{1,64}/g)!.join("\n")}\n-----END CERTIFICATE-----\n`
}

const newKeys = () => generateKeyPairSync("ec", { namedCurve: "P-256" })

const identify = (key: KeyObject) => createHash("sha1").update(key.export({ type: "spki", format: "der" })).digest()

export const make = (): TestAuthority => {
  const own = newKeys()
  const identity = identify(own.publicKey)
  const certificate = certify(issuer, own.publicKey, own.privateKey, [
    sequence(basicConstraints, isTrue, octets(sequence(isTrue))),
    sequence(keyUsage, isTrue, octets(bits(Buffer.from([0x04]), 2))),
    sequence(subjectKeyIdentifier, octets(octets(identity)))
  ])
  const contexts = new Map<string, SecureContext>()
  const issue = (host: string) => {
    const { privateKey, publicKey } = newKeys()
    const cert = certify(nameOf("A host"), publicKey, own.privateKey, [
      sequence(subjectAltName, octets(sequence(der(0x82, Buffer.from(host))))),
      sequence(authorityKeyIdentifier, octets(sequence(der(0x80, identity))))
    ])
    return createSecureContext({ key: privateKey.export({ type: "pkcs8", format: "pem" }), cert })
  }
  return {
    certificate,
    contextOf: (host) => {
      const context = contexts.get(host) ?? issue(host)
      contexts.set(host, context)
      return context
    }
  }
}
