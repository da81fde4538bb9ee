"""Part files as a stranger could make them: any description and any records, with hashes that fit."""

import json
import struct
import zlib


def fingerprint(data):
    return f"{zlib.crc32(data):016x}"


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
    path.write_bytes(content + text + b"GVPART\r\n" + struct.pack("<QQQ", len(content), len(text), zlib.crc32(text)))
