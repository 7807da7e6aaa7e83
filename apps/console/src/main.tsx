import { render } from "preact"
import { followLinks } from "./api/Address.ts"
import * as Presence from "./api/Presence.ts"
import * as Session from "./api/Session.ts"
import * as Clock from "./resources/Clock.ts"
import { Shell } from "./Shell.tsx"

followLinks()
Clock.start()
Presence.start()
void Session.find()
render(<Shell />, document.getElementById("console")!)
