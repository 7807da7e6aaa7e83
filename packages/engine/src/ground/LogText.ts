const longest = 500

/** Text that component code or an endpoint chose, as it may stand in a log line: one line, no control characters. */
export const make = (text: string): string => {
  const plain = text.replace(/[\p{Cc}\u2028\u2029]+/gu, " ")
  return plain.length > longest ? `${plain.slice(0, longest)}…` : plain
}
