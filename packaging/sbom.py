#!/usr/bin/python3
"""
What programs and libraries of a release are linked with, as SPDX 2.3 in JSON.

    sbom.py VERSION FOLDER...    FOLDER: unpacked packages; each ELF file in them is told. Debian's dpkg says whose libraries they
                                 are and of which version. SOURCE_DATE_EPOCH: the time it says it was made.
"""

import hashlib
import json
import os
import pathlib
import re
import subprocess
import sys
import time

OWN = "SPDXRef-gpuvoronoi"


def said(*command):
    return subprocess.run(command, capture_output=True, text=True, check=True, env={**os.environ, "LC_ALL": "C"}).stdout


def needed(path):
    return re.findall(r"\(NEEDED\).*\[(.*)\]", said("readelf", "--dynamic", "--wide", str(path)))


def places():
    """Path of each shared library that the dynamic linker knows, by name; the first is that of this machine's kind."""
    found = {}
    for name, path in re.findall(r"^\s+(\S+) \(.*\) => (\S+)$", said("/sbin/ldconfig", "-p"), re.MULTILINE):
        found.setdefault(name, path)
    return found


def owner(path):
    """(package, version) of a file of Debian's, also where /lib is a link to /usr/lib."""
    for name in (path, os.path.realpath(path), path.replace("/usr/lib/", "/lib/", 1), "/usr" + path):
        done = subprocess.run(["dpkg", "-S", name], capture_output=True, text=True)
        if done.returncode == 0:
            package = done.stdout.split(": ")[0]
            return package.split(":")[0], said("dpkg-query", "-W", "-f", "${Version}", package)
    return None


def key(text):
    return "SPDXRef-" + re.sub(r"[^A-Za-z0-9.-]", "-", text)


def main():
    version, folders = sys.argv[1], [pathlib.Path(name) for name in sys.argv[2:]]
    known, packages, files, links = places(), {}, [], []
    for folder in folders:
        for path in sorted(path for path in folder.rglob("*") if path.is_file() and not path.is_symlink()):
            data = path.read_bytes()
            if not data.startswith(b"\x7fELF") or b"/debug/" in bytes(path):
                continue
            name = f"./{folder.name}/{path.relative_to(folder).as_posix()}"
            files.append({"SPDXID": key(name), "fileName": name, "fileTypes": ["BINARY"], "licenseConcluded": "MIT",
                          "licenseInfoInFiles": ["NOASSERTION"], "copyrightText": "NOASSERTION",
                          "checksums": [{"algorithm": kind.upper(), "checksumValue": hashlib.new(kind, data).hexdigest()}
                                        for kind in ("sha1", "sha256")]})
            links.append((OWN, "CONTAINS", key(name)))
            for library in needed(path):
                if library.startswith("libgpuvoronoi"):
                    continue
                package, its_version = owner(known[library]) or (library, "")
                packages[key(package)] = {
                    "SPDXID": key(package), "name": package, "downloadLocation": "NOASSERTION", "filesAnalyzed": False,
                    **({"versionInfo": its_version, "externalRefs": [{
                        "referenceCategory": "PACKAGE-MANAGER", "referenceType": "purl",
                        "referenceLocator": f"pkg:deb/debian/{package}@{its_version}"}]} if its_version else {})}
                links.append((key(name), "DYNAMIC_LINK", key(package)))
    if not files:
        sys.exit("no programs or libraries in " + " ".join(sys.argv[2:]))
    content = hashlib.sha256(json.dumps([files, packages], sort_keys=True).encode()).hexdigest()
    document = {
        "spdxVersion": "SPDX-2.3", "dataLicense": "CC0-1.0", "SPDXID": "SPDXRef-DOCUMENT", "name": f"gpuvoronoi-{version}",
        "documentNamespace": f"urn:sha256:{content}",
        "creationInfo": {"creators": ["Tool: packaging/sbom.py"],
                         "created": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(int(os.environ.get("SOURCE_DATE_EPOCH", "0"))))},
        "packages": [{"SPDXID": OWN, "name": "gpuvoronoi", "versionInfo": version, "downloadLocation": "NOASSERTION",
                      "filesAnalyzed": False, "licenseDeclared": "MIT"}, *(packages[name] for name in sorted(packages))],
        "files": files,
        "relationships": [{"spdxElementId": a, "relationshipType": kind, "relatedSpdxElement": b}
                          for a, kind, b in [("SPDXRef-DOCUMENT", "DESCRIBES", OWN), *dict.fromkeys(links)]],
    }
    print(json.dumps(document, indent=1))


if __name__ == "__main__":
    main()
