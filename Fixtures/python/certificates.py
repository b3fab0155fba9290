# SPDX-License-Identifier: Apache-2.0
"""Certificates, good and bad, made when they are needed."""

import os
import ssl
import subprocess


def openssl(*words):
    subprocess.run(["openssl", *words], check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)


def certificate(folder, kind):
    """Makes a certificate of that kind (`old`: a good one, spoken of in TLS 1.1), and the authority `ca.pem` in the folder where there is none yet."""
    path = lambda name: os.path.join(folder, name)
    key = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes"]
    if not os.path.exists(path("ca.pem")):
        openssl("req", "-x509", *key, "-keyout", path("ca.key"), "-out", path("ca.pem"), "-days", "30",
                "-subj", "/CN=emojiart tests", "-addext", "keyUsage=critical,keyCertSign,cRLSign")
    name = "elsewhere.example" if kind == "other-name" else "localhost"
    names = f"subjectAltName=DNS:{name}" + ("" if kind == "other-name" else ",IP:127.0.0.1")
    if kind == "self-signed":
        openssl("req", "-x509", *key, "-keyout", path("self-signed.key"), "-out", path("self-signed.pem"), "-days", "30",
                "-subj", f"/CN={name}", "-addext", names)
    else:
        openssl("req", *key, "-keyout", path(kind + ".key"), "-out", path(kind + ".csr"), "-subj", f"/CN={name}")
        with open(path(kind + ".ext"), "w") as file:
            file.write(names + "\n")
        openssl("x509", "-req", "-in", path(kind + ".csr"), "-CA", path("ca.pem"), "-CAkey", path("ca.key"),
                "-CAcreateserial", "-out", path(kind + ".pem"), "-days", "-1" if kind == "expired" else "30",
                "-extfile", path(kind + ".ext"))
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(path(kind + ".pem"), path(kind + ".key"))
    if kind == "old":
        context.minimum_version = context.maximum_version = ssl.TLSVersion.TLSv1_1
        context.set_ciphers("ALL:@SECLEVEL=0")
    return context
