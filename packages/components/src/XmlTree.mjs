/** XML as feed readers take it: what is not well formed is read for what it most likely means. */
import { decodeHTMLStrict } from "entities"
import { Parser } from "htmlparser2"

/** As deep as elements may be in each other. */
const maxDepth = 1_000

/** As many characters as a document's own entities may add to it. */
const maxExpansion = 1_000_000

export const resolved = (link, base) => URL.canParse(link, base) ? new URL(link, base).href : link

class XmlText {
  #document

  /** @param isVerbatim in CDATA, where it has no entities and blanks count */
  constructor(document, isVerbatim) {
    this.#document = document
    this.isVerbatim = isVerbatim
    this.written = ""
  }

  get isBlank() {
    return !this.isVerbatim && this.written.trim() === ""
  }

  get text() {
    return this.textWithout([])
  }

  /** @param trims methods of strings that take blanks away */
  textWithout(trims) {
    if (this.isVerbatim) return this.written
    return this.#document.decoded(trims.reduce((text, trim) => text[trim](), this.written))
  }
}

class XmlElement {
  #document
  #prefixes
  /** Elements, and text between them, in order. */
  children = []
  /** Where its content begins and ends in the document. */
  from = 0
  to = 0

  /** @param name as it is written, with its prefix */
  constructor(document, parent, name, attributes) {
    this.#document = document
    this.attributes = new Map(
      Object.entries(attributes).map(([key, value]) => [key.toLowerCase(), document.decoded(value).trim()])
    )
    const declared = [...this.attributes].filter(([key]) => key === "xmlns" || key.startsWith("xmlns:"))
      .map(([key, value]) => [key.slice(6), value])
    const around = parent?.prefixes ?? new Map()
    this.#prefixes = declared.length === 0 ? around : new Map([...around, ...declared])
    const [local, prefix = ""] = name.toLowerCase().split(":").toReversed()
    this.prefix = prefix
    this.local = local
    /** A prefix that is not declared stands for itself. */
    this.namespace = this.#prefixes.get(prefix) ?? prefix
    const base = this.attributes.get("xml:base")
    this.base = base === undefined ? parent?.base ?? document.url : resolved(base, parent?.base ?? document.url)
  }

  get prefixes() {
    return this.#prefixes
  }

  get elements() {
    return this.children.filter((child) => child instanceof XmlElement)
  }

  /** All text in it, that of its elements included. */
  get wholeText() {
    return this.children.map((child) => child instanceof XmlText ? child.text : child.wholeText).join("")
  }

  /** The same without the blanks around it. */
  get text() {
    const isFull = (child) => !(child instanceof XmlText && child.isBlank)
    const from = this.children.findIndex(isFull)
    const to = this.children.findLastIndex(isFull)
    return this.children.slice(Math.max(0, from), to + 1).map((child, index, { length }) => {
      if (child instanceof XmlElement) return child.wholeText
      const trims = [...(index === 0 ? ["trimStart"] : []), ...(index === length - 1 ? ["trimEnd"] : [])]
      return child.textWithout(trims)
    }).join("")
  }

  /** What is between its tags, as it is written. */
  get markup() {
    return this.#document.text.slice(this.from, this.to).trim()
  }

  /** The value of an attribute of a namespace. */
  attributeOf(namespace, local) {
    for (const [key, value] of this.attributes) {
      const [name, prefix] = key.split(":").toReversed()
      if (name === local && prefix !== undefined && this.#prefixes.get(prefix) === namespace) return value
    }
    return undefined
  }

  /** The first element that passes a test, this one and what is in it looked at in order. */
  find(test) {
    if (test(this)) return this
    for (const element of this.elements) {
      const found = element.find(test)
      if (found !== undefined) return found
    }
    return undefined
  }
}

class XmlDocument {
  #entities = new Map()
  #expansion = 0

  /** @param url where it is from */
  constructor(text, url) {
    this.url = url
    // XML 1.0, 2.11 has one kind of line break.
    const plain = text.replaceAll(/\r\n?/g, "\n")
    const prolog = plain.slice(0, Math.max(0, plain.search(/<[a-z_]/i)))
    // The parser takes what a document type holds for text.
    this.text = prolog.replace(/<!DOCTYPE[^[>]*(?:\[([^]*)\]\s*)?>/i, (_, subset = "") => {
      for (const [, name, quoted] of subset.matchAll(/<!ENTITY\s+([\w.:-]+)\s+("[^"]*"|'[^']*')\s*>/g)) {
        this.#entities.set(name, quoted.slice(1, -1))
      }
      return ""
    }) + plain.slice(prolog.length)
  }

  /** Text without its entities: those of HTML are known in any document. */
  decoded(text) {
    if (!text.includes("&")) return text
    const own = (written, name) => {
      const value = this.#entities.get(name)
      if (value === undefined || this.#expansion + value.length > maxExpansion) return written
      this.#expansion += value.length
      return value
    }
    return decodeHTMLStrict(this.#entities.size === 0 ? text : text.replaceAll(/&([\w.:-]+);/g, own))
  }
}

/**
 * Reads XML. The element that it gives holds all others of the document, of which there may be several at the top.
 *
 * @param url what `xml:base` begins with
 */
export const parse = (text, url) => {
  const document = new XmlDocument(text, url)
  const top = new XmlElement(document, undefined, "", {})
  const open = [top]
  let isVerbatim = false
  const parser = new Parser({
    onopentag: (name, attributes) => {
      const element = new XmlElement(document, open.at(-1), name, attributes)
      element.from = element.to = parser.endIndex + 1
      open.at(-1).children.push(element)
      open.push(element)
      if (open.length > maxDepth) throw new Error(`its elements are more than ${maxDepth} deep`)
    },
    onclosetag: () => {
      const element = open.pop()
      element.to = Math.max(element.from, parser.startIndex)
    },
    oncdatastart: () => {
      isVerbatim = true
    },
    oncdataend: () => {
      isVerbatim = false
    },
    ontext: (written) => {
      const { children } = open.at(-1)
      const last = children.at(-1)
      // The parser gives it in pieces.
      const isSame = last instanceof XmlText && last.isVerbatim === isVerbatim
      const text = isSame ? last : new XmlText(document, isVerbatim)
      if (!isSame) children.push(text)
      text.written += written
    }
  }, { xmlMode: true, decodeEntities: false })
  parser.end(document.text)
  return top
}

/** The text that a reader of HTML sees, in one line. */
export const textOfHtml = (html) => {
  let text = ""
  new Parser({
    ontext: (part) => {
      text += part
    }
  }).end(html)
  return text.replaceAll(/[ \t\n\f\r]+/g, " ").trim()
}
