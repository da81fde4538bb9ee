"""What a shared library of any system exports and needs, as JSON (needs lief): library_facts.py LIBRARY"""

import json
import sys

import lief

library = lief.parse(sys.argv[1])
if isinstance(library, lief.MachO.FatBinary):
    library = library.at(0)
facts = {"exports": [function.name for function in library.exported_functions],
         "needs": [name if isinstance(name, str) else name.name for name in library.libraries]}
if isinstance(library, lief.MachO.Binary):
    facts.update(exports=[name.removeprefix("_") for name in facts["exports"]], processor=library.header.cpu_type.name,
                 minimum=list(library.build_version.minos), signed=library.has_code_signature,
                 needs=[name for name in facts["needs"] if not name.startswith("@rpath/libgpuvoronoi")])
print(json.dumps(facts))
