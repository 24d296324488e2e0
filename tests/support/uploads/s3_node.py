"""OpenStack Swift with its S3 interface in one process on loopback, objects in memory; s3_server.ts runs it.

Arguments: a folder of its own, the region that signatures must name. Prints one line of JSON once it listens, and ends
when its standard input does.
"""
import eventlet

eventlet.monkey_patch(socket=True, select=True, thread=True, os=False)

import json
import logging.handlers
import os
import sys

from eventlet import wsgi
from swift.common import utils
from swift.common.ring import RingBuilder
from swift.common.swob import Request
from swift.common.wsgi import loadapp

FOLDER, REGION = sys.argv[1:]
ACCOUNT, USER, KEY = "test", "tester", "testing"
# The folders of each bucket that everybody can read. An empty name is that of the bucket itself.
BUCKETS = {"uploads": ["uploads/", "images/"], "open": [""], "private": []}
ORIGIN = "*"

SERVER = """
[DEFAULT]
swift_dir = {folder}
devices = {folder}/devices
mount_check = false
[pipeline:main]
pipeline = {app}
[app:{app}]
use = egg:swift#{egg}
"""

# etag-quoter: S3 clients expect quotes. tempauth knows the one account that the signatures are verified with.
PROXY = """
[DEFAULT]
swift_dir = {folder}
[pipeline:main]
pipeline = catch_errors gatekeeper etag-quoter s3api tempauth proxy-server
[app:proxy-server]
use = egg:swift#proxy
account_autocreate = true
[filter:catch_errors]
use = egg:swift#catch_errors
[filter:gatekeeper]
use = egg:swift#gatekeeper
[filter:etag-quoter]
use = egg:swift#etag_quoter
enable_by_default = true
[filter:s3api]
use = egg:swift#s3api
location = {region}
cors_preflight_allow_origin = {origin}
[filter:tempauth]
use = egg:swift#tempauth
user_{account}_{user} = {key} .admin
"""


class NoCache:
    """tempauth insists on a memcached; nothing here needs one to remember anything."""

    def get(self, *_, **__):
        return None

    set = delete = incr = decr = get_multi = set_multi = get


def write(name, text, **values):
    path = os.path.join(FOLDER, name)
    with open(path, "w") as file:
        file.write(text.format(folder=FOLDER, **values))
    return path


def is_open(path):
    """The policy of the buckets, which Swift itself knows only for whole buckets: whether anyone may read at this path."""
    _, _, account, bucket, *key = path.split("/", 4) + ["", ""]
    return account != f"AUTH_{ACCOUNT}" or any(key[0].startswith(folder) for folder in BUCKETS.get(bucket, []))


def serve(config):
    """Runs the app on a free port; returns it and the port."""
    app = loadapp(config)

    def with_cache(env, start_response):
        env["swift.cache"] = NoCache()
        is_public = env["PATH_INFO"].startswith("/v1/") and "swift.authorize_override" not in env
        if config.endswith("proxy.conf") and is_public and not is_open(env["PATH_INFO"]):
            start_response("403 Forbidden", [("Content-Length", "0")])
            return []
        return app(env, start_response)

    listener = eventlet.listen(("127.0.0.1", 0), backlog=512, reuse_port=False)
    eventlet.spawn(wsgi.server, listener, with_cache, utils.NullLogger(), capitalize_response_headers=False)
    return with_cache, listener.getsockname()[1]


def start_backend(kind):
    egg = "mem_object" if kind == "object" else kind
    _, port = serve(write(f"{kind}.conf", SERVER, app=f"{kind}-server", egg=egg))
    ring = RingBuilder(1, 1, 0)  # two partitions, one replica
    ring.add_dev({"region": 1, "zone": 1, "weight": 1, "ip": "127.0.0.1", "port": port, "device": "one"})
    ring.rebalance()
    ring.get_ring().save(os.path.join(FOLDER, f"{kind}.ring.gz"))


def make_bucket(proxy, name):
    """The bucket may be read by everybody, as far as its policy permits, and by pages of every origin."""
    headers = {"X-Container-Read": ".r:*", "X-Container-Meta-Access-Control-Allow-Origin": ORIGIN}
    environ = {"REQUEST_METHOD": "PUT", "swift.authorize_override": True, "swift_owner": True}
    response = Request.blank(f"/v1/AUTH_{ACCOUNT}/{name}", environ, headers=headers).get_response(proxy)
    if not response.is_success:
        sys.exit(f"making the bucket: {response.status}")


def log_to_stderr(handler, record):
    sys.stderr.write(handler.format(record) + "\n")


logging.handlers.SysLogHandler.emit = log_to_stderr
os.makedirs(os.path.join(FOLDER, "devices", "one"))
write("swift.conf", "[swift-hash]\nswift_hash_path_suffix = tests\n")
utils.set_swift_dir(FOLDER)
for backend in ("account", "container", "object"):
    start_backend(backend)
proxy_app, proxy_port = serve(write("proxy.conf", PROXY, region=REGION, origin=ORIGIN, account=ACCOUNT, user=USER, key=KEY))
for bucket in BUCKETS:
    make_bucket(proxy_app, bucket)
endpoint = f"http://127.0.0.1:{proxy_port}"
print(json.dumps({
    "S3_ENDPOINT": endpoint,
    "S3_REGION": REGION,
    "S3_BUCKET": "uploads",
    "S3_ACCESS_KEY_ID": f"{ACCOUNT}:{USER}",
    "S3_SECRET_ACCESS_KEY": KEY,
    "S3_PUBLIC_URL": f"{endpoint}/v1/AUTH_{ACCOUNT}/uploads",
}), flush=True)
while True:
    eventlet.hubs.trampoline(0, read=True)
    if not os.read(0, 1024):
        os._exit(0)
