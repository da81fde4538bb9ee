"""Part files as a stranger could make them: any description and any records, with hashes that fit."""

import json
import struct

MASK = (1 << 64) - 1


def stir(h, word):
    h = ((h ^ word) * 0x9E3779B97F4A7C15) & MASK
    return ((h << 31) | (h >> 33)) & MASK


def hashed(before, data):
    lanes, at = [(before + i) & MASK for i in (1, 2, 3, 4)], 0
    while len(data) - at >= 32:
        for i in range(4):
            lanes[i] = stir(lanes[i], *struct.unpack_from("<Q", data, at))
            at += 8
    h = before
    for byte in data[at:]:
        h = stir(h, byte)
    for lane in lanes:
        h = stir(h, lane)
    h ^= h >> 29
    return ((h * 0xBF58476D1CE4E5B9) & MASK) ^ (h >> 32)


def fingerprint(data):
    out = 0
    for at in range(0, len(data), 1 << 20):
        out = hashed(out, data[at:at + (1 << 20)])
    return f"{out:016x}"


def split(data):
    """The bytes before the description, and the description."""
    magic, content, length, _ = struct.unpack("<8sQQQ", data[-32:])
    assert magic == b"GVPART\r\n"
    return data[:content], json.loads(data[content:content + length])


def forge(path, change, records=None):
    """Rewrites a part file with another description; `records` changes each record, (seed, sums)."""
    content, description = split(path.read_bytes())
    if records is not None:
        count, at, size = description["records"]
        forged = b"".join(records(content[i:i + 8], content[i + 8:i + size]) for i in range(at, at + count * size, size))
        content = content[:at] + forged + content[at + count * size:]
        description["sums' fingerprint"] = fingerprint(content[at:])
    description = change(description)
    text = json.dumps(description).encode()
    path.write_bytes(content + text + b"GVPART\r\n" + struct.pack("<QQQ", len(content), len(text), hashed(0, text)))
