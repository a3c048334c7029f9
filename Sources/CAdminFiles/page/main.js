// The main script of the admin page: receives events about changes, and updates the page.

import { forgetAnswers } from "./ask.js";
import { showAdoption, showAdvice, startAdoption } from "./adoption.js";
import { loadAudit, showAudit } from "./changes.js";
import { showDecisions } from "./decisions.js";
import { byId } from "./elements.js";
import { counted, number, perSecond } from "./format.js";
import { showDemo, showHealth } from "./health.js";
import { showActive, showCandidates, showLastChange, showOverview, showState } from "./overview.js";
import { showRules } from "./rules.js";
import { startTour } from "./tour.js";
import { showChanges, showTraffic, startTraffic } from "./traffic.js";
import { renewUndo, startUndo } from "./undo.js";
import { recentClients, startWhatIf, updateWhatIf } from "./what-if.js";
import { t, translate } from "./words.js";

/** The interval, in ms, for updating the counts, and for updating everything while there is no event stream. */
const pause = 10_000;
const everything = ["rules", "audit", "counts"];

/** The parts to load again; one update runs at a time. */
let wanted = new Set();
let isLooking = false;
let rules;
let lastCounted = 0;
/** The requests since startup at the times of the last events, for the current rate. */
let samples = [];

function look(...parts) {
    for (const part of parts) wanted.add(part);
    if (parts.includes("counts")) lastCounted = Date.now();
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
    forgetAnswers();
    try {
        const work = [];
        if (["rules", "findings", "feeds", "breaker"].some((part) => parts.has(part)) || !rules) {
            rules = await showRules();
            showActive(rules);
            showDemo(rules);
            work.push(showHealth(rules).then(showState), renewUndo(rules));
        }
        if (parts.has("audit") || parts.has("rules")) work.push(showRecords());
        if (parts.has("counts")) work.push(showOverview(rules));
        // Impacts take long, and are computed while the gate reads the rest.
        const clients = parts.has("counts") || parts.has("rules") ? updateWhatIf(rules) : undefined;
        const candidates = Promise.resolve(clients).then(() => showCandidates(rules, recentClients())).catch(fail);
        if (parts.has("counts")) work.push(showTraffic(rules), showDecisions(rules), showAdoption(rules));
        await Promise.all([...work, clients]);
        // The other parts do not wait for these.
        candidates.then(showAdvice).catch(fail);
    } catch (problem) {
        fail(problem);
    }
}

async function showRecords() {
    const audit = await loadAudit();
    showAudit(audit);
    showLastChange(audit.records);
    showChanges(audit.records);
}

function fail(problem) {
    byId("state").textContent = t("loadingFailed", { error: problem.message });
    byId("banner").className = "banner bad";
}

function showFigures(next) {
    const now = Date.now();
    samples = [...samples.filter(({ time }) => now - time < pause), { time: now, requests: next.requests }];
    const counts = ["denied", "warned", "observed", ...(next.passed > 0 ? ["passed"] : [])];
    byId("live").textContent = t("sinceStartup", {
        requests: counted("nRequests", next.requests),
        parts: counts.map((name) => t(`live_${name}`, { n: number(next[name]) })).join(t("comma")),
    });
    if (now - lastCounted >= pause) look("counts");
}

/** Shows the rate of the last seconds; without events, there are no requests. */
function showRate() {
    const now = Date.now();
    const [first, last] = [samples[0], samples.at(-1)];
    if (!first || document.documentElement.dataset.live !== "yes") return;
    const isIdle = now - last.time > pause / 2;
    if (isIdle) byId("rate").textContent = perSecond(0);
    else if (last.time > first.time) byId("rate").textContent = perSecond((last.requests - first.requests) / ((last.time - first.time) / 1000));
}

function listen() {
    const events = new EventSource("/api/v1/events");
    const live = document.documentElement.dataset;
    // Events may have been missed before the connection was established.
    events.addEventListener("open", () => {
        live.live = "yes";
        samples = [];
        look(...everything);
    });
    events.addEventListener("error", () => {
        // If there was no connection yet, nothing has been loaded.
        if (!live.live) look(...everything);
        live.live = "no";
        // The browser does not reconnect after an error response.
        if (events.readyState === EventSource.CLOSED) setTimeout(listen, pause);
    });
    events.addEventListener("changed", (event) => {
        const { parts } = JSON.parse(event.data);
        // The chart has a mark for each change of the rules.
        look(...parts, ...(parts.includes("rules") ? ["counts"] : []));
    });
    events.addEventListener("figures", (event) => showFigures(JSON.parse(event.data)));
}

/** Marks the link of the section that the reader sees: the last one that crosses a line below the header. */
function markSections() {
    const crossing = new Set();
    const links = [...document.querySelectorAll("nav a")];
    const watch = new IntersectionObserver(
        (entries) => {
            for (const { target, isIntersecting } of entries) crossing[isIntersecting ? "add" : "delete"](target.id);
            const current = links.findLast((link) => crossing.has(link.hash.slice(1)));
            if (!current) return;
            for (const link of links) link.removeAttribute("aria-current");
            current.setAttribute("aria-current", "location");
        },
        { rootMargin: "-25% 0px -74%" },
    );
    for (const link of links) watch.observe(byId(link.hash.slice(1)));
}

translate(document);
markSections();
startTraffic();
startAdoption();
startWhatIf();
startUndo(() => look("rules"));
startTour();
listen();
setInterval(showRate, 2000);
setInterval(() => {
    if (document.documentElement.dataset.live !== "yes") look(...everything);
    else if (Date.now() - lastCounted >= 6 * pause) look("counts");
}, pause);
