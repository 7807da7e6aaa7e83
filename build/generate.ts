/** `npm run generate`: generates the clients' types and methods. */
import * as Clients from "./Clients.ts"

await Clients.generate()
