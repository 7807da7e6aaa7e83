import { assert, it } from "@effect/vitest"
import { ByteRoom } from "./BodyRoom.ts"

it("an account's bodies wait once it has as many bytes as it may, and others' do not", () => {
  const room = new ByteRoom(100, 1_000)
  const letIn: Array<string> = []
  assert.isTrue(room.take("ann", 60))
  assert.isFalse(room.take("ann", 60))
  room.wait("ann", 60, () => letIn.push("a2"))
  const leave = room.wait("ann", 10, () => letIn.push("a3"))
  room.wait("ann", 30, () => letIn.push("a4"))
  assert.isTrue(room.take("bob", 100))
  // What would fit does not pass what waits before it.
  assert.isFalse(room.take("ann", 1))
  leave()
  room.giveBack("ann", 60)
  assert.deepStrictEqual(letIn, ["a2", "a4"])
})

it("a body larger than an account may have is let in by itself", () => {
  const room = new ByteRoom(100, 1_000)
  assert.isTrue(room.take("ann", 500))
  assert.isFalse(room.take("ann", 1))
})

it("the room of all goes to accounts in turn", () => {
  const room = new ByteRoom(100, 100)
  const letIn: Array<string> = []
  assert.isTrue(room.take("ann", 100))
  for (const name of ["a1", "a2"]) room.wait("ann", 50, () => letIn.push(name))
  for (const name of ["b1", "b2"]) room.wait("bob", 50, () => letIn.push(name))
  room.giveBack("ann", 100)
  assert.deepStrictEqual(letIn, ["a1", "b1"])
  room.giveBack("ann", 50)
  room.giveBack("bob", 50)
  assert.deepStrictEqual(letIn, ["a1", "b1", "a2", "b2"])
})
