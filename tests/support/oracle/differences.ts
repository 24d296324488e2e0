/** How Foyer answers a request in another way than oidc-provider, and why. */
export interface Difference {
  foyer: string;
  oracle: string;
  reason: string;
}

const ONE_ADDRESS = "Every request names its redirect URI, so that no default is ever used";
const PAGE_WITHOUT_ADDRESS = "Until the redirect URI is accepted, no parameter may turn the page into a redirect";
const NOTHING_IS_REVEALED = "Of a token that is none of ours, no one learns more than of any other text";
const HEADER_ALONE = "An access token is accepted in the header alone, and everything else is a missing token";
const ENDS_HERE = "A wrong or contradicting request to log out still asks the person, and never leads anywhere";
const OWN_CODE = "RFC 6749, 5.2 has a code for a grant type that the client may not use";
const NO_LESS = "A program that acts as itself gets what it asks for, or learns that it does not";

/** By the names of the requests. A test fails if a request differs that is not listed, or no longer differs. */
export const DIFFERENCES: Record<string, Difference> = {
  "no redirect URI": { foyer: "4xx invalid_request", oracle: "2xx", reason: ONE_ADDRESS },
  "a code after a wrong verifier": {
    foyer: "4xx invalid_grant",
    oracle: "2xx",
    reason: "An attempt of its own client with another verifier spends the code: someone may be guessing",
  },
  "an empty secret": {
    foyer: "4xx invalid_client",
    oracle: "4xx invalid_request",
    reason: "An empty secret is a wrong secret, and counts as one",
  },
  "a refresh token again at once": {
    foyer: "2xx",
    oracle: "4xx invalid_grant",
    reason: "Within REFRESH_GRACE_SECONDS it is a lost response, and gets the same next token",
  },
  "a client that may not refresh": {
    foyer: "4xx unauthorized_client",
    oracle: "4xx invalid_request",
    reason: OWN_CODE,
  },
  "a grant type that is not the client's": {
    foyer: "4xx unauthorized_client",
    oracle: "4xx invalid_request",
    reason: OWN_CODE,
  },
  "a public client without a person": {
    foyer: "4xx unauthorized_client",
    oracle: "4xx invalid_request",
    reason: OWN_CODE,
  },
  "a code as a program": { foyer: "4xx unauthorized_client", oracle: "4xx invalid_request", reason: OWN_CODE },
  "a scope that the resource does not have": { foyer: "4xx invalid_scope", oracle: "2xx", reason: NO_LESS },
  "the scope openid for no person": { foyer: "4xx invalid_scope", oracle: "2xx", reason: NO_LESS },
  "revoke a token for no person": {
    foyer: "4xx unsupported_token_type",
    oracle: "2xx",
    reason: "Such a token has no row that could end, and a program must not believe that it has ended one",
  },
  "revoke an ID token": { foyer: "2xx", oracle: "4xx unsupported_token_type", reason: NOTHING_IS_REVEALED },
  "introspect an ID token": {
    foyer: "2xx active=false",
    oracle: "4xx unsupported_token_type",
    reason: NOTHING_IS_REVEALED,
  },
  "introspect as a public client": {
    foyer: "4xx invalid_client",
    oracle: "2xx active=false",
    reason: "Anyone can say that they are a public client, so it cannot inspect tokens at all",
  },
  "userinfo with another scheme": { foyer: "4xx invalid_token", oracle: "4xx invalid_request", reason: HEADER_ALONE },
  "userinfo with a token in the form": { foyer: "4xx invalid_token", oracle: "2xx", reason: HEADER_ALONE },
  "userinfo with a token in the query": {
    foyer: "4xx invalid_token",
    oracle: "4xx invalid_request",
    reason: HEADER_ALONE,
  },
  "userinfo with a token for an API": {
    foyer: "4xx invalid_token",
    oracle: "4xx insufficient_scope",
    reason: "The token has another audience, so its scopes do not matter",
  },
  "no redirect URI in the query": { foyer: "4xx page", oracle: "redirect elsewhere", reason: ONE_ADDRESS },
  "two redirect URIs": { foyer: "4xx page", oracle: "redirect invalid_request", reason: PAGE_WITHOUT_ADDRESS },
  "the response mode fragment": {
    foyer: "redirect invalid_request",
    oracle: "redirect elsewhere",
    reason: "Only the response mode query is offered",
  },
  "an unknown response mode": {
    foyer: "redirect invalid_request",
    oracle: "redirect unsupported_response_mode",
    reason: "No registered error names the response mode, so it is a malformed value",
  },
  "only an unknown scope": {
    foyer: "redirect invalid_scope",
    oracle: "redirect elsewhere",
    reason: "Unknown scopes are left out, and a request for nothing else would ask the person for nothing",
  },
  "an ID token hint that is none": {
    foyer: "redirect login_required",
    oracle: "redirect invalid_request",
    reason: "A hint that is not valid is ignored",
  },
  "HEAD": { foyer: "4xx page", oracle: "redirect with a code", reason: "HEAD must not make a code" },
  "log out, an ID token of another form": { foyer: "2xx page", oracle: "4xx invalid_request", reason: ENDS_HERE },
  "log out, an address that is not registered": { foyer: "2xx page", oracle: "4xx invalid_request", reason: ENDS_HERE },
  "log out, an address with a query": { foyer: "2xx page", oracle: "4xx invalid_request", reason: ENDS_HERE },
  "log out, an unknown client": { foyer: "2xx page", oracle: "4xx invalid_client", reason: ENDS_HERE },
  "log out, another client than that of the ID token": {
    foyer: "2xx page",
    oracle: "4xx invalid_request",
    reason: ENDS_HERE,
  },
};
