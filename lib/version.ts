/** The version of this service, as reported by GET /api/health. */
export const VERSION = "0.1.0";
