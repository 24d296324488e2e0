import type { CDPSession, Page } from "playwright-core";

/** An authenticator that Chromium simulates for one page. */
export interface VirtualAuthenticator {
  /** Sets whether a person confirms each request at once. Otherwise requests wait. */
  confirm(isConfirming: boolean): Promise<void>;
  /** Sets whether the person is recognized. */
  recognize(isRecognized: boolean): Promise<void>;
  credentials(): Promise<{ credentialId: string; rpId?: string; signCount: number }[]>;
  /** Sets the counter of its only credential, as a copy would have it. */
  setCounter(signCount: number): Promise<void>;
}

/** Gives a page an authenticator like that of a phone: it verifies its user and keeps passkeys. */
export async function addVirtualAuthenticator(page: Page): Promise<VirtualAuthenticator> {
  const session: CDPSession = await page.context().newCDPSession(page);
  await session.send("WebAuthn.enable");
  const { authenticatorId } = await session.send("WebAuthn.addVirtualAuthenticator", {
    options: {
      protocol: "ctap2",
      transport: "internal",
      hasResidentKey: true,
      hasUserVerification: true,
      isUserVerified: true,
      automaticPresenceSimulation: true,
    },
  });
  const credentials = async () => (await session.send("WebAuthn.getCredentials", { authenticatorId })).credentials;
  return {
    credentials,
    confirm: async (enabled) => {
      await session.send("WebAuthn.setAutomaticPresenceSimulation", { authenticatorId, enabled });
    },
    recognize: async (isUserVerified) => {
      await session.send("WebAuthn.setUserVerified", { authenticatorId, isUserVerified });
    },
    setCounter: async (signCount) => {
      const [credential] = await credentials();
      await session.send("WebAuthn.removeCredential", { authenticatorId, credentialId: credential.credentialId });
      await session.send("WebAuthn.addCredential", { authenticatorId, credential: { ...credential, signCount } });
    },
  };
}
