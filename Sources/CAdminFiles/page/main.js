// The main script of the admin page: receives events about changes, and updates the page.

import { byId, number } from "./elements.js";
import { showAudit, showHealth, showRules } from "./rules.js";
import { showDecisions, showTraffic } from "./traffic.js";
import { renewUndo, startUndo } from "./undo.js";
import { startWhatIf, updateWhatIf } from "./what-if.js";

/** The interval, in ms, for updating the counts, and for updating everything while there is no event stream. */
const pause = 10_000;
const everything = ["rules", "audit", "counts"];

/** The parts to load again; one update runs at a time. */
let wanted = new Set();
let isLooking = false;
let rules;
let counted = 0;
let figures;

function look(...parts) {
    for (const part of parts) wanted.add(part);
    if (parts.includes("counts")) counted = Date.now();
    if (!isLooking) lookNext();
}

async function lookNext() {
    isLooking = true;
    while (wanted.size > 0) {
        const parts = wanted;
        wanted = new Set();
        await show(parts);
        document.documentElement.dataset.shown = "yes";
    }
    isLooking = false;
}

async function show(parts) {
    const state = byId("state");
    try {
        const work = [];
        if (["rules", "findings", "feeds", "breaker"].some((part) => parts.has(part)) || !rules) {
            rules = await showRules();
            work.push(showHealth(rules).then(showState), renewUndo(rules));
        }
        if (parts.has("audit") || parts.has("rules")) work.push(showAudit());
        if (parts.has("counts")) work.push(showTraffic(rules), showDecisions(rules));
        if (parts.has("counts") || parts.has("rules")) work.push(updateWhatIf(rules));
        await Promise.all(work);
    } catch (problem) {
        state.textContent = `Loading failed: ${problem.message}`;
        state.className = "bad";
    }
}

function showState(feeds) {
    const state = byId("state");
    const isWell = feeds.rules.lastReloadSuccessful && feeds.feeds.every((feed) => ["fresh", "waiting"].includes(feed.state));
    const ways = [rules.mode === "observe" && ", observe mode", rules.undo && ", activated by an undo"].filter(Boolean).join("");
    const text = isWell
        ? `Rules revision ${rules.revision}${ways}`
        : `Rules revision ${rules.revision}${ways}. There are problems: see Findings and feeds.`;
    if (state.textContent !== text) state.textContent = text;
    state.className = isWell ? "good" : "bad";
}

function showFigures(next) {
    const now = Date.now();
    const since = figures && now > figures.time ? (next.requests - figures.requests) / ((now - figures.time) / 1000) : 0;
    const rate = since > 0 ? `; ${since < 10 ? since.toFixed(1) : number(since)} requests/second` : "";
    byId("live").textContent =
        `${number(next.requests)} requests since startup: ${number(next.denied)} denied, ${number(next.warned)} with a recommendation, ` +
        `${number(next.observed)} observed${next.passed > 0 ? `, ${number(next.passed)} allowed by a pass` : ""}${rate}.`;
    figures = { requests: next.requests, time: now };
    if (now - counted >= pause) look("counts");
}

function listen() {
    const events = new EventSource("/api/v1/events");
    const live = document.documentElement.dataset;
    // Events may have been missed before the connection was established.
    events.addEventListener("open", () => {
        live.live = "yes";
        look(...everything);
    });
    events.addEventListener("error", () => {
        // If there was no connection yet, nothing has been loaded.
        if (!live.live) look(...everything);
        live.live = "no";
        // The browser does not reconnect after an error response.
        if (events.readyState === EventSource.CLOSED) setTimeout(listen, pause);
    });
    events.addEventListener("changed", (event) => look(...JSON.parse(event.data).parts));
    events.addEventListener("figures", (event) => showFigures(JSON.parse(event.data)));
}

startWhatIf();
startUndo((revision) => {
    byId("state").textContent = `Revision ${revision} is active.`;
    look("rules");
});
byId("span").addEventListener("change", () => rules && showTraffic(rules));
listen();
setInterval(() => {
    if (document.documentElement.dataset.live !== "yes") look(...everything);
    else if (Date.now() - counted >= 6 * pause) look("counts");
}, pause);
