# SPDX-License-Identifier: Apache-2.0
"""Object stores for tests: moto's, and Ceph's radosgw. Each is a context manager that has a bucket, and ends with all it has started.

Below .build/store-tests are a Python with moto, which `prepare_store` of scripts/common makes, and Debian's packages of Ceph, unpacked and
not installed.
"""

import html
import http.client
import os
import pathlib
import re
import shutil
import socket
import subprocess
import tempfile
import time
import urllib.parse
import uuid

from tool import PROJECT, common
from torturing import Skipped
from torturing.signature import canonical_query, encoded, signed_fields

ROOT = PROJECT / ".build" / "store-tests"
KEY_ID, SECRET, REGION, BUCKET = "TORTUREKEY", "torture-secret-of-forty-characters-00000", "us-east-1", "torture"


def prepared_python():
    """The path of a Python that has moto."""
    done = common("prepare_store >&2; echo $store_python", stdout=subprocess.PIPE)
    if done.returncode:
        raise Skipped("moto cannot be installed")
    return done.stdout.strip()


def free_port():
    with socket.create_server(("127.0.0.1", 0)) as listener:
        return listener.getsockname()[1]


class Store:
    """A store with a bucket, and requests to it that are signed by its key, without conditions."""

    key_id, secret, region, bucket = KEY_ID, SECRET, REGION, BUCKET

    @staticmethod
    def moto(python, ignored=(), has_conditions=True):
        """moto's store. It ignores the fields `ignored` of a PUT; without conditions it refuses a PUT that has one."""
        return MotoStore(python, ignored, has_conditions)

    @staticmethod
    def radosgw(root=ROOT / "ceph"):
        """Ceph's store, of Debian's packages, which are unpacked below `root` at the first time."""
        return CephStore(pathlib.Path(root))

    def __enter__(self):
        try:
            self.start()
            status, _, answer = self.request("PUT", None)
            if status != 200:
                raise RuntimeError(f"{self.name} makes no bucket: {status} {answer[:200]}")
        except BaseException:
            self.stop()
            raise
        return self

    def __exit__(self, *_):
        self.stop()

    # MARK: Requests

    def request(self, method, key, query=(), body=b""):
        """Sends a request about an object, or about the bucket: status, fields, and body."""
        host = urllib.parse.urlsplit(self.endpoint).netloc
        path = f"/{self.bucket}" + ("" if key is None else f"/{key}")
        fields = signed_fields(method, host, path, query, [], body, self.key_id, self.secret, self.region)
        connection = http.client.HTTPConnection(host, timeout=60)
        try:
            target = encoded(path, "/") + (f"?{canonical_query(query)}" if query else "")
            connection.putrequest(method, target, skip_host=True, skip_accept_encoding=True)
            for name, value in [*fields, ("content-length", str(len(body)))]:
                connection.putheader(name, value)
            connection.endheaders(body or None)
            answer = connection.getresponse()
            return answer.status, {name.lower(): value for name, value in answer.getheaders()}, answer.read()
        finally:
            connection.close()

    def must(self, method, key, query=(), body=b""):
        status, _, answer = self.request(method, key, query, body)
        if status not in (200, 204):
            raise RuntimeError(f"{self.name} answers {method} {key!r} with {status} {answer[:200]}")
        return answer

    def get(self, key):
        return self.must("GET", key)

    def put(self, key, data):
        """Writes an object, whatever is there."""
        self.must("PUT", key, body=data)

    def delete(self, key):
        self.must("DELETE", key)

    def keys(self, prefix=""):
        """The names of all objects that begin so."""
        found, token = [], None
        while True:
            query = [("list-type", "2"), ("encoding-type", "url"), ("prefix", prefix)]
            page = self.must("GET", None, query + ([("continuation-token", token)] if token else [])).decode()
            # radosgw encodes all but quotes for a URL, and then these for XML.
            found += [urllib.parse.unquote_plus(html.unescape(key)) for key in re.findall("<Key>(.*?)</Key>", page, re.DOTALL)]
            next_token = re.search("<NextContinuationToken>(.*?)</NextContinuationToken>", page)
            if "<IsTruncated>true" not in page or not next_token:
                return found
            token = next_token[1]

    def objects(self, prefix=""):
        """All objects that begin so, by the rest of their names."""
        return {key.removeprefix(prefix): self.get(key) for key in self.keys(prefix)}


class MotoStore(Store):
    name = "moto"

    def __init__(self, python, ignored, has_conditions):
        self.python, self.server = python, None
        self.options = [word for field in ignored for word in ("--ignore", field)] + ([] if has_conditions else ["--without-conditions"])

    def start(self):
        self.server = subprocess.Popen(
            [self.python, "-B", "-m", "torturing.store_server", self.key_id, *self.options],
            cwd=PROJECT / "scripts/devtools/library", text=True, stdin=subprocess.PIPE, stdout=subprocess.PIPE, start_new_session=True)
        self.server.stdin.write(self.secret + "\n")
        self.server.stdin.flush()
        self.endpoint = self.server.stdout.readline().strip()
        if not self.endpoint:
            raise RuntimeError("moto does not start")

    def stop(self):
        if self.server:
            self.server.kill()
            self.server.wait()


# MARK: - Ceph

PACKAGES = ("radosgw", "ceph-mon", "ceph-osd")
# What only Ceph's scripts and its tools for disks need.
LEFT_OUT = re.compile(
    "cryptsetup-bin|dmeventd|dmidecode|gdisk|hdparm|libcephfs2|libdevmapper-event.*|libinih1|liblvm2cmd.*|libnvme1|libparted2.*|libradosstriper1|"
    "logrotate|lvm2|nvme-cli|parted|python3-(ceph|cephfs|certifi|chardet|charset-normalizer|idna|rbd|requests|rgw|urllib3)|smartmontools|sudo|"
    "uuid-runtime|xfsprogs")
LIBRARIES = "usr/lib/x86_64-linux-gnu"
# One monitor, one store of objects in memory, one gateway; all on this machine, without keys among themselves.
CONFIGURATION = """\
[global]
fsid = {identity}
mon_host = [v2:127.0.0.1:{monitor_port}/0]
public_addr = 127.0.0.1
cluster_addr = 127.0.0.1
auth_cluster_required = none
auth_service_required = none
auth_client_required = none
ms_mon_client_mode = crc
ms_client_mode = crc
osd_pool_default_size = 1
osd_pool_default_min_size = 1
osd_pool_default_pg_num = 8
osd_pool_default_pgp_num = 8
osd_pool_default_pg_autoscale_mode = off
osd_crush_chooseleaf_type = 0
mon_allow_pool_size_one = true
mon_max_pg_per_osd = 1000
mon_osd_adjust_heartbeat_grace = false
mon_data_avail_crit = 1
mon_data_avail_warn = 1
paxos_propose_interval = 0.05
paxos_min_wait = 0.01
run_dir = {folder}/run
admin_socket = {folder}/run/$name.asok
log_file = {folder}/log/$name.log
mon_cluster_log_file = {folder}/log/cluster.log
err_to_stderr = false
crash_dir = {folder}/run
plugin_dir = {libraries}/ceph
erasure_code_dir = {libraries}/ceph/erasure-code
[mon.a]
mon_data = {folder}/mon
mon_initial_members = a
[osd.0]
osd_data = {folder}/osd
osd_class_dir = {libraries}/rados-classes
osd_objectstore = memstore
memstore_device_bytes = 1073741824
osd_memory_target = 939524096
[client.rgw]
rgw_frontends = beast endpoint=127.0.0.1:{port}
rgw_run_sync_thread = false
rgw_enable_apis = s3,admin
rgw_thread_pool_size = 32
"""


def unpack_ceph(root):
    """Downloads what the machine lacks, and unpacks it below `root`; no root rights are needed, and nothing is installed."""
    if (root / "usr/bin/radosgw").exists() or shutil.which("radosgw"):
        return
    simulated = ["apt-get", "install", "--no-install-recommends", "-s", *PACKAGES]
    try:
        done = subprocess.run(simulated, text=True, capture_output=True)
        if done.returncode and os.geteuid() == 0:
            subprocess.run(["apt-get", "update", "-qq"], capture_output=True)
            done = subprocess.run(simulated, text=True, capture_output=True)
    except FileNotFoundError:
        raise Skipped("Ceph needs Debian's apt-get") from None
    if done.returncode:
        raise Skipped(f"Debian's packages of Ceph are not to be had: {done.stderr.strip()[-100:]}")
    names = [line.split()[1] for line in done.stdout.splitlines() if line.startswith("Inst ")]
    names = [name for name in names if not LEFT_OUT.fullmatch(name)]
    root.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=root.parent, prefix="ceph-") as folder:
        files, tree = pathlib.Path(folder, "packages"), pathlib.Path(folder, "tree")
        files.mkdir()
        # apt-get drops its rights to those of a user who must be able to write there.
        options = ["-o", "APT::Sandbox::User=root"] if os.geteuid() == 0 else []
        done = subprocess.run(["apt-get", *options, "download", "-qq", *names], cwd=files, text=True, capture_output=True)
        if done.returncode:
            raise Skipped(f"Debian's packages of Ceph cannot be loaded: {done.stderr.strip()[-100:]}")
        for package in files.iterdir():
            subprocess.run(["dpkg", "-x", package, tree], check=True)
        shutil.rmtree(root, ignore_errors=True)
        tree.rename(root)


class CephStore(Store):
    name = "radosgw"

    def __init__(self, root):
        self.root, self.servers, self.folder = root, [], None

    def start(self):
        unpack_ceph(self.root)
        if not (self.root / "usr/bin/radosgw").exists():
            self.root = pathlib.Path("/")
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="emojiart-ceph."))
        for name in ("mon", "osd", "run", "log"):
            (self.folder / name).mkdir()
        self.configuration = self.folder / "ceph.conf"
        identity, port, monitor_port = uuid.uuid4(), free_port(), free_port()
        libraries = self.root / LIBRARIES
        self.configuration.write_text(
            CONFIGURATION.format(identity=identity, port=port, monitor_port=monitor_port, folder=self.folder, libraries=libraries))
        self.endpoint = f"http://127.0.0.1:{port}"
        self.run("monmaptool", "--create", "--fsid", str(identity), "--addv", "a", f"[v2:127.0.0.1:{monitor_port}]", str(self.folder / "monmap"))
        self.run("ceph-mon", *self.with_configuration, "--mkfs", "-i", "a", "--monmap", str(self.folder / "monmap"))
        self.serve("ceph-mon", "-i", "a")
        disk = str(uuid.uuid4())
        # Debian's own Python, for which Ceph's modules are built.
        self.run("/usr/bin/python3", str(self.root / "usr/bin/ceph"), *self.with_configuration, "--name", "client.admin", "osd", "new", disk, "0")
        self.run("ceph-osd", *self.with_configuration, "--mkfs", "-i", "0", "--osd-uuid", disk)
        self.serve("ceph-osd", "-i", "0")
        self.serve("radosgw", "--name", "client.rgw")
        self.wait_for(port)
        self.run(
            "radosgw-admin", *self.with_configuration, "--name", "client.rgw", "user", "create", "--uid=torture", "--display-name=torture",
            f"--access-key={self.key_id}", f"--secret-key={self.secret}")

    @property
    def with_configuration(self):
        return ["-c", str(self.configuration)]

    @property
    def environment(self):
        libraries = self.root / LIBRARIES
        return {
            **os.environ,
            "LD_LIBRARY_PATH": f"{libraries}:{libraries}/ceph:{self.root}/lib/x86_64-linux-gnu",
            "PYTHONPATH": str(self.root / "usr/lib/python3/dist-packages"),
            "PATH": f"{self.root}/usr/bin:{os.environ['PATH']}",
            "CEPH_CONF": str(self.configuration),
        }

    def run(self, *words):
        done = subprocess.run(words, env=self.environment, cwd=self.folder, text=True, capture_output=True, timeout=120)
        if done.returncode:
            raise Skipped(f"Ceph does not run here: {' '.join(words[:2])}: {done.stderr.strip()[-150:]}")

    def serve(self, program, *words):
        """Starts a server in the foreground; it ends also when this program is killed."""
        log = open(self.folder / "log" / f"{program}.out", "w")
        with log:
            self.servers.append(subprocess.Popen(
                ["setpriv", "--pdeathsig", "KILL", program, *self.with_configuration, "-f", *words],
                env=self.environment, cwd=self.folder, stdin=subprocess.DEVNULL, stdout=log, stderr=log, start_new_session=True))

    def wait_for(self, port, seconds=80):
        end = time.monotonic() + seconds
        while True:
            try:
                socket.create_connection(("127.0.0.1", port), 1).close()
                return
            except OSError:
                if time.monotonic() > end or any(server.poll() is not None for server in self.servers):
                    raise Skipped("Ceph does not run here: its gateway does not answer") from None
                time.sleep(0.1)

    def stop(self):
        for server in reversed(self.servers):
            server.kill()
            server.wait()
        if self.folder:
            shutil.rmtree(self.folder, ignore_errors=True)
