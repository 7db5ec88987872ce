//! A headless Chromium, driven by its DevTools protocol: JSON messages over a WebSocket.
#![allow(unreachable_pub, reason = "a module of a test binary")]

use std::io::Read;
use std::net::TcpStream;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use tungstenite::{Message, WebSocket, client};

/// How long the browser may take to start or to answer.
const PATIENCE: Duration = Duration::from_secs(60);

/// A browser with one page.
pub(crate) struct Browser {
    process: Child,
    socket: WebSocket<TcpStream>,
    session: Option<String>,
    next: u64,
    /// What came that was no answer, such as messages on the console.
    events: Vec<Value>,
    _profile: tempfile::TempDir,
}

/// The program, where one is installed.
pub(crate) fn installed() -> Option<PathBuf> {
    let names = ["chromium", "chromium-browser", "google-chrome", "chrome"];
    let path = std::env::var_os("PATH")?;
    std::env::split_paths(&path).flat_map(|dir| names.map(|name| dir.join(name))).find(|file| file.is_file())
}

impl Browser {
    /// Starts a browser, or says on standard output why there is none to test with.
    pub(crate) fn start() -> Option<Browser> {
        let Some(program) = installed() else {
            eprintln!("skipped: no chromium is installed (Debian package `chromium`)");
            return None;
        };
        let profile = tempfile::tempdir().expect("a temporary folder");
        let process = Command::new(program)
            // Without a sandbox: it refuses to run as root, and the page is our own.
            .args([
                "--headless",
                "--no-sandbox",
                "--disable-gpu",
                "--hide-scrollbars",
                "--remote-debugging-port=0",
            ])
            .arg(format!("--user-data-dir={}", profile.path().display()))
            .arg("about:blank")
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .expect("chromium starts");
        let (port, path) = endpoint(profile.path());
        let stream = TcpStream::connect(("127.0.0.1", port)).expect("the debugging port");
        stream.set_read_timeout(Some(PATIENCE)).expect("a time limit");
        let (socket, _) = client(format!("ws://127.0.0.1:{port}{path}"), stream).expect("a WebSocket");
        let mut browser =
            Browser { process, socket, session: None, next: 0, events: Vec::new(), _profile: profile };
        let target = browser.call("Target.createTarget", json!({ "url": "about:blank" }));
        let attached =
            browser.call("Target.attachToTarget", json!({ "targetId": target["targetId"], "flatten": true }));
        browser.session = attached["sessionId"].as_str().map(str::to_owned);
        for domain in ["Page", "Runtime", "Log"] {
            browser.call(&format!("{domain}.enable"), json!({}));
        }
        Some(browser)
    }

    /// Sends a command and waits for its answer.
    pub(crate) fn call(&mut self, method: &str, parameters: Value) -> Value {
        self.next += 1;
        let mut message = json!({ "id": self.next, "method": method, "params": parameters });
        if let Some(session) = &self.session {
            message["sessionId"] = json!(session);
        }
        self.socket.send(Message::text(message.to_string())).expect("the command is sent");
        loop {
            let answer = self.socket.read().expect("an answer");
            let Message::Text(text) = answer else { continue };
            let answer: Value = serde_json::from_str(&text).expect("JSON");
            if answer["id"] == self.next {
                assert!(answer["error"].is_null(), "{method}: {}", answer["error"]);
                return answer["result"].clone();
            }
            self.events.push(answer);
        }
    }

    /// Opens a file and waits until it is loaded.
    pub(crate) fn open(&mut self, file: &Path, fragment: &str) {
        let url = format!("file://{}{fragment}", file.display());
        // Another page in between: a change of the fragment alone would load nothing.
        self.call("Page.navigate", json!({ "url": "about:blank" }));
        self.call("Page.navigate", json!({ "url": url }));
        let started = Instant::now();
        while self.evaluate("document.readyState === 'complete' && location.protocol === 'file:'")
            != json!(true)
        {
            assert!(started.elapsed() < PATIENCE, "{url} does not load");
            std::thread::sleep(Duration::from_millis(20));
        }
    }

    /// The value of an expression in the page.
    pub(crate) fn evaluate(&mut self, expression: &str) -> Value {
        let result = self.call(
            "Runtime.evaluate",
            json!({ "expression": expression, "returnByValue": true, "awaitPromise": true }),
        );
        assert!(result["exceptionDetails"].is_null(), "{expression}: {}", result["exceptionDetails"]);
        result["result"]["value"].clone()
    }

    /// Sets the size of the window in pixels.
    pub(crate) fn resize(&mut self, width: u32, height: u32) {
        let size = json!({ "width": width, "height": height, "deviceScaleFactor": 1, "mobile": width < 600 });
        self.call("Emulation.setDeviceMetricsOverride", size);
    }

    /// Sets the medium (`screen`, `print`) and the preferred colours (`light`, `dark`).
    pub(crate) fn medium(&mut self, medium: &str, colours: &str) {
        let feature = json!({ "name": "prefers-color-scheme", "value": colours });
        self.call("Emulation.setEmulatedMedia", json!({ "media": medium, "features": [feature] }));
    }

    /// Turns scripts of pages off or on.
    pub(crate) fn scripts(&mut self, on: bool) {
        self.call("Emulation.setScriptExecutionDisabled", json!({ "value": !on }));
    }

    /// Presses a key.
    pub(crate) fn press(&mut self, key: &str) {
        for kind in ["keyDown", "keyUp"] {
            self.call("Input.dispatchKeyEvent", json!({ "type": kind, "key": key }));
        }
    }

    /// Moves the pointer to the middle of the first element that a selector finds.
    pub(crate) fn point_at(&mut self, selector: &str) {
        let place = self.evaluate(&format!(
            "(() => {{ const e = document.querySelector({}); e.scrollIntoView({{ block: 'center' }}); \
             const b = e.getBoundingClientRect(); return [b.x + b.width / 2, b.y + b.height / 2]; }})()",
            json!(selector)
        ));
        let at = json!({ "type": "mouseMoved", "x": place[0], "y": place[1] });
        self.call("Input.dispatchMouseEvent", at);
    }

    /// Exceptions, and messages on the console or in the log.
    pub(crate) fn complaints(&self) -> Vec<&Value> {
        let methods = ["Runtime.exceptionThrown", "Runtime.consoleAPICalled", "Log.entryAdded"];
        self.events.iter().filter(|event| methods.iter().any(|method| event["method"] == *method)).collect()
    }
}

impl Drop for Browser {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

/// Port and path of the debugging socket, which the browser writes into its profile.
fn endpoint(profile: &Path) -> (u16, String) {
    let file = profile.join("DevToolsActivePort");
    let started = Instant::now();
    loop {
        let mut text = String::new();
        if let Ok(mut file) = std::fs::File::open(&file) {
            file.read_to_string(&mut text).expect("the port");
        }
        if let Some((port, path)) = text.split_once('\n')
            && let (Ok(port), false) = (port.parse(), path.is_empty())
        {
            return (port, path.trim().to_owned());
        }
        assert!(started.elapsed() < PATIENCE, "chromium opens no debugging port");
        std::thread::sleep(Duration::from_millis(50));
    }
}
