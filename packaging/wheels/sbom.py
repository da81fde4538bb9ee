"""
The bill of materials of a wheel (CycloneDX, PEP 770): what it contains of others. Added to a wheel that is complete.
"""

import base64
import hashlib
import json
import pathlib
import re
import zipfile

PROJ = re.compile(r"/proj_([\d.]+)\.orig\.tar\.gz$")
GCC = re.compile(r"/libgomp1_([^_]+)_amd64\.deb$")


def versions(downloads):
    """PROJ's and libgomp's, of the list of downloads."""
    names = [line.split()[1] for line in downloads.read_text().splitlines() if line[:1] != "#"]
    found = {}
    for key, pattern in (("proj", PROJ), ("libgomp", GCC)):
        (found[key],) = {match.group(1) for match in map(pattern.search, names) if match}
    return found


def document(name, version, proj, libgomp=None, more=()):
    """`libgomp`: its version; None: the wheel has none. `more`: components as (name, version, license)."""
    parts = [("PROJ (geodesic.c)", proj, "MIT")]
    if libgomp is not None:
        parts.append(("libgomp", libgomp, "GPL-3.0-or-later WITH GCC-exception-3.1"))
    components = []
    for part, number, license_of in (*parts, *more):
        reference = f"{part.split()[0].lower()}@{number}"
        components.append(
            {
                "type": "library",
                "bom-ref": reference,
                "name": part,
                "version": number,
                "licenses": [{"expression": license_of}],
                "purl": f"pkg:generic/{reference}",
            }
        )
    whole = f"pkg:pypi/{name}@{version}"
    return {
        "bomFormat": "CycloneDX",
        "specVersion": "1.6",
        "version": 1,
        "metadata": {
            "component": {
                "type": "library",
                "bom-ref": whole,
                "name": name,
                "version": version,
                "licenses": [{"expression": "MIT"}],
                "purl": whole,
            }
        },
        "components": components,
        "dependencies": [{"ref": whole, "dependsOn": [one["bom-ref"] for one in components]}],
    }


def add(wheel, made):
    """Puts a document into a wheel's .dist-info/sboms, and into its RECORD. The same bytes for the same wheel."""
    wheel = pathlib.Path(wheel)
    with zipfile.ZipFile(wheel) as packed:
        entries = [(entry, packed.read(entry)) for entry in packed.infolist()]
    (record,) = [entry for entry, _ in entries if entry.filename.endswith(".dist-info/RECORD")]
    folder = record.filename.rpartition("/")[0]
    data = (json.dumps(made, indent=2) + "\n").encode()
    path = f"{folder}/sboms/gpuvoronoi.cdx.json"
    digest = base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()
    entry = zipfile.ZipInfo(path, record.date_time)
    entry.compress_type, entry.create_system = record.compress_type, record.create_system
    entry.external_attr = record.external_attr
    with zipfile.ZipFile(wheel, "w") as packed:
        for old, content in entries:
            if old is record:
                packed.writestr(entry, data)
                content += f"{path},sha256={digest},{len(data)}\n".encode()
            packed.writestr(old, content, old.compress_type)
