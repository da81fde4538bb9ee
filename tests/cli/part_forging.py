"""Part files as a stranger could make them: any description and any records, with hashes that fit."""

import json
import struct


def hash_of(data):
    """FNV-1a in 64 bits."""
    value = 14695981039346656037
    for byte in data:
        value = (value ^ byte) * 1099511628211 & (1 << 64) - 1
    return value


def fingerprint(data):
    return f"{hash_of(data):016x}"


def split(data):
    """The bytes before the description, and the description."""
    magic, content, length, _ = struct.unpack("<8sQQQ", data[-32:])
    assert magic == b"GVPART\r\n"
    return data[:content], json.loads(data[content : content + length])


def forge(path, change, records=None):
    """Rewrites a part file with another description; `records` changes each record, (seed, sums)."""
    content, description = split(path.read_bytes())
    if records is not None:
        count, at, size = description["records"]
        forged = b"".join(
            records(content[i : i + 8], content[i + 8 : i + size])
            for i in range(at, at + count * size, size)
        )
        content = content[:at] + forged + content[at + count * size :]
        description["sums' fingerprint"] = fingerprint(content[at:])
    description = change(description)
    text = (description if isinstance(description, str) else json.dumps(description)).encode()
    path.write_bytes(
        content + text + b"GVPART\r\n" + struct.pack("<QQQ", len(content), len(text), hash_of(text))
    )
