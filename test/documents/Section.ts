/** The section of a document with this title, with those below it. */
export const of = (document: string, title: string): string => {
  const [, section] = document.split(`\n## ${title}\n`)
  if (section === undefined) throw new Error(`The document has no section "${title}".`)
  return section.split("\n## ")[0]!
}
