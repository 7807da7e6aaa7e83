/** Headwater's own version, told in `User-Agent` and `platform_version`. */
export const version = "0.1.0"
