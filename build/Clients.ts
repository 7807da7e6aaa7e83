import * as PythonClient from "../clients/python/generator/Generation.ts"
import * as Client from "../packages/client/build/Generation.ts"

/** Generates those parts of the clients that are made from the OpenAPI document and are not in the repository. */
export const generate = async (): Promise<void> => {
  await Client.generate()
  await PythonClient.generate()
}
