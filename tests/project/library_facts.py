"""What a shared library of any system exports and needs, as JSON (needs lief): library_facts.py LIBRARY"""

import hashlib
import json
import struct
import sys

import lief


def signature_fits(data, offset):
    """Whether the code directory of a macOS signature at `offset` has the SHA-256 of each page before it."""
    magic, _, count = struct.unpack_from(">3I", data, offset)
    if magic != 0xFADE0CC0:
        return False
    for number in range(count):
        start = offset + struct.unpack_from(">2I", data, offset + 12 + 8 * number)[1]
        if struct.unpack_from(">I", data, start)[0] != 0xFADE0C02:
            continue
        hashes, _, _, slots, limit, size, kind, _, shift = struct.unpack_from(
            ">5I4B", data, start + 16
        )
        pages = range(0, limit, 1 << shift)
        return (kind, size, limit, slots) == (2, 32, offset, len(pages)) and all(
            data[start + hashes + 32 * i : start + hashes + 32 * i + 32]
            == hashlib.sha256(data[page : min(page + (1 << shift), limit)]).digest()
            for i, page in enumerate(pages)
        )
    return False


library = lief.parse(sys.argv[1])
if isinstance(library, lief.MachO.FatBinary):
    library = library.at(0)
facts = {
    "exports": [function.name for function in library.exported_functions],
    "needs": [name if isinstance(name, str) else name.name for name in library.libraries],
}
if isinstance(library, lief.MachO.Binary):
    facts.update(
        exports=[name.removeprefix("_") for name in facts["exports"]],
        processor=library.header.cpu_type.name,
        minimum=list(library.build_version.minos),
        signed=library.has_code_signature
        and signature_fits(open(sys.argv[1], "rb").read(), library.code_signature.data_offset),
        needs=[name for name in facts["needs"] if not name.startswith("@rpath/libgpuvoronoi")],
    )
print(json.dumps(facts))
