import { startFakeApple } from "../providers/fake_apple.ts";
import { startFakeGithub } from "../providers/fake_github.ts";
import { startFakeMicrosoft } from "../providers/fake_microsoft.ts";
import { startFakeSocial } from "../providers/fake_social.ts";
import { startFalseProvider } from "../providers/false_provider.ts";
import { consentScreen, envOf } from "../providers/idp.ts";
import type { TestApp } from "../app/test_app.ts";
import type { TestClient } from "../app/test_client.ts";

/** Providers of each kind. */
export interface ProviderDoubles {
  /** The environment of an app that uses all of them. */
  env: Record<string, string>;
  /** Gives the consent of the person about whom a provider says this, and returns the callback address. Not Apple. */
  consent(key: string, person: Record<string, unknown>, consentScreen: string): URL;
  /** Signs in the person about whom a provider says this, and returns the last response. */
  signIn(app: TestApp, as: SignInAs): Promise<Response>;
  [Symbol.asyncDispose](): Promise<void>;
}

/** Who signs in, with which provider, and where. */
export interface SignInAs {
  provider: string;
  person: Record<string, unknown>;
  client: TestClient;
}

/** The tenant is part of the subjects in a backup. */
const TENANT = "9188040d-6c67-4c5b-b112-36a304b66dad";
const SOCIAL = ["discord", "facebook", "linkedin", "x"];

/** Starts a provider of each kind. */
export async function startProviderDoubles(): Promise<ProviderDoubles> {
  const [main, contoso] = [await startFalseProvider(), await startFalseProvider()];
  const [github, social, apple] = [startFakeGithub(), startFakeSocial(), await startFakeApple()];
  const microsoft = await startFakeMicrosoft({ tenant: TENANT });
  const doubles: Record<string, { say(person: unknown): void; consent(consentScreen: string): URL }> = {
    default: { say: (person) => Object.assign(main, { userinfo: person }), consent: main.consent },
    contoso: { say: (person) => Object.assign(contoso, { userinfo: person }), consent: contoso.consent },
    github: { say: (person) => Object.assign(github, { person }), consent: github.consent },
    microsoft: {
      say: (person) => Object.assign(microsoft, { person: { tid: TENANT, ...Object(person) } }),
      consent: microsoft.consent,
    },
    ...Object.fromEntries(SOCIAL.map((key) => [key, {
      say: (profile: unknown) => Object.assign(social, { profile }),
      consent: social.consent,
    }])),
  };
  const consentAs = (key: string, person: Record<string, unknown>, consentScreen: string) => {
    doubles[key].say(person);
    return doubles[key].consent(consentScreen);
  };

  /** Apple answers with a form, which comes without the cookies of the browser. */
  async function signInWithApple(app: TestApp, { person, client }: SignInAs): Promise<Response> {
    Object.assign(apple, { person, now: app.services.now });
    const { path, fields } = apple.consent(await consentScreen(client, "/auth/idp/apple"));
    const bare = app.client();
    const posted = await bare.request(path, {
      method: "POST",
      body: new URLSearchParams(fields),
      headers: { "Origin": "https://appleid.apple.com", "Sec-Fetch-Site": "cross-site", "Sec-Fetch-Mode": "navigate" },
    });
    for (const [name, value] of bare.cookies) client.cookies.set(name, value);
    return await client.get(posted.headers.get("Location")!);
  }

  return {
    env: {
      ...main.env,
      IDP_PROVIDERS: [...Object.keys(doubles).filter((key) => key !== "default"), "apple"].join(" "),
      IDP_CONTOSO_NAME: "Contoso",
      ...envOf("contoso", contoso.env),
      ...github.env,
      ...microsoft.env,
      ...social.env,
      IDP_FACEBOOK_TRUST_EMAIL: "true", // it does not say whether an address is confirmed
      ...apple.env,
    },
    consent: consentAs,
    async signIn(app, as) {
      const { provider, person, client } = as;
      if (provider === "apple") return await signInWithApple(app, as);
      const screen = await consentScreen(client, provider === "default" ? undefined : `/auth/idp/${provider}`);
      const { pathname, search } = consentAs(provider, person, screen);
      return await client.get(pathname + search);
    },
    async [Symbol.asyncDispose]() {
      for (const server of [main, contoso, github, microsoft, social, apple]) await server[Symbol.asyncDispose]();
    },
  };
}
