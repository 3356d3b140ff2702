"""Uses the inspector page as a person would, and prints what it found as lines of JSON.

inspector.py BROWSER ORCHESTRATOR PID [PICTURES]: the coordinator PID runs the agent of `Vault` and is killed at the end.
BROWSER is a Chromium; where WebKit's driver is there, what a person does is done in it, too, and said on stderr otherwise.
Each line is {"check": NAME, "ok": BOOL, "found": ANYTHING}.
"""

import contextlib
import json
import os
import pathlib
import signal
import subprocess
import sys
import time

import axe_playwright_python
from playwright.sync_api import sync_playwright

import hostile
import webkit

BROWSER, ORCHESTRATOR, PID = sys.argv[1], sys.argv[2], int(sys.argv[3])
PICTURES = pathlib.Path(sys.argv[4]) if len(sys.argv) > 4 else None
AXE = (pathlib.Path(axe_playwright_python.__file__).parent / "axe.min.js").read_text()
EVIL = [hostile.EVIL, "\u202e", "\x1b", "\u0000", "\x07"]


LIVE = "document.getElementById('state').dataset.state === 'live'"
engine = ""


def check(name, found, ok=None):
    print(json.dumps({"check": engine + name, "ok": bool(found if ok is None else ok), "found": found}), flush=True)


def command(*arguments):
    done = subprocess.run([ORCHESTRATOR, *arguments], capture_output=True, text=True, timeout=60, stdin=subprocess.DEVNULL)
    return done.stdout.strip()


def until(page, expression, limit=30):
    """Waits until an expression holds; not in the page, whose policy lets nothing be evaluated there."""
    end = time.monotonic() + limit
    while time.monotonic() < end:
        if page.evaluate(expression):
            return True
        time.sleep(0.05)
    return False


def violations(page):
    page.evaluate(AXE)
    found = page.evaluate("axe.run(document).then(({violations}) => violations)")
    return [[one["id"], [node["target"] for node in one["nodes"]][:3]] for one in found]


def picture(page, name):
    if PICTURES:
        page.screenshot(path=PICTURES / f"{name}.png")


class Visit:
    """A tab, and everything that it asked for and complained of."""

    def __init__(self, browser, address, **options):
        self.requests, self.complaints, self.dialogs = [], [], []
        self.context = browser.new_context(**{"viewport": {"width": 1440, "height": 900}} | options)
        self.page = self.context.new_page()
        self.page.on("request", lambda request: self.requests.append(request.url))
        self.page.on("console", lambda message: message.type == "error" and self.complaints.append(message.text))
        self.page.on("pageerror", lambda error: self.complaints.append(str(error)))
        self.page.on("dialog", lambda dialog: (self.dialogs.append(dialog.message), dialog.dismiss()))
        self.page.goto(address)

    def is_live(self):
        return until(self.page, LIVE)


# Numbers that JavaScript has no values for, a name given twice, and text that looks like JSON.
EXACT = r'''{"a":9007199254740993, "b":[1e400,{ },"x: {\",["],"a":1.0}'''
LAID_OUT = r'''{
  "a": 9007199254740993,
  "b": [
    1e400,
    {},
    "x: {\",["
  ],
  "a": 1.0
}'''


def look(browser):
    address = command("inspect", "--no-open", "default")
    origin = address.split("/#")[0]
    visit = Visit(browser, address)
    page = visit.page
    check("the page is live", visit.is_live())
    check("the ticket has left the address", page.url, page.url == f"{origin}/")
    laid_out = page.evaluate("(json) => import('/page/text.js').then(({ pretty }) => pretty(json))", EXACT)
    check("arguments are laid out with their own tokens", laid_out, laid_out == LAID_OUT)
    check("there is no cookie", visit.context.cookies(), visit.context.cookies() == [])
    token = page.evaluate("inspector.service.token")
    check("the token is not the door's", token, token and token != door_token())

    second = Visit(browser, address)
    check("a ticket lets one tab in", until(second.page, "document.querySelector('#token[open]') !== null"))
    refused = second.page.inner_text("#refused")
    check("a used ticket says what to do", refused, "Run 'orchestrator inspect'" in refused)
    for name in ["a fresh ticket lets it in", "a fresh ticket brings a page back whose visit was over"]:
        second.page.evaluate("(address) => inspector.enter(address)", command("inspect", "--no-open"))
        check(name, second.is_live())
        second.page.evaluate("inspector.service.token = 'old'; inspector.watch.stop(); inspector.watch.start()")
        over = until(second.page, "document.getElementById('state').dataset.state === 'unauthorized'")
        check(f"{name}, until the visit is over", over)
    second.context.close()

    prompt_and_answer(page)
    hidden_tab(page)
    fill_in(page, ["light", "dark"])

    page.reload()
    check("the tab stays let in when it is loaded again", visit.is_live())
    check("no request goes elsewhere", sorted(set(visit.requests)), all(url.startswith(f"{origin}/") for url in visit.requests))
    check("nothing is asked for with a token in its address", [url for url in visit.requests if "t=" in url], not any("t=" in url for url in visit.requests))
    # The answer that does not fit is refused.
    complaints = [words for words in visit.complaints if "status of 400" not in words]
    check("nothing is complained of", visit.complaints, complaints == [])

    looking = Visit(browser, command("inspect", "--no-open", "--read-only"))
    looking.is_live()
    check("a page that only looks offers no prompt", looking.page.evaluate("document.getElementById('prompt').hidden"))
    refused = looking.page.evaluate("inspector.service.post('/v1/sessions/cancel', {session: 'default'}).then(() => 0, (error) => error.status)")
    check("a page that only looks is refused by the server", refused, refused == 403)
    missing = looking.page.evaluate("(inspector.session.name = 'deleted', inspector.pull().then(() => inspector.state))")
    check("a session that is gone is not a coordinator that is gone", missing, missing == "live")
    looking.context.close()

    os.kill(PID, signal.SIGKILL)
    check("the page says that the coordinator is gone", until(page, "document.getElementById('state').dataset.state === 'gone'"))
    check("what was seen stays", page.evaluate("document.querySelectorAll('#rows .row').length"))
    return visit


def door_token():
    return pathlib.Path(os.environ["ORCHESTRATOR_HOME"], "run/token").read_text()


# Approves a call in the moment in which it appears, as a key does that was meant for something else.
EAGER = """() => {
  const region = document.getElementById('approvals');
  window.eager = new Promise((done) => {
    new MutationObserver((_, observer) => {
      const card = region.querySelector('.card');
      if (!card) return;
      observer.disconnect();
      card.dispatchEvent(new KeyboardEvent('keydown', { key: 'a', bubbles: true }));
      setTimeout(() => done(region.querySelector('.card') !== null), 200);
    }).observe(region, { childList: true });
  });
}"""


def is_over(turn):
    """Whether a turn has ended and the page shows its question no more, so that the next one shown is the next turn's."""
    return f"inspector.session?.main?.turns.length === {turn} && !inspector.session.isBusy && document.querySelector('.card') === null"


# Hears once more that a call waits, in the answer of a poll and in an event that were long under way.
HEAR_AGAIN = """async () => {
  const { service, session, old } = inspector;
  service.get = () => old;
  await inspector.poll();
  delete service.get;
  for (const approval of old.approvals) inspector.happened({ session: session.name, event: { event: 'approvalAsked', approval } });
  inspector.draw();
  return [old.approvals.length, document.querySelectorAll('.card').length];
}"""


def prompt_and_answer(page):
    """Asks, approves and denies with the keyboard alone."""
    for turn, (key, words) in enumerate([("a", None), ("d", "Not today")], 1):
        page.evaluate(EAGER)
        page.keyboard.press("p")
        page.keyboard.type("Open it")
        page.keyboard.press("Enter")
        check(f"call {turn} waits for a person", until(page, "document.querySelector('.card') !== null"))
        check(f"call {turn} is shown whole", page.inner_text(".card pre"), '"number": 7' in page.inner_text(".card pre"))
        check(f"an answer to call {turn} that comes with the question is none", page.evaluate("window.eager"))
        page.evaluate("inspector.service.get('/v1/processes').then((old) => { inspector.old = old; })")
        until(page, "performance.now() > inspector.questions.armed")
        page.keyboard.press("Escape")
        page.keyboard.press("n")
        page.keyboard.press(key)
        if words:
            page.keyboard.type(words)
            page.keyboard.press("Enter")
        check(f"turn {turn} ends", until(page, is_over(turn)))
        again = page.evaluate(HEAR_AGAIN)
        check(f"an old word does not bring call {turn} back", again, again == [1, 0])
    calls = page.evaluate("inspector.session.main.turns.map((turn) => turn.calls.map((call) => call.approval?.denial ?? null))")
    check("the first call was approved, the second denied with the reason", calls, calls == [[None], ["Not today"]])
    bars = page.evaluate("document.querySelectorAll('.waterfall .bar').length")
    check("the waterfall has bars", bars)
    # The agent's model is a script, which is given no prompt in text.
    page.evaluate("inspector.select(inspector.session.main.turns.at(-1).requests.at(-1))")
    tabs = page.evaluate("Object.keys(inspector.details.pages)")
    check("the latest request of a process that lives can show its prompt", tabs, "Prompt" in tabs)
    page.evaluate("inspector.details.open('Prompt')")
    check("a process that has no prompt says so", until(page, "document.getElementById('detail').innerText.includes('no prompt to show')"))
    picture(page, "turns")


# A number that JavaScript cannot hold, and a mark that turns text around.
FILLED_IN = {"sheets": 9007199254740995, "ratio": 0.5, "note": "left \u202eright"}
ANSWER = {"branch": "main", "count": 9007199254740993, "force": True, "color": "g", "parts": ["wing"], **FILLED_IN}


def fill_in(page, schemes):
    """Answers the form of a server, declines it and closes it, with the keyboard alone."""
    before = page.evaluate("inspector.session.main?.turns.length ?? 0")
    for turn, key in enumerate("adc", before + 1):
        page.keyboard.press("p")
        page.keyboard.type("Ask me")
        page.keyboard.press("Enter")
        check(f"form {key} waits for a person", until(page, "document.querySelector('.card .field') !== null"))
        if key == "a":
            look_at_form(page, schemes)
        until(page, "performance.now() > inspector.questions.armed")
        page.keyboard.press("Escape")
        page.keyboard.press("n")
        page.keyboard.press(key)
        if key == "a":
            type_answer(page)
        check(f"the turn of form {key} ends", until(page, is_over(turn)))
    told = page.evaluate("inspector.session.main.turns.slice(-3).map((turn) => turn.calls.at(-1).output)")
    check("the server is told each answer as it was given", told, [json.loads(answer or "null") for answer in told] == [{"action": "accept", "content": ANSWER}, {"action": "decline"}, {"action": "cancel"}])
    page.evaluate("inspector.select(inspector.session.main.turns.at(-1).calls.at(-1))")
    server = page.inner_text("#detail")
    check("the call names its server and request", server, "desk: form, request" in server and "2025-06-18" in server)


def look_at_form(page, schemes):
    words = page.evaluate("document.querySelector('.card').textContent")
    check("the form is shown whole", words, all(part in words for part in ["How is it folded?", "Branch", "(required)", "\\u{202E}one?", "left \\u{202E}right", "Green", "parts"]))
    for scheme in schemes:
        page.emulate_media(color_scheme=scheme)
        check(f"{scheme}: the form is accessible", violations(page), violations(page) == [])
        picture(page, f"form-{scheme}")


def type_answer(page):
    """Types an answer of which the server refuses the first draft."""
    page.keyboard.type("Main")
    page.keyboard.press("Enter")
    check("an answer that does not fit is refused in words", until(page, "document.querySelector('.card .refused').textContent !== ''"))
    check("what was typed stays", page.evaluate("document.activeElement.value"), page.evaluate("document.activeElement.value") == "Main")
    page.keyboard.press("Control+a")
    for words in ["main", "9007199254740993", None, None, None, " ", "Green", "ArrowDown"]:
        if words == "ArrowDown":
            page.keyboard.press(words)
        elif words:
            page.keyboard.type(words)
        page.keyboard.press("Tab")
    page.keyboard.press("Enter")


def hidden_tab(page):
    hide = "(hidden) => { Object.defineProperty(document, 'hidden', { value: hidden, configurable: true }); document.dispatchEvent(new Event('visibilitychange')); }"
    page.evaluate(hide, True)
    check("a tab out of sight reads nothing", page.evaluate("[inspector.watch.abort, document.getElementById('state').dataset.state]"), page.evaluate("inspector.watch.abort === null"))
    command("ask", "--session", "default", "Open it")
    seen = page.evaluate("inspector.session.main.turns.length")
    page.evaluate(hide, False)
    check("a tab that comes back into sight catches up", seen, seen == 2 and until(page, "inspector.session.main.turns.length === 3 && !inspector.session.isBusy"))


def read(browser, origin):
    """Looks at exported sessions, for which no coordinator is needed."""
    for scheme in ["light", "dark"]:
        visit = Visit(browser, f"{origin}/", color_scheme=scheme)
        page = visit.page
        until(page, "document.querySelector('#token[open]') !== null")
        check(f"{scheme}: the form for a ticket is accessible", violations(page), violations(page) == [])
        open_file(page, hostile.hostile())
        shown = page.evaluate("document.getElementById('rows').innerText")
        check(f"{scheme}: markup is text", [visit.dialogs, page.evaluate("document.querySelectorAll('main img, main script, main iframe').length")], "<img src=x" in shown and visit.dialogs == [] and page.locator("main img").count() == 0)
        whole = page.evaluate("document.body.innerText + [...document.querySelectorAll('[aria-label], [title]')].map((e) => e.ariaLabel + e.title).join()")
        check(f"{scheme}: controls and what reorders text are shown as numbers", [evil for evil in EVIL if evil in whole], "\\u{202E}live" in whole and not any(evil in whole for evil in EVIL))
        check(f"{scheme}: repetition is folded", "× 5" in shown or page.evaluate("inspector.conversation.rows(inspector.session).some((row) => row.times?.times === 5)"))
        everything(page, scheme)
        page.set_viewport_size({"width": 400, "height": 800})
        for pane in ["processes", "conversation", "waterfall", "details"]:
            page.evaluate("(pane) => inspector.open(pane)", pane)
            time.sleep(0.1)
            width = page.evaluate("document.documentElement.scrollWidth")
            check(f"{scheme}: {pane} fits into 400 pixels", width, width <= 400)
            check(f"{scheme}: {pane} is accessible at 400 pixels", violations(page), violations(page) == [])
            picture(page, f"{scheme}-400-{pane}")
        check(f"{scheme}: nothing is complained of", visit.complaints, visit.complaints == [])
        visit.context.close()


def everything(page, scheme):
    """Selects every kind of thing and opens every tab of its details."""
    kinds = page.evaluate("""() => {
      const turn = inspector.session.main.turns[0];
      const things = [turn, ...turn.items, ...turn.requests];
      const kinds = [...new Map(things.map((thing) => [thing.kind, thing])).values()];
      let tabs = 0;
      for (const thing of kinds) {
        inspector.select(thing);
        for (const name of Object.keys(inspector.details.pages)) { inspector.details.open(name); tabs += 1; }
      }
      inspector.select(turn.requests.find((request) => request.usage.cacheBreak));
      inspector.details.open('Figures');
      return [kinds.length, tabs];
    }""")
    check(f"{scheme}: everything can be selected", kinds, kinds[0] >= 10 and kinds[1] > kinds[0])
    time.sleep(0.2)
    check(f"{scheme}: the page is accessible", violations(page), violations(page) == [])
    picture(page, scheme)


def open_file(page, session):
    page.evaluate("(text) => inspector.openFile(new File([text], 'session.jsonl'))", session.lines())
    until(page, "document.querySelector('.row') !== null")
    time.sleep(0.1)


def long_session(browser, origin):
    visit = Visit(browser, f"{origin}/")
    page = visit.page
    until(page, "document.querySelector('#token[open]') !== null")
    measure = """async (text) => {
      const file = new File([text], 'long.jsonl');
      const start = performance.now();
      await inspector.openFile(file);
      await new Promise((done) => requestAnimationFrame(() => setTimeout(done)));
      return performance.now() - start;
    }"""
    content = hostile.long(10_000).lines()
    times = [page.evaluate(measure, content) for _ in range(3)]
    check("10,000 facts are on the screen in a second", times, min(times) < 1000)
    rows = page.evaluate("[inspector.conversation.list.rows.length, document.querySelectorAll('#rows .row').length]")
    check("only rows in sight have elements", rows, rows[0] > 5000 and 0 < rows[1] < 200)
    page.focus("#rows")
    page.keyboard.press("Home")
    first = page.evaluate("document.activeElement.getAttribute('aria-posinset')")
    page.keyboard.press("End")
    last = page.evaluate("[document.activeElement.getAttribute('aria-posinset'), document.activeElement.getAttribute('aria-setsize')]")
    check("the keyboard reaches the first row and the last", [first, last], first == "1" and last[0] == last[1])
    picture(page, "long")
    visit.context.close()


def look_with_webkit():
    """Does the same in Safari's engine, whose theme is chosen when it starts."""
    global engine
    if webkit.missing():
        print(f"There is no WebKit to look at the page with: no {', '.join(webkit.missing())}.", file=sys.stderr)
        return
    for scheme in ["light", "dark"]:
        engine = f"WebKit, {scheme}: "
        with webkit.page(scheme) as page:
            page.goto(command("inspect", "--no-open", f"webkit-{scheme}"))
            # A prompt can be written from the next frame on.
            check("the page takes prompts", until(page, f"{LIVE} && !document.getElementById('prompt').hidden"))
            if scheme == "light":
                prompt_and_answer(page)
            fill_in(page, [scheme])
            open_file(page, hostile.hostile())
            everything(page, scheme)
    engine = ""


with sync_playwright() as playwright:
    arguments = ["--no-sandbox"] if os.geteuid() == 0 else []
    with contextlib.closing(playwright.chromium.launch(executable_path=BROWSER, args=arguments)) as browser:
        origin = command("inspect", "--no-open").split("/#")[0]
        read(browser, origin)
        long_session(browser, origin)
        look_with_webkit()
        look(browser)
