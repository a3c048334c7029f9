"""Steps of drive_page.py that look at the views of the page: the first screen, the charts, the tour, languages and media."""

import urllib.request
from urllib.parse import urlencode

from page_operator import expect, json_of, text

LIGHT = [{"name": "prefers-color-scheme", "value": "light"}]
DARK = [{"name": "prefers-color-scheme", "value": "dark"}]
CHARTS = "#traffic-chart .plot > svg"


def api(operator, path):
    return json_of(f"{operator.address}/api/v1/{path}")


def api_impact(operator, **query):
    return json_of(urllib.request.Request(f"{operator.address}/api/v1/impact?{urlencode(query)}", method="POST"))


def percent(part, whole):
    return f"{100 * part / whole:.1f}%" if part else "0%"


def amount(figures):
    """Returns the requests and devices of a figure, as the page shows them in English."""
    words = [f"{figures[kind]:,} {kind if figures[kind] != 1 else kind[:-1]}" for kind in ("requests", "devices")]
    return " · ".join(words if figures["devices"] else words[:1])


def first_screen(operator):
    """Compares the figures of the first screen with the API."""
    browser = operator.browser
    total = api(operator, "overview")["total"]["now"]
    expect(total["requests"] > 0 and total["denied"]["requests"] > 0, f"the overview counts nothing: {total}")
    expect(browser.until(f"{text('rate-note')}.includes('{amount(total)}')"), f"the page does not show {amount(total)}")
    for kind in ("denied", "recommended", "observed"):
        for words in (percent(total[kind]["requests"], total["requests"]), amount(total[kind])):
            told = browser.evaluate(text(f"tile-{kind}"))
            expect(words in told, f"{kind}: '{told}' does not contain '{words}'")
    for line in api(operator, "overview")["platforms"]:
        words = amount(line["now"]["denied"])
        told = browser.evaluate(text("platforms"))
        expect(words in told, f"'{told}' does not contain '{words}'")
    requests = {}
    for line in api(operator, "traffic?since=15m")["series"]:
        requests[line["version"]] = requests.get(line["version"], 0) + sum(point["requests"] for point in line["points"])
    most = max(requests, key=requests.get)
    expect(most in browser.evaluate(text("tile-most")), f"the most used version is not {most}")
    revision = api(operator, "rules")["revision"]
    expect(browser.evaluate(text("revision")) == revision, "the revision differs from the API")
    plan = api_impact(operator, since="7d", rule="ios", minimum="3.0")
    own = sum(audience["total"]["devices"] for audience in plan["audiences"] if audience["platform"] == "ios")
    words = f"{percent(plan['denied']['amount']['devices'], own)} of this rule’s devices seen in the last 7 days"
    told = browser.until(f"{text('candidates')}.includes('ios 2.0 → 3.0') && {text('candidates')}.includes('{words}')")
    expect(told, f"'{browser.evaluate(text('candidates'))}' does not contain '{words}'")
    calm = browser.evaluate("document.getElementById('banner').className")
    problems = [item for item in api(operator, "findings")["findings"] if item["effect"] == "warns"]
    expect(calm == f"banner {'warn' if problems else 'good'}", f"the banner is '{calm}' with {problems}")


def traffic(operator):
    """Changes the range, filters with the legend, and reads the tooltip with the keyboard."""
    browser = operator.browser
    pressed = "document.querySelector('#ranges [aria-pressed=true]')?.dataset.range"
    expect(browser.until(f"{pressed} === '15m'"), f"a new gate starts with the range {browser.evaluate(pressed)}")
    labels = f"[...document.querySelectorAll('{CHARTS} .tick.middle')].map((item) => item.textContent)"
    before = browser.evaluate(labels)
    expect(len(before) >= 2, f"the time axis has the labels {before}")
    browser.evaluate("document.querySelector('[data-range=\"24h\"]').click()")
    expect(browser.until(f"{pressed} === '24h' && String({labels}) !== '{','.join(before)}'"), "the axis is that of another range")
    browser.evaluate("document.querySelector('[data-range=\"15m\"]').click()")
    expect(browser.until(f"String({labels}) === '{','.join(before)}'"), "the first range does not return")

    button = "#traffic-chart .legend button"
    expect(browser.tab_to(f"document.activeElement.matches('{button}')"), "the keyboard does not reach the legend")
    style = browser.evaluate("document.activeElement.querySelector('rect').getAttribute('class')")
    bars = f"document.querySelectorAll('{CHARTS} rect.{style}').length"
    expect(browser.evaluate(bars) > 0, f"there is no bar of {style}")
    for state, wanted in (("false", "=== 0"), ("true", "> 0")):
        browser.key(" ", 32, " ")
        expect(browser.until(f"{bars} {wanted}"), f"with aria-pressed={state}, the bars of {style} are not {wanted}")
        expect(browser.evaluate("document.activeElement.getAttribute('aria-pressed')") == state, "the button has another state")

    browser.evaluate("document.activeElement.blur()")
    expect(browser.tab_to("document.activeElement.matches('#traffic-chart .cursor')"), "the keyboard does not reach the chart")
    shown = "!document.querySelector('#traffic-chart .tip').hidden"
    spoken = "document.activeElement.getAttribute('aria-valuetext')"
    expect(browser.until(shown), "the tooltip does not open with the focus")
    points = [point for line in api(operator, "traffic?since=15m")["series"] for point in line["points"]]
    latest = max(point["at"] for point in points)
    total = sum(point["requests"] for point in points if point["at"] == latest)
    # The requests were sent minutes ago, to the left.
    for _ in range(20):
        if f"Requests: {total:,}" in browser.evaluate(spoken):
            break
        browser.key("ArrowLeft", 37)
    told = browser.evaluate("document.querySelector('#traffic-chart .tip').textContent")
    expect(f"Requests{total:,}" in told and "Denied" in told, f"the tooltip does not contain {total} requests: '{told}'")
    expect(f"Requests: {total:,}" in browser.evaluate(spoken), "a screen reader does not get the text of the tooltip")
    operator.check("a tooltip")
    browser.key("Escape", 27)
    expect(browser.evaluate(f"!({shown})"), "Escape does not close the tooltip")


def adoption(operator):
    """Compares the shares of the last day with the API."""
    browser = operator.browser
    # The gate counts the devices of the current day once a minute.
    chart = "Boolean(document.querySelector('#adoption-charts svg .s0'))"
    expect(any(browser.until(chart) for _ in range(4)), "there is no chart of the adoption")
    group = api(operator, "adoption?since=30d")["groups"][0]
    told = browser.evaluate("document.querySelector('#adoption-charts .legend').textContent")
    for line in group["versions"]:
        words = f"{line['version']}{percent(line['devices'][-1], sum(other['devices'][-1] for other in group['versions']))}"
        expect(words in told, f"'{told}' does not contain '{words}'")
    advice = "document.querySelector('#adoption-charts .advice')?.textContent"
    expect(browser.until(f"{advice}?.includes('3.0 would deny')"), f"no effect of 3.0 in '{browser.evaluate(advice)}'")


def tour(operator):
    """Takes the tour, which is offered once."""
    browser = operator.browser
    opened = "document.getElementById('tour').open"
    expect(browser.evaluate(opened), "a new reader is not offered the tour")
    expect(browser.evaluate("!document.getElementById('tour').contains(document.activeElement)"), "the offer takes the focus")
    operator.check("the offer of the tour")
    browser.evaluate("document.getElementById('tour-next').click()")
    seen = []
    for step in range(1, 6):
        expect(browser.evaluate(text("tour-step")) == f"Step {step} of 5", f"step {step} is not shown")
        expect(browser.evaluate("document.activeElement.id") == "tour-title", f"step {step} does not get the focus")
        seen.append(browser.evaluate("document.querySelector('.toured')?.id"))
        if step == 3:
            operator.check("the tour")
        if step < 5:
            expect(browser.tab_to("document.activeElement.id === 'tour-next'"), "the keyboard does not reach Next")
            browser.key("Enter", 13, "\r")
    expect(seen == ["overview", "what-if", "rules", "traffic", "audit"], f"the tour points at {seen}")
    browser.evaluate("document.getElementById('tour-back').click()")
    expect(browser.evaluate(text("tour-step")) == "Step 4 of 5", "Back does not return to step 4")
    browser.evaluate("document.getElementById('tour-close').click()")
    expect(browser.evaluate(f"!{opened} && !document.querySelector('.toured')"), "the tour does not close")
    expect(browser.evaluate("document.activeElement.id") == "tour-start", "the focus is lost when the tour closes")
    operator.open()
    expect(browser.evaluate(f"!{opened}"), "the tour is offered again")
    browser.evaluate("document.getElementById('tour-start').click()")
    expect(browser.evaluate(f"{opened} && {text('tour-step')} === 'Step 1 of 5'"), "the tour does not start again")
    browser.key("Escape", 27)
    expect(browser.evaluate(f"!{opened}"), "Escape does not close the tour")


def languages(operator):
    """Opens the page in the languages of other readers."""
    browser = operator.browser
    agent = browser.evaluate("navigator.userAgent")
    for accepted, query, language, words in (
        ("ja-JP,en", "", "ja", "最低バージョン"),
        ("fr,ko-KR", "", "ko", "최소 버전"),
        ("ja-JP", "?lang=ko", "ko", "강제 업데이트"),
        ("de", "", "en", "Most used version"),
    ):
        browser.ask("Emulation.setUserAgentOverride", userAgent=agent, acceptLanguage=accepted)
        operator.open(query)
        expect(browser.evaluate("document.documentElement.lang") == language, f"{accepted}{query}: the language is not {language}")
        expect(browser.until(f"document.body.innerText.includes('{words}')"), f"{accepted}{query}: the page does not contain '{words}'")
        operator.check(f"the page in {language}")
        wide = browser.evaluate("document.documentElement.scrollWidth - innerWidth")
        expect(wide <= 0, f"{language}: the page is {wide} pixels too wide")
    browser.ask("Emulation.setUserAgentOverride", userAgent=agent, acceptLanguage="en")
    operator.open()


def media(operator):
    """Looks at the page in dark mode, on paper, with less motion, and on a phone."""
    browser = operator.browser
    browser.evaluate("for (const item of document.querySelectorAll('details')) item.open = true")
    back = "getComputedStyle(document.body).backgroundColor"
    backs = []
    for features in (LIGHT, DARK):
        browser.ask("Emulation.setEmulatedMedia", features=features)
        backs.append(browser.evaluate(back))
    expect(backs[0] != backs[1], "dark mode has the background of light mode")
    browser.ask("Emulation.setEmulatedMedia", media="print", features=DARK)
    expect(browser.evaluate(back) == backs[0], "the page is printed dark")
    visible = "[...document.querySelectorAll('nav, #tour-start, #ranges, #floor, #records button')].some((item) => item.checkVisibility())"
    expect(not browser.evaluate(visible), "controls are printed")
    operator.axe("paper", "{}")
    motion = [{"name": "prefers-reduced-motion", "value": "reduce"}]
    browser.ask("Emulation.setEmulatedMedia", media="", features=motion)
    expect(browser.evaluate("getComputedStyle(document.documentElement).scrollBehavior") == "auto", "the page moves")
    browser.ask("Emulation.setEmulatedMedia", features=[])
    browser.ask("Emulation.setDeviceMetricsOverride", width=390, height=844, deviceScaleFactor=1, mobile=True)
    for language in ("", "?lang=ja", "?lang=ko"):
        operator.open(language)
        wide = browser.evaluate("document.documentElement.scrollWidth")
        expect(wide <= 390, f"on a phone, the page{language} is {wide} pixels wide")
        operator.check(f"a phone{language}")
