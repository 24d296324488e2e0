import type { SessionClient } from "../../../lib/access/session_start.ts";

/** A client for tests that call domain functions directly. Its browser presents nothing. */
export const SOME_CLIENT: SessionClient = {
  address: "192.0.2.1",
  userAgent: null,
  deviceTokens: [],
  presentedSessionIds: [],
};
