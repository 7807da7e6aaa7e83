/** The name under which the runtime finds the interpreter, and takes it away from code that comes after. */
export const handedOver = "headwater:interpreter"
