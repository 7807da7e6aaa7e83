/** The build makes it from the declarations of `@headwater/component`. */
declare module "headwater:component-types" {
  import type { Types } from "./ComponentTypes.ts"
  const types: Types
  export default types
}
