/** The package `ws` as a module of its own, because most processes never need it. */
export { WebSocket } from "ws"
