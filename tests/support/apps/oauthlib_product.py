"""A product with a server and requests-oauthlib: oauthlib_product.py ISSUER PORT CLIENT_ID CLIENT_SECRET."""

import html
import json
import os
import secrets
import sys
from http.cookies import SimpleCookie
from http.server import BaseHTTPRequestHandler, HTTPServer
from urllib.parse import urlencode

os.environ["OAUTHLIB_INSECURE_TRANSPORT"] = "1"  # only for a trial without TLS

from requests_oauthlib import OAuth2Session

issuer, port, client_id, client_secret = sys.argv[1:]
url = f"http://localhost:{port}"
scope = ["openid", "profile", "email"]
sessions = {}


def client(**options):
    return OAuth2Session(client_id, redirect_uri=f"{url}/callback", scope=scope, **options)


class Handler(BaseHTTPRequestHandler):
    def do_GET(self):
        path = self.path.split("?")[0]
        cookie = SimpleCookie(self.headers.get("Cookie", ""))
        self.session_id = cookie["oauthlib_product"].value if "oauthlib_product" in cookie else None
        session = sessions.get(self.session_id, {})
        route = {"/login": self.log_in, "/callback": self.finish_login, "/refresh": self.refresh, "/logout": self.log_out}
        try:
            route.get(path, self.home)(session)
        except Exception as error:
            self.show({"error": f"{type(error).__name__}: {error}"})

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

    def show(self, values):
        body = f"<!DOCTYPE html><link rel='icon' href='data:,'><pre>{html.escape(json.dumps(values))}</pre>".encode()
        self.send_response(200)
        self.send_header("Content-Type", "text/html; charset=utf-8")
        self.end_headers()
        self.wfile.write(body)

    def redirect(self, address, session):
        sessions.pop(self.session_id, None)
        session_id = secrets.token_urlsafe(32)
        sessions[session_id] = session
        self.send_response(303)
        self.send_header("Location", address)
        self.send_header("Set-Cookie", f"oauthlib_product={session_id}; Path=/; HttpOnly; SameSite=Lax")
        self.end_headers()

    def log_message(self, *_):
        pass


HTTPServer(("127.0.0.1", int(port)), Handler).serve_forever()
