import { NewProgram } from "../parts/NewProgram.tsx"

/** Makes a workflow. */
export default () => <NewProgram kind="workflow" />
