# SPDX-License-Identifier: Apache-2.0
"""Version 4 of AWS's signature, for requests that carry it in the field `Authorization`, with the standard library only.

Source: https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_sigv-create-signed-request.html.
"""

import datetime
import hashlib
import hmac
import re
import urllib.parse

ALGORITHM = "AWS4-HMAC-SHA256"


def digest(data):
    return hashlib.sha256(data).hexdigest()


def encoded(text, kept=""):
    """Percent-encodes all but letters, digits, `-`, `.`, `_`, `~`, and what is `kept`."""
    return urllib.parse.quote(text, safe=f"-._~{kept}")


def canonical_query(pairs):
    """The query of decoded names and values, sorted by their encoded bytes."""
    return "&".join(f"{name}={value}" for name, value in sorted((encoded(name), encoded(value)) for name, value in pairs))


def canonical_request(method, path, query, fields, body_digest):
    """The text that is signed, and the names of its fields. `path` and `query` are decoded; all `fields` are signed."""
    values = {}
    for name, value in fields:
        values.setdefault(name.lower(), []).append(re.sub(r"[ \t\r\n]+", " ", value).strip())
    names = sorted(values)
    lines = "".join(f"{name}:{','.join(values[name])}\n" for name in names)
    signed = ";".join(names)
    return "\n".join([method, encoded(path, "/") or "/", canonical_query(query), lines, signed, body_digest]), signed


def signature(secret, request, time, region):
    """The signature of a canonical request at a time such as `20261126T014500Z`."""
    scope = [time[:8], region, "s3", "aws4_request"]
    text = "\n".join([ALGORITHM, time, "/".join(scope), digest(request.encode())])
    key = f"AWS4{secret}".encode()
    for part in scope:
        key = hmac.new(key, part.encode(), hashlib.sha256).digest()
    return hmac.new(key, text.encode(), hashlib.sha256).hexdigest()


def signed_fields(method, host, path, query, fields, body, key_id, secret, region):
    """All fields of a request, with those that sign it."""
    time = datetime.datetime.now(datetime.timezone.utc).strftime("%Y%m%dT%H%M%SZ")
    fields = [("host", host), *fields, ("x-amz-content-sha256", digest(body)), ("x-amz-date", time)]
    request, names = canonical_request(method, path, query, fields, digest(body))
    credential = f"{key_id}/{time[:8]}/{region}/s3/aws4_request"
    sign = signature(secret, request, time, region)
    return [*fields, ("authorization", f"{ALGORITHM} Credential={credential}, SignedHeaders={names}, Signature={sign}")]
