# SPDX-License-Identifier: Apache-2.0
"""The parts that PNG and AVIF files are made of."""

import struct
import zlib


def chunks(png):
    offset, found = 8, []
    while offset < len(png):
        (length,) = struct.unpack_from(">I", png, offset)
        found.append((png[offset + 4:offset + 8], png[offset + 8:offset + 8 + length]))
        offset += 12 + length
    return found


def png(parts):
    body = (struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data)) for kind, data in parts)
    return b"\x89PNG\r\n\x1a\n" + b"".join(body)


def apng(frames):
    width, height = struct.unpack(">II", frames[0][0][1][:8])
    parts = [frames[0][0], (b"acTL", struct.pack(">II", len(frames), 0))]
    number = 0
    for index, frame in enumerate(frames):
        parts.append((b"fcTL", struct.pack(">IIIIIHHBB", number, width, height, 0, 0, 1, 5, 0, 0)))
        number += 1
        for kind, data in frame:
            if kind == b"IDAT" and index == 0:
                parts.append((kind, data))
            elif kind == b"IDAT":
                parts.append((b"fdAT", struct.pack(">I", number) + data))
                number += 1
    return png(parts + [(b"IEND", b"")])


def header(width, height):
    return (b"IHDR", struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0))


def noise(width, height, random):
    """A picture that no compression makes small."""
    rows = b"".join(b"\0" + random.randbytes(3 * width) for _ in range(height))
    return png([header(width, height), (b"IDAT", zlib.compress(rows, 1)), (b"IEND", b"")])


def padded(picture, size, random):
    """A PNG of that many bytes, of which decoders pass over most."""
    parts = chunks(picture)
    return png([*parts[:-1], (b"prVt", random.randbytes(size - len(picture) - 12)), parts[-1]])


def box(kind, data, size=None):
    return struct.pack(">I", 8 + len(data) if size is None else size) + kind + data
