"""A product with a server and requests-oauthlib: oauthlib_product.py ISSUER PORT CLIENT_ID CLIENT_SECRET."""

import os
import sys
from urllib.parse import urlencode

os.environ["OAUTHLIB_INSECURE_TRANSPORT"] = "1"  # only for a trial without TLS
sys.dont_write_bytecode = True  # the folder is part of the sources

from requests_oauthlib import OAuth2Session
from python_product import Product

issuer, port, client_id, client_secret = sys.argv[1:]
url = f"http://localhost:{port}"
scope = ["openid", "profile", "email"]


def client(**options):
    return OAuth2Session(client_id, redirect_uri=f"{url}/callback", scope=scope, **options)


class Handler(Product):
    def home(self, session):
        if "tokens" not in session:
            return self.show({"name": "guest"})
        userinfo = client(token=session["tokens"]).get(f"{issuer}/oauth/userinfo").json()
        self.show({**userinfo, "token": session["tokens"]["access_token"]})

    def log_in(self, session):
        address, state = client().authorization_url(f"{issuer}/oauth/authorize")
        self.redirect(address, {"state": state})

    def finish_login(self, session):
        tokens = client(state=session["state"]).fetch_token(
            f"{issuer}/oauth/token", authorization_response=url + self.path, client_secret=client_secret
        )
        self.redirect("/", {"tokens": tokens})

    def refresh(self, session):
        # It sends the scope again.
        tokens = client(token=session["tokens"]).refresh_token(
            f"{issuer}/oauth/token", client_id=client_id, client_secret=client_secret
        )
        self.redirect("/", {"tokens": tokens})

    def log_out(self, session):
        hint = {"id_token_hint": session["tokens"]["id_token"], "post_logout_redirect_uri": f"{url}/"}
        self.redirect(f"{issuer}/oauth/logout?{urlencode(hint)}", {})


Handler.serve(port)
