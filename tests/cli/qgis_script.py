"""How the scripts beside this one run in QGIS without a display: SCRIPT.py JOB.json. They import this before QGIS."""

import json
import os
import shutil
import sys
import tempfile

os.environ["QT_QPA_PLATFORM"] = "offscreen"
scratch = tempfile.mkdtemp()
os.environ["XDG_RUNTIME_DIR"] = os.environ["QGIS_CUSTOM_CONFIG_PATH"] = scratch

from qgis.core import QgsApplication


def start():
    """The application, which is to be kept, and the job."""
    with open(sys.argv[1]) as file:
        job = json.load(file)
    application = QgsApplication([], False)
    application.initQgis()
    return application, job


def end(facts):
    """Prints what was found, as JSON."""
    print("FACTS " + json.dumps(facts), flush=True)
    shutil.rmtree(scratch, ignore_errors=True)
    os._exit(0)  # QGIS 3.22 does not always survive its own tidying up
