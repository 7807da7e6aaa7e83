import { render } from "preact"
import { followLinks } from "./Address.ts"
import * as Clock from "./Clock.ts"
import * as Presence from "./Presence.ts"
import * as Session from "./Session.ts"
import { Shell } from "./Shell.tsx"

followLinks()
Clock.start()
Presence.start()
void Session.find()
render(<Shell />, document.getElementById("console")!)
