/** The types of files that others often read at a URL, by the endings of their names. */
const types: Readonly<Record<string, string>> = {
  css: "text/css; charset=utf-8",
  csv: "text/csv; charset=utf-8",
  gif: "image/gif",
  html: "text/html; charset=utf-8",
  jpeg: "image/jpeg",
  jpg: "image/jpeg",
  js: "text/javascript; charset=utf-8",
  json: "application/json",
  md: "text/markdown; charset=utf-8",
  mp3: "audio/mpeg",
  mp4: "video/mp4",
  pdf: "application/pdf",
  png: "image/png",
  svg: "image/svg+xml",
  txt: "text/plain; charset=utf-8",
  webp: "image/webp",
  xml: "application/xml",
  zip: "application/zip"
}

const endings = new Map(Object.entries(types))

/** The type of bytes of which nothing is known. */
export const any = "application/octet-stream"

/** The type of a file by the ending of its path; that of bytes if it tells nothing. */
export const ofPath = (path: string): string => endings.get(/\.([^./]+)$/.exec(path)?.[1]?.toLowerCase() ?? "") ?? any
