# SPDX-License-Identifier: Apache-2.0
"""A page of the studio without a browser: its session, its proof and its messages, as docs/STUDIO.md has them."""
import base64, hashlib, hmac, http.client, json, secrets, socket, struct


class Gone(Exception):
    """The server has refused the page, or has closed the connection."""


class Page:
    def __init__(self, host, session, receive_buffer=None, timeout=None):
        self.host, self.session, self.ticket = host, session, None
        self.key = hashlib.sha256(bytes.fromhex(session["token"])).digest()
        self.socket = socket.socket()
        self.socket.settimeout(timeout)
        if receive_buffer:
            self.socket.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, receive_buffer)
        self.socket.connect(("127.0.0.1", port_of(host)))
        self.buffer = b""
        self.socket.sendall(
            f"GET /live HTTP/1.1\r\nHost: {host}\r\nOrigin: http://{host}\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
            f"Sec-WebSocket-Key: {base64.b64encode(secrets.token_bytes(16)).decode()}\r\nSec-WebSocket-Version: 13\r\n"
            "Sec-WebSocket-Protocol: emojiart-1\r\n\r\n".encode())
        while b"\r\n\r\n" not in self.buffer:
            self.more()
        head, self.buffer = self.buffer.split(b"\r\n\r\n", 1)
        if not head.startswith(b"HTTP/1.1 101"):
            raise Gone(head.decode().splitlines()[0])

    def more(self):
        part = self.socket.recv(1 << 20)
        if not part:
            raise Gone("the server has closed the connection")
        self.buffer += part

    def proof(self, text):
        return hmac.new(self.key, text.encode(), "sha256").hexdigest()

    def send(self, text, opcode=1):
        data, mask = text.encode() if isinstance(text, str) else text, secrets.token_bytes(4)
        size = len(data)
        length = bytes([0x80 | size]) if size < 126 else b"\xfe" + struct.pack(">H", size) if size < 65536 else b"\xff" + struct.pack(">Q", size)
        self.socket.sendall(bytes([0x80 | opcode]) + length + mask + bytes(b ^ mask[i % 4] for i, b in enumerate(data)))

    def frame(self):
        """The next text that is in the buffer; None without a whole one."""
        while len(self.buffer) >= 2:
            opcode, size, start = self.buffer[0] & 15, self.buffer[1] & 127, 2
            if size == 126:
                size, start = struct.unpack(">H", self.buffer[2:4])[0] if len(self.buffer) >= 4 else 1 << 40, 4
            elif size == 127:
                size, start = struct.unpack(">Q", self.buffer[2:10])[0] if len(self.buffer) >= 10 else 1 << 40, 10
            if len(self.buffer) < start + size:
                return None
            data, self.buffer = self.buffer[start:start + size], self.buffer[start + size:]
            if opcode == 1:
                return data.decode()
            if opcode == 8:
                raise Gone("the server has closed the connection")
            if opcode == 9:
                self.send(data, 10)
        return None

    def wait(self):
        while (text := self.frame()) is None:
            self.more()
        return json.loads(text)

    def greet(self, client, name):
        nonce = secrets.token_hex(16)
        self.send(json.dumps({"hello": {"nonce": nonce, "session": self.session["session"]}}))
        answer = self.wait()
        if answer.get("proof") != self.proof("server:" + nonce):
            raise Gone(f"the server cannot prove itself: {json.dumps(answer)}")
        own = {"client": client, "proof": self.proof("page:" + answer["challenge"])}
        self.send(json.dumps({"answer": own | ({"name": name} if name else {})}))
        welcome = self.wait()
        self.ticket = welcome.get("welcome", {}).get("ticket")
        return welcome

    def http(self, request):
        connection = http.client.HTTPConnection("127.0.0.1", port_of(self.host))
        fields = {"Host": self.host, "Sec-Fetch-Site": "same-origin", "Authorization": f"Bearer {self.ticket}"}
        body = None
        if request["method"] == "POST":
            fields |= {"Origin": f"http://{self.host}", "Content-Type": request.get("type", "application/json")}
            body = base64.b64decode(request["base64"]) if "base64" in request else json.dumps(request.get("body", {}))
        connection.request(request["method"], request["target"], body, fields)
        answer = connection.getresponse()
        data = answer.read()
        text = data.decode() if answer.headers["Content-Type"].startswith(("application/json", "text/")) else f"{len(data)} bytes"
        return {"http": {"body": text, "status": answer.status, "type": answer.headers["Content-Type"]}}


def host_of(link):
    return link.partition("/#c=")[0].removeprefix("http://").rstrip("/")


def port_of(host):
    return int(host.rpartition(":")[2])


def trade(link):
    host, code = host_of(link), link.partition("/#c=")[2].split("&")[0]
    # Not every resolver knows that names below localhost are loopback's.
    connection = http.client.HTTPConnection("127.0.0.1", port_of(host))
    connection.request(
        "POST", "/session", json.dumps({"code": code}),
        {"Host": host, "Content-Type": "application/json", "Origin": f"http://{host}", "Sec-Fetch-Site": "same-origin"})
    answer = connection.getresponse()
    body = json.loads(answer.read())
    if answer.status != 200:
        raise Gone(f"{answer.status} {body['error']['message']}")
    return host, body
