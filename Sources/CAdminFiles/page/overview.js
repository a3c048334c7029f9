// The first screen: what the gate does now, and what changed last.

import { ask, askInTurn } from "./ask.js";
import { badge, byId, h, quiet, s, show, table } from "./elements.js";
import { counted, number, percent, points, since, when } from "./format.js";
import { diff, sourceName } from "./changes.js";
import { sum } from "./scales.js";
import { platformName, versionName } from "./traffic.js";
import { audiencesOf, candidate, isFor } from "./versions.js";
import { english, t } from "./words.js";

const kinds = ["denied", "recommended", "observed"];
/** The number of rules whose next minimum the page evaluates. */
const candidateLimit = 3;
/** Figures over a week change slowly, and take long to count. */
const patience = 60_000;
/** The rise of the share of denied requests that is shown in red. */
const alarming = 0.005;

/** The evaluated minimums: the state that they belong to, and the time. */
let evaluated = { key: "", time: 0 };

const amount = ({ requests, devices }) =>
    devices > 0 ? `${counted("nRequests", requests)} · ${counted("nDevices", devices)}` : counted("nRequests", requests);

/** Shows the figures of the last 15 minutes, next to those of an hour ago. */
export async function showOverview({ isCounting }) {
    for (const id of [...kinds.map((kind) => `tile-${kind}`), "tile-most", "platforms", "candidates"]) byId(id).hidden = !isCounting;
    if (!isCounting) return show("rate-note", quiet(t("censusOff")));
    const overview = await ask("/api/v1/overview");
    const { now, earlier } = overview.total;
    showMostUsed(overview);
    show("rate-note", quiet(amount(now)), quiet(t("last15")));
    for (const kind of kinds) {
        show(
            `tile-${kind}`,
            h("h3", {}, t(kind)),
            h("p", { class: "big" }, percent(now[kind].requests, now.requests)),
            quiet(amount(now[kind])),
            trendLine(trend(now, earlier, kind)),
        );
    }
    show("platforms", h("h3", {}, t("byPlatform")), platformTable(overview));
}

/** Returns how a share has changed since an hour ago, as text with its style; `undefined` without requests to compare. */
function trend(now, earlier, kind) {
    if (!(earlier.requests > 0 && now.requests > 0)) return undefined;
    const change = now[kind].requests / now.requests - earlier[kind].requests / earlier.requests;
    if (Math.abs(change) < 0.0005) return { text: "=", style: "quiet", words: t("sameEarlier") };
    const text = `${change > 0 ? "▲" : "▼"} ${points(change)}`;
    return { text, style: kind === "denied" && change >= alarming ? "bad" : "quiet", words: t("sinceEarlier", { change: text }) };
}

const trendLine = (change) => h("p", { class: change?.style ?? "quiet" }, change?.words ?? t("noneEarlier"));

function platformTable({ platforms, total }) {
    const cell = (now, earlier, kind) => {
        const change = trend(now, earlier, kind);
        return h("span", {}, h("strong", {}, percent(now[kind].requests, now.requests)), change && h("span", { class: `trend ${change.style}`, title: change.words }, change.text), h("small", {}, amount(now[kind])));
    };
    const row = (name, { now, earlier }) => [
        h("span", {}, h("strong", {}, name), h("small", {}, amount(now))),
        ...kinds.map((kind) => cell(now, earlier, kind)),
    ];
    if (!(total.now.requests > 0)) return quiet(t("noRequests"));
    return table(t("byPlatform"), [t("platform"), ...kinds.map((kind) => t(kind))], platforms.map((line) => row(platformName(line.platform), line)));
}

function showMostUsed({ versions, total }) {
    const all = total.now.requests;
    const title = h("h3", {}, t("mostUsed"));
    if (versions.length === 0) return show("tile-most", title, h("p", { class: "big" }, "–"), quiet(t("noRequests")));
    const [most, second] = versions;
    show(
        "tile-most",
        title,
        h("p", { class: "big" }, versionName(most.version)),
        quiet(t("ofRequestsShare", { share: percent(most.requests, all) })),
        second && quiet(t("then", { version: second.version, share: percent(second.requests, all) })),
    );
}

/** Shows the devices that the next minimum of each rule would deny; `clients` are those of the last 7 days. */
export async function showCandidates({ rules, revision, isCounting }, clients) {
    if (!isCounting) return;
    if (evaluated.key === revision && Date.now() - evaluated.time < patience) return;
    evaluated = { key: revision, time: Date.now() };
    const plans = rules
        .filter(({ terms }) => !terms.route && terms.minimum)
        .slice(0, candidateLimit)
        .map((rule) => {
            const versions = new Map();
            for (const client of clients) if (isFor(rule, client)) versions.set(client.version, (versions.get(client.version) ?? 0) + client.requests);
            return { rule, minimum: candidate(versions, rule.terms.minimum) };
        })
        .filter(({ minimum }) => minimum);
    const title = h("h3", {}, t("candidatesTitle"));
    const link = h("p", { class: "more" }, h("a", { href: "#what-if" }, t("tryOthers")));
    if (plans.length === 0) {
        // More may be known soon.
        evaluated.time = Date.now() - patience + 10_000;
        return show("candidates", title, quiet(t("candidatesNone")), link);
    }
    const rows = [];
    for (const { rule, minimum } of plans) {
        const query = new URLSearchParams({ since: "7d", rule: rule.id, minimum });
        const impact = await askInTurn(`/api/v1/impact?${query}`, { method: "POST" }, () => evaluated.key === revision);
        if (!impact) return;
        rows.push(effectRow(rule, minimum, impact));
    }
    show("candidates", title, ...rows, link);
}

const hits = { devices: "hitsDevices", requests: "hitsRequests" };
const hitsOwn = { devices: "hitsOwnDevices", requests: "hitsOwnRequests" };

function effectRow(rule, minimum, { denied, total, audiences }) {
    const unit = total.devices > 0 ? "devices" : "requests";
    const own = audiencesOf(rule, audiences);
    const part = denied.amount[unit];
    const all = own.length > 0 ? sum(own.map((audience) => audience.total[unit])) : total[unit];
    const share = percent(part, all);
    return h(
        "div",
        { class: "effect" },
        h("p", {}, h("strong", {}, `${rule.id} ${rule.terms.minimum} → ${minimum}`), h("span", {}, t((own.length > 0 ? hitsOwn : hits)[unit], { share }))),
        s("svg", { class: "meter", viewBox: "0 0 100 6", preserveAspectRatio: "none", "aria-hidden": "true" }, s("rect", { width: 100, height: 6, rx: 1, class: "rail" }), s("rect", { width: all > 0 ? Math.max((part / all) * 100, part > 0 ? 1 : 0) : 0, height: 6, rx: 1, class: "denied" })),
        quiet(amount(denied.amount)),
    );
}

/** Shows the revision of the active rules. */
export function showActive({ revision, inForceSince, mode, undo, origin }) {
    show(
        "active",
        h("h3", {}, t("activeRules")),
        h("p", {}, t("revision"), " ", h("code", { id: "revision" }, revision), mode === "observe" ? badge("warn", t("observeMode")) : "", undo ? badge("warn", t("byUndo")) : ""),
        inForceSince && h("p", { class: "quiet" }, t("activeSince"), " ", when(inForceSince)),
        quiet(origin.kind === "file" ? origin.files.join(", ") : t("fromState")),
    );
}

/** Shows the newest change to the rules. */
export function showLastChange(records) {
    const change = records.find(({ outcome, source }) => outcome === "applied" && source.kind !== "start") ?? records[0];
    const title = h("h3", {}, t("lastChange"));
    if (!change) return show("last-change", title, quiet(t("noChanges")));
    const shown = change.changes.slice(0, 3);
    show(
        "last-change",
        title,
        h("p", {}, h("strong", {}, since(change.at)), " · ", when(change.at), " · ", sourceName(change.source), change.after && h("span", {}, " · ", h("code", {}, change.after))),
        shown.length > 0 ? diff(shown) : quiet(t(change.source.kind === "start" ? "sinceStart" : "noEdits")),
        h("p", { class: "more" }, h("a", { href: "#audit" }, change.changes.length > shown.length ? t("moreLines", { n: number(change.changes.length - shown.length) }) : t("allChanges"))),
    );
}

/** Shows the first problem, or that there is none. `problems` are { level, text, isEnglish }, worst first. */
export function showState(problems) {
    const [first] = problems;
    const text = first ? first.text : t("allWell");
    const state = byId("state");
    if (state.textContent !== text) {
        state.textContent = text;
        state.removeAttribute("lang");
        if (first?.isEnglish && english.lang) state.lang = english.lang;
    }
    byId("banner").className = `banner ${first?.level ?? "good"}`;
    const more = byId("banner-more");
    more.hidden = !first;
    more.textContent = problems.length > 1 ? t("showAll", { n: number(problems.length) }) : t("details");
}
