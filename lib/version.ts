/** The version of this service, as GET /api/health tells it. */
export const VERSION = "0.1.0";
