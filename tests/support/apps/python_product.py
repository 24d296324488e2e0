"""What the products in Python share: a server with sessions in memory."""

import html
import json
import secrets
from http.cookies import SimpleCookie
from http.server import BaseHTTPRequestHandler, HTTPServer

COOKIE = "python_product"
sessions = {}


class Product(BaseHTTPRequestHandler):
    """Has the pages home, log_in, finish_login, refresh and log_out, which get the session of the browser."""

    def do_GET(self):
        path = self.path.split("?")[0]
        cookie = SimpleCookie(self.headers.get("Cookie", ""))
        self.session_id = cookie[COOKIE].value if COOKIE in cookie else None
        session = sessions.get(self.session_id, {})
        route = {"/login": self.log_in, "/callback": self.finish_login, "/refresh": self.refresh, "/logout": self.log_out}
        try:
            route.get(path, self.home)(session)
        except Exception as error:
            self.show({"error": f"{type(error).__name__}: {error}"})

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
        self.send_header("Set-Cookie", f"{COOKIE}={session_id}; Path=/; HttpOnly; SameSite=Lax")
        self.end_headers()

    def log_message(self, *_):
        pass

    @classmethod
    def serve(cls, port):
        HTTPServer(("127.0.0.1", int(port)), cls).serve_forever()
