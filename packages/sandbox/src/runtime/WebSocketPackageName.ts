/** What the runtime imports the package `ws` as; in its place comes the address under which `Boot` has it ready. */
export const webSocketPackage = "headwater:ws"
