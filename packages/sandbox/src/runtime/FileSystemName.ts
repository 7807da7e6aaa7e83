/** The property of the global object in which `Boot` leaves the text of `FileSystem.ts` to the runtime. */
export const fileSystemText = "headwater:files"
