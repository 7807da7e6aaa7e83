/** The program of a sandbox process. */
import { hideHost, loadRuntime } from "./HostHiding.ts"

hideHost()
void loadRuntime()
