import { NewProgram } from "../parts/NewProgram.tsx"

/** Makes a source. */
export default () => <NewProgram kind="source" />
