/** Text from elsewhere without what a terminal would act on. */
export const harmless = (text: string): string =>
  // oxlint-disable-next-line no-control-regex
  text.replace(/[\u0000-\u0009\u000b-\u001f\u007f-\u009f]/g, "\ufffd")
