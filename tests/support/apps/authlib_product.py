"""A product with a server, which signs people in with Authlib: authlib_product.py ISSUER PORT CLIENT_ID CLIENT_SECRET."""

import os
import secrets
import sys
from urllib.parse import urlencode

os.environ["AUTHLIB_INSECURE_TRANSPORT"] = "1"  # only for a trial without TLS
sys.dont_write_bytecode = True  # the folder is part of the sources

from authlib.integrations.requests_client import OAuth2Session
from authlib.jose import JsonWebKey, jwt
from authlib.oidc.core import CodeIDToken
from python_product import Product

issuer, port, client_id, client_secret = sys.argv[1:]
url = f"http://localhost:{port}"


def client(**options):
    return OAuth2Session(
        client_id,
        client_secret,
        scope="openid profile email",
        redirect_uri=f"{url}/callback",
        code_challenge_method="S256",
        **options,
    )


metadata = client().get(f"{issuer}/.well-known/openid-configuration", withhold_token=True).json()


def claims_of(tokens, nonce):
    keys = JsonWebKey.import_key_set(client().get(metadata["jwks_uri"], withhold_token=True).json())
    claims = jwt.decode(
        tokens["id_token"],
        keys,
        claims_cls=CodeIDToken,
        claims_options={"iss": {"values": [issuer]}, "aud": {"values": [client_id]}},
        claims_params={"nonce": nonce, "client_id": client_id},
    )
    claims.validate()
    return claims


class Handler(Product):
    def home(self, session):
        if "tokens" not in session:
            return self.show({"name": "guest"})
        userinfo = client(token=session["tokens"]).get(metadata["userinfo_endpoint"]).json()
        self.show({**userinfo, "token": session["tokens"]["access_token"]})

    def log_in(self, session):
        attempt = {"verifier": secrets.token_urlsafe(48), "nonce": secrets.token_urlsafe(16)}
        address, attempt["state"] = client().create_authorization_url(
            metadata["authorization_endpoint"], code_verifier=attempt["verifier"], nonce=attempt["nonce"]
        )
        self.redirect(address, attempt)

    def finish_login(self, session):
        tokens = client(state=session["state"]).fetch_token(
            metadata["token_endpoint"],
            authorization_response=url + self.path,
            code_verifier=session["verifier"],
        )
        claims_of(tokens, session["nonce"])
        self.redirect("/", {"tokens": tokens})

    def refresh(self, session):
        tokens = client(token=session["tokens"]).refresh_token(metadata["token_endpoint"])
        self.redirect("/", {"tokens": tokens})

    def log_out(self, session):
        hint = {"id_token_hint": session["tokens"]["id_token"], "post_logout_redirect_uri": f"{url}/"}
        self.redirect(f"{metadata['end_session_endpoint']}?{urlencode(hint)}", {})


Handler.serve(port)
