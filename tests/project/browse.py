#!/usr/bin/python3
"""
The documentation's site in a browser: every page in a wide and in a narrow window, from page to page by clicking, and the search.

    browse.py SITE    exits with 77, a visible skip, where there is no Chromium with its chromedriver
"""

import functools
import http.server
import json
import pathlib
import re
import shutil
import subprocess
import sys
import threading
import time
import urllib.request

PATIENCE = 120  # seconds until something that has to come is given up
WINDOWS = {"wide": (1280, 900), "narrow": (360, 740)}
# What is wrong with the page that is shown, a line each.
FAULTS = """
const wrong = [], width = document.documentElement.clientWidth;
if (!document.querySelector('main h1')) wrong.push('no heading');
for (const image of document.images)
  if (!image.complete || image.naturalWidth === 0) wrong.push('a missing picture: ' + image.src);
if (document.documentElement.scrollWidth > width) wrong.push('wider than the window: ' + document.documentElement.scrollWidth);
const main = document.querySelector('main').getBoundingClientRect();
if (main.left < 0 || main.right > width + 1 || main.width < Math.min(300, width - 40)) wrong.push('text of ' + main.width + ' pixels');
const shown = [...document.querySelectorAll('nav')].filter(nav => nav.checkVisibility());
if (shown.length !== (width > 800 ? 1 : 0)) wrong.push(shown.length + ' lists of pages');
return wrong;
"""


class Browser:
    def __init__(self):
        self.driver = subprocess.Popen(
            ["chromedriver", "--port=0"], stdout=subprocess.PIPE, text=True
        )
        for line in self.driver.stdout:
            started = re.search(r"started successfully on port (\d+)", line)
            if started:
                break
        self.base = f"http://127.0.0.1:{started.group(1)}/session"
        options = {
            "args": [
                "--headless",
                "--no-sandbox",
                "--disable-gpu",
                "--disable-dev-shm-usage",
                "--disable-background-networking",
            ]
        }
        answer = self.ask(
            "POST",
            "",
            {
                "capabilities": {
                    "alwaysMatch": {
                        "goog:chromeOptions": options,
                        "goog:loggingPrefs": {"browser": "ALL"},
                    }
                }
            },
        )
        self.base += "/" + answer["sessionId"]

    def ask(self, method, path, body=None):
        data = json.dumps(body if body is not None else {}).encode() if method == "POST" else None
        request = urllib.request.Request(
            self.base + path, data, {"Content-Type": "application/json"}, method=method
        )
        with urllib.request.urlopen(request, timeout=PATIENCE) as answer:
            return json.load(answer)["value"]

    def size(self, width, height):
        self.ask(
            "POST",
            "/goog/cdp/execute",
            {
                "cmd": "Emulation.setDeviceMetricsOverride",
                "params": {
                    "width": width,
                    "height": height,
                    "deviceScaleFactor": 1,
                    "mobile": False,
                },
            },
        )

    def open(self, address):
        self.ask("POST", "/url", {"url": address})

    def run(self, script, *arguments):
        return self.ask("POST", "/execute/sync", {"script": script, "args": list(arguments)})

    def element(self, selector):
        return next(
            iter(
                self.ask("POST", "/element", {"using": "css selector", "value": selector}).values()
            )
        )

    def click(self, selector):
        self.ask("POST", f"/element/{self.element(selector)}/click", {})

    def type(self, selector, text):
        self.ask("POST", f"/element/{self.element(selector)}/value", {"text": text})

    def complaints(self):
        return [
            entry["message"]
            for entry in self.ask("POST", "/se/log", {"type": "browser"})
            if entry["level"] == "SEVERE"
        ]

    def close(self):
        try:
            self.ask("DELETE", "")
        finally:
            self.driver.terminate()
            self.driver.wait()


def wait_for(what, condition):
    end = time.monotonic() + PATIENCE
    while not condition():
        if time.monotonic() > end:
            raise SystemExit(f"waited in vain: {what}")
        time.sleep(0.1)


def main():
    site = pathlib.Path(sys.argv[1]).resolve()
    if shutil.which("chromedriver") is None or shutil.which("chromium") is None:
        print("skipped: no Chromium (apt-get install chromium chromium-driver)")
        sys.exit(77)

    class Quiet(http.server.SimpleHTTPRequestHandler):
        def log_message(self, *_):
            pass

    server = http.server.ThreadingHTTPServer(
        ("127.0.0.1", 0), functools.partial(Quiet, directory=str(site))
    )
    threading.Thread(target=server.serve_forever, daemon=True).start()
    root = f"http://127.0.0.1:{server.server_port}/"
    pages = sorted(path.relative_to(site).as_posix() for path in site.rglob("*.html"))
    browser, wrong = Browser(), []
    try:
        for name, window in WINDOWS.items():
            browser.size(*window)
            for page in pages:
                browser.open(root + page)
                wrong += [
                    f"{page}, {name}: {fault}"
                    for fault in browser.run(FAULTS) + browser.complaints()
                ]

        browser.size(*WINDOWS["wide"])
        browser.open(root + "index.html")
        seen = ["index.html"]
        while browser.run("return document.querySelector('a[rel=next]') !== null"):
            browser.click("a[rel=next]")
            wait_for(
                "the next page",
                lambda: browser.run("return location.pathname.slice(1)") not in ("", *seen),
            )
            seen.append(browser.run("return location.pathname.slice(1)"))
        if sorted(seen) != pages:
            wrong.append(f"not reached by clicking: {sorted(set(pages) - set(seen))}")

        browser.size(*WINDOWS["narrow"])
        browser.open(root + "index.html")
        browser.click("details.narrow summary")
        browser.click("details.narrow nav a[href='docs/qtm.html']")
        wait_for(
            "a page of the list",
            lambda: browser.run("return location.pathname") == "/docs/qtm.html",
        )

        for window in WINDOWS.values():
            browser.size(*window)
            browser.open(root + "index.html?q=ellipsoid")
            wait_for(
                "results",
                lambda: browser.run(
                    "return document.querySelector('#mkdocs-search-results a') !== null"
                ),
            )
            browser.type("#mkdocs-search-query", "zyzzyva")
            wait_for(
                "nothing to be found",
                lambda: (
                    browser.run(
                        "return document.getElementById('mkdocs-search-results').innerText.trim()"
                    )
                    == "Nothing found"
                ),
            )
            browser.open(root + "index.html?q=ellipsoid")
            wait_for(
                "results",
                lambda: browser.run(
                    "return document.querySelector('#mkdocs-search-results a') !== null"
                ),
            )
            browser.click("#mkdocs-search-results a")
            wait_for(
                "what was found",
                lambda: browser.run(
                    "return location.search === '' && /ellipsoid/i.test(document.querySelector('main').innerText)"
                ),
            )

        visible = "return document.getElementById('mkdocs-search-query').checkVisibility()"
        for address, searched in ((root, True), (f"{site.as_uri()}/", False)):
            browser.open(address + "index.html")
            if browser.run(visible) != searched:
                wrong.append(f"{address}: a search is {'not ' if searched else ''}offered")
    finally:
        browser.close()
        server.shutdown()
    print("\n".join(wrong) or f"{len(pages)} pages, wide and narrow, clicked through and searched")
    sys.exit(1 if wrong else 0)


if __name__ == "__main__":
    main()
