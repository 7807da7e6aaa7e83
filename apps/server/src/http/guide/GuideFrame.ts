/** The HTML around a page of the documentation, with the contents of all and of this one. */
import type { GuidePage } from "./GuidePage.ts"
import { type Found, wordsOf } from "./GuideSearch.ts"

/** The files of the console that a page loads, by their addresses from the page. */
export interface Assets {
  readonly theme: string
  readonly style: string
  readonly icon: string
}

export const escape = (text: string): string =>
  text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;").replaceAll("\"", "&quot;")

const item = (href: string, text: string, attributes = "") =>
  `<li><a href="${href}"${attributes}>${escape(text)}</a></li>`

const sectionList = ({ sections }: GuidePage): string =>
  sections.filter(({ depth }) => depth === 2 || depth === 3).map(({ anchor, depth, heading }) =>
    `<li${depth === 3 ? ` class="deeper"` : ""}><a href="#${anchor}">${escape(heading)}</a></li>`
  ).join("")

interface Framed {
  readonly title: string
  readonly body: string
  /** The page that this is, if it is one. */
  readonly page?: GuidePage
  readonly query?: string
}

/** A whole document. */
export const make = (pages: ReadonlyArray<GuidePage>, assets: Assets, { body, page, query = "", title }: Framed) =>
  `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${escape(title)} · Headwater</title>
<script src="${assets.theme}"></script>
<link rel="icon" type="image/svg+xml" href="${assets.icon}">
<link rel="stylesheet" href="${assets.style}">
</head>
<body>
<header class="contents">
<a class="brand" href="../"><img src="${assets.icon}" alt="" width="20" height="20">Headwater</a>
<form action="search" role="search"><input type="search" name="q" value="${
    escape(query)
  }" placeholder="Search the documentation" aria-label="Search the documentation"></form>
<nav aria-label="Pages"><ul>${
    pages.map((one) => item(one.name, one.title, one.name === page?.name ? " aria-current=\"page\"" : "")).join("")
  }${item("../../docs", "API reference")}</ul></nav>
</header>
<main>${body}</main>
${page === undefined ? "" : `<nav class="sections" aria-label="On this page"><ul>${sectionList(page)}</ul></nav>`}
</body>
</html>
`

const marked = (text: string, words: ReadonlyArray<string>): string => {
  const pattern = words.map((word) => word.replaceAll(/[\\^$.*+?()[\]{}|]/g, "\\$&")).join("|")
  return text.split(new RegExp(`(${pattern})`, "gi")).map((part, index) =>
    index % 2 === 1 ? `<mark>${escape(part)}</mark>` : escape(part)
  ).join("")
}

/** The sections that a search has found. */
export const resultsOf = (found: ReadonlyArray<Found>, query: string): string => {
  const words = wordsOf(query)
  const heading = `<h1>Search</h1>`
  if (words.length === 0) return `${heading}<p>Look for words, or for the text of a message.</p>`
  if (found.length === 0) return `${heading}<p>No section has all of: <b>${escape(query)}</b></p>`
  return heading +
    found.map(({ excerpt, page, section }) =>
      `<h2 class="found"><a href="${page.name}${section.anchor === "" ? "" : `#${section.anchor}`}">${
        escape(page.title)
      }${section.heading === page.title || section.heading === "" ? "" : ` · ${escape(section.heading)}`}</a></h2><p>${
        marked(excerpt, words)
      }</p>`
    ).join("")
}
