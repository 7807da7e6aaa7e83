/**
 * The name by which the runtime imports the package `ws`; the address under which `Boot` has it ready comes in its
 * place.
 */
export const webSocketPackage = "headwater:ws"
