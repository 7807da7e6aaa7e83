import { JsonDocument } from "./JsonDocument.ts"
import * as TextComparison from "./TextComparison.ts"
import type { Work } from "./Work.ts"

/** Objects and lists with more keys or elements are searched by an index. */
const mostScanned = 32

/** The first characters of a key, at most so many, decide its place in an index. A key of no more is compared at once. */
const hashed = 64

const hashOf = (name: string): number => {
  let hash = name.length
  const length = Math.min(name.length, hashed)
  for (let i = 0; i < length; i++) hash = Math.imul(hash ^ name.charCodeAt(i), 0x01000193)
  return hash ^ hash >>> 15
}

/** The keys of a large object, by their hashes: each slot has a key, and behind it the key's hash. */
interface Keys {
  readonly slots: Int32Array
  /** One less than the number of slots, which is a power of 2. */
  readonly mask: number
  /** The number of different keys. */
  count: number
}

/** Finds values in the objects and lists of a JSON document, in small steps. Of equal keys, the last one counts. */
export class JsonLookup {
  readonly document: JsonDocument
  private readonly work: Work
  private keys: Map<number, Keys> | undefined
  private elements: Map<number, Int32Array> | undefined
  /** The characters of texts that have escapes. */
  private texts: Map<number, string> | undefined

  constructor(document: JsonDocument, work: Work) {
    this.document = document
    this.work = work
  }

  /** The characters of a text. */
  *textOf(value: number): Generator<void, string> {
    const { document } = this
    if (!document.hasEscapes(value)) return document.rawOf(value)
    const known = this.texts?.get(value)
    if (known !== undefined) return known
    const text = yield* document.textOf(value, this.work)
    this.texts ??= new Map()
    this.texts.set(value, text)
    return text
  }

  /** The value that an object has under a name, or `JsonDocument.nothing`. */
  *field(object: number, name: string): Generator<void, number> {
    const { document } = this
    if (document.countOf(object) > mostScanned) {
      const { mask, slots } = yield* this.keysOf(object)
      const key = slots[yield* this.slotOf(slots, mask, name)]!
      return key === 0 ? JsonDocument.nothing : key + 1
    }
    let found = JsonDocument.nothing
    let key = object + 1
    for (let left = document.countOf(object); left > 0; left--) {
      if (this.isKeyAtOnce(key, name) ?? (yield* this.isKey(key, name))) found = key + 1
      key = document.behind(key + 1)
    }
    return found
  }

  /** The element of a list at a place, or `JsonDocument.nothing`. */
  *element(list: number, index: number): Generator<void, number> {
    const { document, work } = this
    const count = document.countOf(list)
    if (index >= count) return JsonDocument.nothing
    if (index > mostScanned) return (yield* this.elementsOf(list, count))[index]!
    let value = list + 1
    for (let left = index; left > 0; left--) {
      if (work.spend(1)) yield work.rest()
      value = document.behind(value)
    }
    return value
  }

  /** The number of different keys of an object. */
  *size(object: number): Generator<void, number> {
    const { document } = this
    const count = document.countOf(object)
    if (count > mostScanned) return (yield* this.keysOf(object)).count
    let size = 0
    let key = object + 1
    for (let left = count; left > 0; left--) {
      if ((yield* this.field(object, yield* this.textOf(key))) === key + 1) size += 1
      key = document.behind(key + 1)
    }
    return size
  }

  /** Says whether a key is this name; undefined if that can't be told quickly. */
  private isKeyAtOnce(key: number, name: string): boolean | undefined {
    const { document } = this
    this.work.spend(1)
    if (document.hasEscapes(key)) return undefined
    if (document.lengthOf(key) !== name.length) return false
    return name.length > hashed ? undefined : document.isRaw(key, name)
  }

  private *isKey(key: number, name: string): Generator<void, boolean> {
    return yield* TextComparison.isSame(yield* this.textOf(key), name, this.work)
  }

  /** The slot that a name is in, or the free one where it would be. */
  private *slotOf(slots: Int32Array, mask: number, name: string): Generator<void, number> {
    const hash = hashOf(name)
    let slot = (hash & mask) * 2
    while (slots[slot] !== 0) {
      if (this.work.spend(1)) yield this.work.rest()
      const mayBe = slots[slot + 1] === hash
      if (mayBe && (this.isKeyAtOnce(slots[slot]!, name) ?? (yield* this.isKey(slots[slot]!, name)))) return slot
      slot = (slot + 2) & (mask * 2 + 1)
    }
    return slot
  }

  private *keysOf(object: number): Generator<void, Keys> {
    const known = this.keys?.get(object)
    if (known !== undefined) return known
    const { document, work } = this
    let size = 1
    while (size < document.countOf(object) * 2) size *= 2
    const keys: Keys = { slots: new Int32Array(size * 2), mask: size - 1, count: 0 }
    let key = object + 1
    for (let left = document.countOf(object); left > 0; left--) {
      if (work.spend(4)) yield work.rest()
      const name = yield* this.textOf(key)
      const slot = yield* this.slotOf(keys.slots, keys.mask, name)
      if (keys.slots[slot] === 0) keys.count += 1
      keys.slots[slot] = key
      keys.slots[slot + 1] = hashOf(name)
      key = document.behind(key + 1)
    }
    this.keys ??= new Map()
    this.keys.set(object, keys)
    return keys
  }

  private *elementsOf(list: number, count: number): Generator<void, Int32Array> {
    const known = this.elements?.get(list)
    if (known !== undefined) return known
    const elements = new Int32Array(count)
    let value = list + 1
    for (let index = 0; index < count; index++) {
      if (this.work.spend(1)) yield this.work.rest()
      elements[index] = value
      value = this.document.behind(value)
    }
    this.elements ??= new Map()
    this.elements.set(list, elements)
    return elements
  }
}
