"""Operates the admin page in a headless Chromium as a person would, and prints the problems."""

import argparse
import sys
import tempfile
from pathlib import Path

import page_views
from browser import Browser
from page_operator import Operator, answer_of, expect, problems, text, value


def fact(rule, name):
    """Returns the expression for a fact on the card of a rule."""
    return (
        f"[...document.querySelectorAll('[aria-label=\"Rule {rule}\"] dl > div')]"
        f".find((item) => item.firstChild.textContent === '{name}')?.lastChild.textContent"
    )


def raise_floor(operator):
    """Pastes the line that the page shows for 3.0 into the rules file, and checks the result."""
    browser = operator.browser
    cost = operator.move_to("3.0")
    line = browser.evaluate(value("line"))
    expect(line.strip() == 'minimum: "3.0"', f"the line to paste is '{line}'")
    operator.expect_cost(cost, operator.impact('    minimum: "2.0"', line))
    expect(operator.status_of("2.0") == 200, "2.0 is denied before the floor is raised")
    operator.paste('    minimum: "2.0"', line)
    records = "document.querySelectorAll('#records .record').length"
    expect(browser.until(f"{records} === 2"), "the page does not show the changed file without a reload")
    expect(browser.until(f"{fact('ios', 'Minimum')} === '3.0'"), "the list of rules does not change")
    expect(operator.status_of("2.0") == 426, "the floor from the page has no effect")
    expect(browser.until(f"{text('live')}.includes(': 6 denied')"), "the page does not show the denial without a reload")
    changed = "document.querySelector('#last-change')?.textContent"
    expect(browser.until(f"{changed}.includes('File edited') && {changed}.includes('\"3.0\"')"), "the last change is not shown")
    marks = "document.querySelectorAll('#traffic-chart .mark-head').length"
    expect(browser.until(f"{marks} === 1"), "the chart has no mark for the change")


def undo(operator):
    """Opens the same undo as two people. The first one uses only the keyboard, and confirms it."""
    browser = operator.browser
    first = browser.session
    is_button = "Boolean(document.activeElement?.dataset.revision)"
    second = browser.window()
    browser.go(f"{operator.address}/")
    expect(browser.until("Boolean(document.querySelector('#records button'))"), "there is no change to undo")
    browser.evaluate("document.querySelector('#records button').click()")
    expect(browser.until("document.activeElement?.id === 'undo-confirm'"), "the second person sees no confirmation")
    told = browser.evaluate(text("undo-what"))
    expect(browser.until(f"{text('undo-predicted')}.startsWith('Based on the last 24 hours')"), "there is no prediction")
    predicted = browser.evaluate(text("undo-predicted"))
    target = browser.evaluate("document.querySelector('#records button').dataset.revision")
    passed = page_views.api_impact(operator, since="24h", undo=target)["passed"]["amount"]
    for kind in ("requests", "devices"):
        words = f"{round(passed[kind]):,} {kind}"
        expect(passed[kind] >= 20 and words in predicted, f"'{predicted}' differs from impact: {words}")
    operator.check("the undo")
    browser.session = first
    # The first person gets no prediction, because the undo must work without one.
    browser.evaluate(
        "(() => { const ask = window.fetch; window.fetch = (path, ...more) =>"
        " String(path).includes('/impact') ? new Promise(() => {}) : ask(path, ...more); })()"
    )
    expect(browser.tab_to(is_button), "the keyboard does not reach the undo")
    browser.key("Enter", 13, "\r")
    expect(browser.until("document.activeElement?.id === 'undo-confirm'"), "Enter does not open the undo")
    for words in ('minimum: "3.0" → "2.0"', "The rules files are not changed"):
        expect(words in told and words in browser.evaluate(text("undo-what")), f"the undo does not contain '{words}'")
    expect(operator.status_of("2.0") == 426, "the undo takes effect before it is confirmed")
    browser.key("Enter", 13, "\r")
    expect(browser.until("!document.getElementById('undo').open"), "the undo does not complete")
    expect(operator.status_of("2.0") == 200, "the undo has no effect")
    expect(browser.until(f"{text('active')}.includes('by an undo')"), "the first person does not see the undo")
    browser.session = second
    expect(browser.until(f"{text('undo-told')}.endsWith('are active.')"), "the second person does not see the new revision")
    expect(browser.evaluate(text("undo-told")).startswith("The rules have changed"), "the second person does not see the change by others")
    expect(browser.until("document.getElementById('undo-confirm').disabled"), "the second person can repeat the undo")
    expect(browser.until(f"{text('active')}.includes('by an undo')"), "the second person does not see the undo")
    expect(browser.evaluate(text("undo-predicted")) == "", "the prediction of another undo is still shown")
    operator.check("an undo by others")
    browser.key("Escape", 27)
    expect(browser.until("!document.getElementById('undo').open"), "Escape does not close the undo")
    rows = "[...document.querySelectorAll('#records .record')].map((row) => row.textContent)"
    expect(browser.until(f"{rows}[0].includes('Undo')"), "the list of changes lacks the undo")


def plan(operator, original):
    """Pastes the block that the page shows for 3.1 into the rules file, and checks the result."""
    browser = operator.browser
    expect(browser.tab_to("document.activeElement.id === 'floor'"), "the keyboard does not reach the slider")
    operator.move_to("2.0")
    expect(browser.evaluate("document.getElementById('plan').hidden"), "the active floor is offered as a plan")
    cost = operator.move_to("3.1")
    expect(not browser.evaluate("document.getElementById('plan').hidden"), "no plan is offered for 3.1")
    block = browser.evaluate(value("block"))
    expect(block.splitlines()[0] == "    next:", f"the block to paste is '{block}'")
    link = "    storeUrl: https://apps.apple.com/app/id1234567890\n  - id: counted"
    planned = link.replace("\n", f"\n{block}\n")
    operator.write(original)
    expect(browser.until(f"!{text('active')}.includes('by an undo')"), "a changed file does not end the undo")
    day = block.rsplit("enforceFrom: ")[1]
    operator.expect_cost(cost, operator.impact(link, planned, "--at", day))
    status, fields = answer_of(operator.gate, "3.0")
    expect(status == 200 and "Sunset" not in fields, f"3.0 gets a Sunset before there is a plan: {status} {fields}")
    operator.paste(link, planned)
    date = f"document.querySelector('#timeline tbody time[datetime^=\"{day[:10]}\"]')"
    expect(browser.until(f"Boolean({date})"), "the timeline lacks the date of the plan")
    expect(browser.evaluate("document.querySelectorAll('#timeline .dot').length") == 1, "the axis lacks the date of the plan")
    expect(browser.until(f"{fact('ios', 'Scheduled')} === '1 planned change'"), "the card of the rule lacks the plan")
    status, fields = answer_of(operator.gate, "3.0")
    expect(status == 200 and "Sunset" in fields, f"3.0 gets no Sunset: {status} {fields}")
    expect(browser.until(f"{text('live')}.includes(' 1 with a recommendation')"), "the page does not show the warning without a reload")
    # A second plan for the same rule belongs under the same `next:`.
    expect(browser.until(f"{value('block')}.startsWith('      - minimum:')"), "a second 'next:' is offered")


def copy(operator):
    """Copies the line for the rules file with the keyboard."""
    browser = operator.browser
    browser.ask("Browser.grantPermissions", permissions=["clipboardReadWrite", "clipboardSanitizedWrite"])
    for field in ("line", "block"):
        expect(browser.tab_to(f"document.activeElement.dataset.copy === '{field}'"), f"the keyboard does not reach Copy for the {field}")
        browser.key("Enter", 13, "\r")
        expect(browser.until(f"{text('copied')} === 'Copied.'"), f"the page does not say that the {field} was copied")
        copied = browser.evaluate("navigator.clipboard.readText()")
        expect(copied == browser.evaluate(value(field)), f"the clipboard contains '{copied}'")
        browser.evaluate("document.getElementById('copied').textContent = ''")


def reach(browser):
    """Reaches every control with the keyboard alone; the slider gets the focus last."""
    reached = []
    for _ in range(120):
        browser.key("Tab", 9)
        name = "item.id || item.getAttribute('href') || item.dataset.range || item.className"
        reached.append(browser.evaluate(f"((item) => {name})(document.activeElement)"))
        if reached[-1] == "floor":
            break
    for name in ("#main", "#traffic", "#audit", "tour-start", "15m", "90d", "cursor", "rule", "floor"):
        expect(name in reached, f"the keyboard does not reach '{name}': {reached}")


def drive(operator, listed):
    browser = operator.browser
    original = operator.rules.read_text("utf-8")
    operator.open()
    reach(browser)
    page_views.tour(operator)
    browser.evaluate("document.getElementById('now').open = true")
    shown = browser.evaluate("document.body.innerText")
    for words in (*listed.split("|"), "Active rules"):
        expect(words in shown, f"the page does not contain '{words}'")
    expect(browser.until(f"document.querySelectorAll('{page_views.CHARTS} rect').length > 1"), "there is no chart")
    expect(browser.evaluate("document.querySelectorAll('#records .record').length") > 0, "there are no changes")
    page_views.first_screen(operator)
    page_views.traffic(operator)
    expect(browser.tab_to("document.activeElement.id === 'floor'"), "the keyboard does not reach the slider after the chart")
    operator.move_to("3.0")
    copy(operator)
    expect(browser.tab_to("document.activeElement.id === 'floor'"), "the keyboard does not return to the slider")
    raise_floor(operator)
    undo(operator)
    plan(operator, original)
    operator.check("the page")
    page_views.adoption(operator)
    page_views.languages(operator)
    page_views.media(operator)


def look(operator, listed):
    """Opens the page, and checks that it contains the expected texts."""
    operator.open()
    operator.browser.evaluate("document.getElementById('now').open = true")
    for words in listed.split("|"):
        expect(operator.browser.until(f"document.body.innerText.includes('{words}')"), f"the page does not contain '{words}'")
    operator.check("the page")


def put_back(operator):
    """Undoes the last change with the browser's credentials."""
    browser = operator.browser
    expect(browser.until("Boolean(document.querySelector('#records button'))"), "there is no change to undo")
    browser.evaluate("document.querySelector('#records button').click()")
    expect(browser.until("document.activeElement?.id === 'undo-confirm'"), "there is no undo to confirm")
    browser.evaluate("document.activeElement.click()")
    expect(browser.until("!document.getElementById('undo').open"), "the undo does not complete")
    expect(browser.evaluate("document.getElementById('undo-secret').hidden"), "the token is requested again")
    expect(browser.until(f"{text('active')}.includes('by an undo')"), "the page does not show that the rules are an undo")


def foresee(operator, words):
    """Opens an undo of the last change, and checks its prediction."""
    browser = operator.browser
    browser.evaluate("document.querySelector('#records button').click()")
    told = browser.until(f"{text('undo-predicted')}.includes('{words}')")
    expect(told, f"'{browser.evaluate(text('undo-predicted'))}' does not contain '{words}'")
    browser.key("Escape", 27)


def is_in_turn(entry):
    """Whether a request is one that the gate processes one at a time; the page repeats it after a 503."""
    path = entry.get("url", "")
    return "status of 503" in entry["text"] and ("/api/v1/advice/" in path or "/api/v1/impact" in path)


def review(browser, address):
    """Records the browser's errors, and requests to other servers."""
    for event in browser.events:
        method, parameters = event.get("method"), event.get("params", {})
        if method == "Runtime.exceptionThrown":
            problems.append(f"exception: {parameters['exceptionDetails']}")
        if method == "Log.entryAdded" and parameters["entry"]["level"] == "error" and not is_in_turn(parameters["entry"]):
            problems.append(f"console: {parameters['entry']['text']} {parameters['entry'].get('url', '')}")
        if method == "Runtime.consoleAPICalled" and parameters["type"] == "error":
            problems.append(f"console: {parameters['args']}")
        if method == "Network.requestWillBeSent":
            url = parameters["request"]["url"]
            expect(url.startswith(f"{address}/") or url == "about:blank", f"request to another server: {url}")


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("address", help="the URL of the admin listener")
    parser.add_argument("listed", help="the texts that the page must contain, separated by |")
    parser.add_argument("--rules", type=Path, help="the rules file; without it, the page is only checked")
    parser.add_argument("--gate", help="the URL for clients")
    parser.add_argument("--versiongate", help="the executable")
    parser.add_argument("--state", help="the state folder")
    parser.add_argument("--token", help="the password for the browser; with it, the last change is undone")
    parser.add_argument("--predicted", help="the text that the undo of the last change must contain")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as profile:
        browser = Browser(profile)
        try:
            operator = Operator(browser, given)
            if given.token:
                browser.sign_in(given.token)
            if given.rules:
                drive(operator, given.listed)
            else:
                look(operator, given.listed)
            if given.predicted:
                foresee(operator, given.predicted)
            if given.token:
                put_back(operator)
            review(browser, given.address)
        finally:
            browser.process.kill()
            browser.process.wait()
    print("\n".join(problems), end="")
    sys.exit(1 if problems else 0)


main()
