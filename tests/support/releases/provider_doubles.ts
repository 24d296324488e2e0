import { startFakeGithub } from "../providers/fake_github.ts";
import { startFakeMicrosoft } from "../providers/fake_microsoft.ts";
import { startFalseProvider } from "../providers/false_provider.ts";
import { consentScreen, envOf } from "../providers/idp.ts";
import type { TestClient } from "../app/test_client.ts";

/** Providers of each kind. */
export interface ProviderDoubles {
  /** The environment of an app that uses all of them. */
  env: Record<string, string>;
  /** Gives the consent of the person about whom a provider says this, and returns the callback address. */
  consent(key: string, person: Record<string, unknown>, consentScreen: string): URL;
  /** Signs in the person about whom a provider says this, and returns the response of the callback. */
  signIn(key: string, person: Record<string, unknown>, client: TestClient): Promise<Response>;
  [Symbol.asyncDispose](): Promise<void>;
}

/** The tenant is part of the subjects in a backup. */
const TENANT = "9188040d-6c67-4c5b-b112-36a304b66dad";

/** Starts a provider of each kind. */
export async function startProviderDoubles(): Promise<ProviderDoubles> {
  const [main, contoso] = [await startFalseProvider(), await startFalseProvider()];
  const github = startFakeGithub();
  const microsoft = await startFakeMicrosoft({ tenant: TENANT });
  const doubles: Record<string, { say(person: unknown): void; consent(consentScreen: string): URL }> = {
    default: { say: (person) => Object.assign(main, { userinfo: person }), consent: main.consent },
    contoso: { say: (person) => Object.assign(contoso, { userinfo: person }), consent: contoso.consent },
    github: { say: (person) => Object.assign(github, { person }), consent: github.consent },
    microsoft: {
      say: (person) => Object.assign(microsoft, { person: { tid: TENANT, ...Object(person) } }),
      consent: microsoft.consent,
    },
  };
  const consentAs = (key: string, person: Record<string, unknown>, consentScreen: string) => {
    doubles[key].say(person);
    return doubles[key].consent(consentScreen);
  };
  return {
    env: {
      ...main.env,
      IDP_PROVIDERS: Object.keys(doubles).filter((key) => key !== "default").join(" "),
      IDP_CONTOSO_NAME: "Contoso",
      ...envOf("contoso", contoso.env),
      ...github.env,
      ...microsoft.env,
    },
    consent: consentAs,
    async signIn(key, person, client) {
      const screen = await consentScreen(client, key === "default" ? undefined : `/auth/idp/${key}`);
      const { pathname, search } = consentAs(key, person, screen);
      return await client.get(pathname + search);
    },
    async [Symbol.asyncDispose]() {
      for (const server of [main, contoso, github, microsoft]) await server[Symbol.asyncDispose]();
    },
  };
}
