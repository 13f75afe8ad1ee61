# SPDX-License-Identifier: Apache-2.0
"""A headless Chromium for the tests of report --html, spoken to through two pipes (its DevTools protocol):
a page is opened, keys are pressed, and what is there is asked for. Nothing but Python's own library."""
import json
import os
import shutil
import subprocess
import tempfile
import time


def program():
    """The browser's path, or None."""
    return next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)


class Browser:
    def __init__(self, width=1100, height=900, dark=False):
        self.folder = tempfile.mkdtemp()
        to_browser, self.write = os.pipe()
        self.read, from_browser = os.pipe()

        def pipes():  # the protocol's are 3 and 4
            os.dup2(to_browser, 13)
            os.dup2(from_browser, 14)
            os.dup2(13, 3)
            os.dup2(14, 4)

        self.process = subprocess.Popen(
            [program(), "--headless=new", "--no-sandbox", "--disable-gpu", "--remote-debugging-pipe", "--no-first-run",
             "--disable-background-networking", "--disable-dev-shm-usage", "--hide-scrollbars",
             f"--user-data-dir={self.folder}", "about:blank"],
            preexec_fn=pipes, close_fds=False, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL)
        os.close(to_browser)
        os.close(from_browser)
        self.n, self.rest, self.events, self.session = 0, b"", [], None
        pages = self.call("Target.getTargets")["targetInfos"]
        target = next(t for t in pages if t["type"] == "page")["targetId"]
        self.session = self.call("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Network", "Log", "Performance"):
            self.call(domain + ".enable")
        self.call("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=False)
        self.call("Emulation.setEmulatedMedia",
                  features=[{"name": "prefers-color-scheme", "value": "dark" if dark else "light"}])

    def message(self):
        while b"\0" not in self.rest:
            got = os.read(self.read, 1 << 16)
            if not got:
                raise EOFError("the browser is gone")
            self.rest += got
        one, self.rest = self.rest.split(b"\0", 1)
        return json.loads(one)

    def call(self, method, **parameters):
        self.n += 1
        order = {"id": self.n, "method": method, "params": parameters}
        if self.session:
            order["sessionId"] = self.session
        os.write(self.write, json.dumps(order).encode() + b"\0")
        while True:
            m = self.message()
            if m.get("id") == self.n:
                if "error" in m:
                    raise RuntimeError(f"{method}: {m['error']}")
                return m["result"]
            self.events.append(m)

    def open(self, path):
        """Goes to a file and waits until it is loaded."""
        self.events.clear()
        self.call("Page.navigate", url="file://" + os.path.abspath(path))
        while not any(e["method"] == "Page.loadEventFired" for e in self.events):
            self.events.append(self.message())

    def ask(self, script):
        """The value of an expression, as JSON can say it; a promise is waited for."""
        r = self.call("Runtime.evaluate", expression=script, returnByValue=True, awaitPromise=True)
        if "exceptionDetails" in r:
            raise RuntimeError(r["exceptionDetails"]["exception"].get("description", r["exceptionDetails"]["text"]))
        return r["result"].get("value")

    def press(self, key, times=1):
        """A real key: pressed and let go."""
        code = {"ArrowLeft": 37, "ArrowRight": 39, "ArrowUp": 38, "ArrowDown": 40, "Escape": 27, "Enter": 13, "Tab": 9,
                " ": 32, ",": 188, ".": 190}
        text = {"Enter": "\r"}.get(key, key if len(key) == 1 else "")
        number = code.get(key, ord(key.upper()) if key.isalnum() and len(key) == 1 else 0)
        for _ in range(times):
            self.call("Input.dispatchKeyEvent", type="keyDown", key=key, text=text, windowsVirtualKeyCode=number,
                      code="Key" + key.upper() if len(key) == 1 and key.isalpha() else key)
            self.call("Input.dispatchKeyEvent", type="keyUp", key=key, windowsVirtualKeyCode=number)

    def click(self, selector):
        """With the mouse, in the middle of the first such element."""
        x, y = self.ask(f"(e => {{ e.scrollIntoView({{block: 'center', behavior: 'instant'}}); const r = e.getBoundingClientRect();"
                        f" return [r.x + r.width / 2, r.y + r.height / 2] }})(document.querySelector({json.dumps(selector)}))")
        for kind in ("mousePressed", "mouseReleased"):
            self.call("Input.dispatchMouseEvent", type=kind, x=x, y=y, button="left", clickCount=1)

    def picture(self, path, whole=False):
        import base64
        shot = self.call("Page.captureScreenshot", format="png", captureBeyondViewport=whole)
        with open(path, "wb") as f:
            f.write(base64.b64decode(shot["data"]))

    def complaints(self):
        """What broke the policy, failed, or was asked of the network."""
        found = []
        for e in self.events:
            if e["method"] == "Log.entryAdded":
                found.append(e["params"]["entry"]["text"])
            elif e["method"] in ("Runtime.exceptionThrown", "Page.javascriptDialogOpening"):
                found.append(json.dumps(e["params"])[:500])
            elif e["method"] == "Network.requestWillBeSent":
                url = e["params"]["request"]["url"]
                if not url.startswith(("file:", "data:")):
                    found.append("asked for " + url)
        return found

    def first_paint_ms(self):
        return self.ask("new Promise(done => { const at = () => { const p = performance.getEntriesByName("
                        "'first-contentful-paint')[0]; p ? done(p.startTime) : setTimeout(at, 10) }; at() })")

    def close(self):
        try:
            self.session = None
            self.call("Browser.close")
        except (EOFError, OSError):
            pass
        for _ in range(50):
            if self.process.poll() is not None:
                break
            time.sleep(0.1)
        else:
            self.process.kill()
        self.process.wait()
        os.close(self.write)
        os.close(self.read)
        shutil.rmtree(self.folder, ignore_errors=True)
