#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""Drive a headless Chromium through ChromeDriver, which speaks WebDriver.

browser.py PAGE PICTURE    write a picture of a page, "FILE#VIEW", as PNG
"""
import base64
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import urllib.error
import urllib.request

ELEMENT = "element-6066-11e4-a52e-4f735466cecf"
KEYS = {"Enter": "\ue007", "Tab": "\ue004", "Escape": "\ue00c", "Left": "\ue012",
        "Up": "\ue013", "Right": "\ue014", "Down": "\ue015"}


class Browser:
    """A browser with one window; a context manager."""

    def __enter__(self):
        self.profile = tempfile.mkdtemp()
        self.driver = subprocess.Popen(["chromedriver", "--port=0"], stdout=subprocess.PIPE,
                                       stderr=subprocess.DEVNULL, text=True,
                                       env={**os.environ, "HOME": self.profile})
        for line in self.driver.stdout:
            port = re.search(r"started successfully on port (\d+)", line)
            if port:
                break
        self.base = f"http://127.0.0.1:{port[1]}"
        arguments = ["--headless", "--no-sandbox", "--disable-gpu", "--disable-quic",
                     "--no-first-run", "--disable-background-networking", "--disable-sync",
                     "--disable-component-update", "--disable-dev-shm-usage",
                     f"--user-data-dir={self.profile}/chromium", "--window-size=1280,1000",
                     "--force-device-scale-factor=1", "--hide-scrollbars"]
        answer = self.ask("POST", "/session", {"capabilities": {"alwaysMatch": {
            "browserName": "chrome", "goog:chromeOptions": {"args": arguments},
            "goog:loggingPrefs": {"browser": "ALL"}}}})
        self.base += "/session/" + answer["sessionId"]
        return self

    def __exit__(self, *_):
        try:
            self.ask("DELETE", "", None)
        finally:
            self.driver.terminate()
            self.driver.wait()
            shutil.rmtree(self.profile, ignore_errors=True)

    def ask(self, method, path, body):
        """Send a command; return its value."""
        data = None if body is None else json.dumps(body).encode()
        request = urllib.request.Request(self.base + path, data, method=method,
                                         headers={"Content-Type": "application/json"})
        opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
        try:
            with opener.open(request) as answer:
                return json.load(answer)["value"]
        except urllib.error.HTTPError as error:
            raise RuntimeError(json.load(error)["value"]["message"]) from None

    def open(self, path, fragment=""):
        """Open a file, even if it is open already."""
        self.ask("POST", "/url", {"url": "about:blank"})
        self.ask("POST", "/url", {"url": f"file://{os.path.abspath(path)}{fragment}"})

    def run(self, script, *args):
        """Run the body of a function in the page; return its result."""
        return self.ask("POST", "/execute/sync", {"script": script, "args": list(args)})

    def find(self, selector):
        """Return the element or None."""
        return self.ask("POST", "/element", {"using": "css selector", "value": selector})[ELEMENT]

    def click(self, selector):
        """Click the element."""
        self.ask("POST", f"/element/{self.find(selector)}/click", {})

    def type(self, selector, text):
        """Type into the element."""
        self.ask("POST", f"/element/{self.find(selector)}/value", {"text": text})

    def press(self, *keys):
        """Press keys one by one; the element in focus gets them."""
        actions = []
        for key in keys:
            actions += [{"type": kind, "value": KEYS.get(key, key)} for kind in ("keyDown", "keyUp")]
        self.ask("POST", "/actions", {"actions": [{"type": "key", "id": "keys", "actions": actions}]})

    def said(self):
        """Return the page's errors and warnings."""
        return [entry["message"] for entry in self.ask("POST", "/se/log", {"type": "browser"})]

    def picture(self, path):
        """Write a picture of the window as PNG."""
        with open(path, "wb") as file:
            file.write(base64.b64decode(self.ask("GET", "/screenshot", None)))


def main():
    """Write one picture."""
    path, _, fragment = sys.argv[1].partition("#")
    with Browser() as browser:
        browser.open(path, "#" + fragment)
        browser.picture(sys.argv[2])


if __name__ == "__main__":
    main()
