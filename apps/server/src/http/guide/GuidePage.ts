/** A page of the documentation, made of its Markdown. */
import { Marked, type Tokens } from "marked"

/** A heading, and the text up to the next one. */
export interface Section {
  /** The heading's name in a link; empty for the part before the first heading. */
  readonly anchor: string
  readonly depth: number
  readonly heading: string
  readonly text: string
}

export interface GuidePage {
  /** The last part of its address. */
  readonly name: string
  readonly title: string
  readonly html: string
  readonly sections: ReadonlyArray<Section>
}

const pageName = /^\/(?:docs\/)?([A-Za-z-]+)\.md$/

/** The name of the page that is made of a file, if one is. */
export const nameOf = (path: string): string | undefined => pageName.exec(`/${path}`)?.[1]

/** The way from a page to the root of the server. */
const up = "../.."

/** A link of a Markdown file, from the page that is made of it: to pages of the same kind, else to the files themselves. */
const linkFrom = (path: string, target: string): string => {
  if (/^([a-z]+:|#)/.test(target)) return target
  const { hash, pathname } = new URL(target, `file:///${path}`)
  const name = nameOf(pathname.slice(1))
  return name === undefined ? `${up}${pathname}${hash}` : `${name}${hash}`
}

/** Text of HTML without its marks, as it is read. */
const plain = (html: string): string =>
  html.replace(/<[^>]*>/g, "").replace(/&lt;/g, "<").replace(/&gt;/g, ">").replace(/&quot;/g, "\"")
    .replace(/&#39;/g, "'").replace(/&amp;/g, "&")

const anchorOf = (heading: string): string =>
  heading.toLowerCase().replace(/[^\p{L}\p{N}_\- ]/gu, "").replaceAll(" ", "-")

/** Names headings as they are named elsewhere, the second of a name with a number. */
const anchors = () => {
  const seen = new Map<string, number>()
  return (heading: string): string => {
    const anchor = anchorOf(heading)
    const times = seen.get(anchor) ?? 0
    seen.set(anchor, times + 1)
    return times === 0 ? anchor : `${anchor}-${times}`
  }
}

/** The keyboard scrolls parts that scroll sideways, and a column has a heading only if that says something. */
const forAll = (html: string): string =>
  html.replace(/<(pre|table)>/g, "<$1 tabindex=\"0\">").replaceAll("<th></th>", "<td></td>")

/** Makes the page of a file of the documentation. Its text is ours: HTML in it stays. */
export const make = (path: string, markdown: string): GuidePage => {
  const anchor = anchors()
  const marked = new Marked({
    walkTokens: (token) => {
      if (token.type === "link" || token.type === "image") token["href"] = linkFrom(path, token["href"])
      if (token.type === "html") {
        token["text"] = token["text"].replace(
          /\b(src|srcset)="([^":]+)"/g,
          (_: string, name: string, target: string) => `${name}="${linkFrom(path, target)}"`
        )
      }
    },
    renderer: {
      heading({ depth, tokens }: Tokens.Heading) {
        const html = this.parser.parseInline(tokens)
        const id = anchor(plain(html))
        return `<h${depth} id="${id}">${html}</h${depth}>\n`
      }
    }
  })
  const html = forAll(marked.parse(markdown, { async: false }))
  const sections = html.split(/(?=<h[1-6] id=")/).flatMap((part): ReadonlyArray<Section> => {
    const [, depth, id, heading, text] = /^<h(\d) id="([^"]*)">(.*?)<\/h\d>(.*)$/s.exec(part) ?? []
    if (depth !== undefined) {
      return [{ anchor: id!, depth: Number(depth), heading: plain(heading!), text: plain(text!) }]
    }
    return part.trim() === "" ? [] : [{ anchor: "", depth: 1, heading: "", text: plain(part) }]
  })
  return {
    name: nameOf(path)!,
    title: sections.find(({ heading }) => heading !== "")?.heading ?? path,
    html,
    sections
  }
}
