"""A mail server with TLS and a password. Prints its port, then each email that it accepts as a line of JSON."""
import asyncio, json, ssl, sys
from aiosmtpd.smtp import SMTP, AuthResult

mode, certificate, key = sys.argv[1:]
context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
context.load_cert_chain(certificate, key)
starts_tls = mode == "starttls"


class Handler:
    async def handle_DATA(self, server, session, envelope):
        source = envelope.content.decode()
        mail = {"from": envelope.mail_from, "to": envelope.rcpt_tos, "source": source, "isSecret": not starts_tls or bool(session.ssl)}
        print(json.dumps(mail), flush=True)
        return "250 accepted"


def authenticate(server, session, envelope, mechanism, data):
    return AuthResult(success=(data.login, data.password) == (b"foyer", b"s:cret/"), handled=False)


def protocol():
    return SMTP(
        Handler(), hostname="mail.test", authenticator=authenticate, auth_required=True,
        auth_require_tls=starts_tls, require_starttls=starts_tls, tls_context=context if starts_tls else None,
    )


async def main():
    loop = asyncio.get_running_loop()
    server = await loop.create_server(protocol, "127.0.0.1", 0, ssl=None if starts_tls else context)
    print(server.sockets[0].getsockname()[1], flush=True)
    await loop.run_in_executor(None, sys.stdin.read)  # ends with its parent


asyncio.run(main())
