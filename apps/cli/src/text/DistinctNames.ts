/**
 * Gives each a name of its own: the first of a name has it as it is, the next ones with a number.
 *
 * @param options `isCaseless` where names that differ in small and large letters alone are one, as in some file systems
 */
export const make = ({ isCaseless = false, separator = "_" } = {}) => {
  const taken = new Set<string>()
  const keyOf = (name: string) => isCaseless ? name.toLowerCase() : name
  return (base: string): string => {
    let name = base
    for (let count = 2; taken.has(keyOf(name)); count++) name = `${base}${separator}${count}`
    taken.add(keyOf(name))
    return name
  }
}
