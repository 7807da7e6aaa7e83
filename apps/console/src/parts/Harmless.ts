/**
 * Characters that can't be seen, or that change how others are shown: controls, and marks of direction. With them, a
 * name or a payload could pass for another.
 */
const hidden =
  // oxlint-disable-next-line no-control-regex
  /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u00ad\u061c\u180e\u200b-\u200f\u2028-\u202f\u2060-\u206f\ufeff\ufff9-\ufffb]/g

const written = (character: string): string => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`

/** Makes foreign text safe to show: invisible characters are written as escapes. */
export const harmless = (text: string): string => text.toWellFormed().replace(hidden, written)
