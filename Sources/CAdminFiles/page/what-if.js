// A hypothetical minimum: the clients it would affect, and the lines for the rules file.

import { ask, askInTurn } from "./ask.js";
import { Chart } from "./chart.js";
import { byId, coded, h, setOptions, show, table } from "./elements.js";
import { compact, counted, number, percent } from "./format.js";
import { sum } from "./scales.js";
import { compareVersions, isFor, isPlain } from "./versions.js";
import { t } from "./words.js";

const span = "7d";

let chart;
let rules = [];
let clients = [];
let isCounting = false;
/** The time when the clients were loaded. */
let asked = 0;
let versions = [];
/** The active revision. */
let revision = "";
/** The next request to send; one request is sent at a time. */
let wanted;
let isAsking = false;
/** The last completed request and its time; its result is reused, because figures over a week change slowly. */
let answered = { key: "", time: 0 };
const patience = 60_000;

export function startWhatIf() {
    byId("rule").addEventListener("change", () => choose(undefined));
    byId("floor").addEventListener("input", () => look());
    for (const button of document.querySelectorAll("[data-copy]")) button.addEventListener("click", () => copy(button.dataset.copy));
}

async function copy(id) {
    const field = byId(id);
    try {
        await navigator.clipboard.writeText(field.value);
    } catch {
        // Browsers have a clipboard only for HTTPS and loopback addresses, and may forbid its use.
        field.select();
        byId("copied").textContent = t("copySelected");
        return;
    }
    byId("copied").textContent = t("copied");
    setTimeout(() => (byId("copied").textContent = ""), 4000);
}

/** Returns the clients of the last 7 days, as of the last update. */
export const recentClients = () => clients;

/** Updates the rules and the census; the slider keeps its position. */
export async function updateWhatIf(inForce) {
    // A new gate learns of versions soon, but figures over a week change slowly.
    const age = Date.now() - asked;
    if (inForce.isCounting && (age >= patience || (versions.length < 3 && age >= patience / 6) || clients.length === 0)) {
        asked = Date.now();
        ({ clients } = await ask(`/api/v1/census?since=${span}`));
    }
    isCounting = inForce.isCounting;
    revision = inForce.revision;
    // A rule with a route has no minimum of its own.
    rules = inForce.rules.filter((rule) => !rule.terms.route);
    setOptions(byId("rule"), new Map(rules.map(({ id }) => [id, id])));
    choose(versions[Number(byId("floor").value)]);
}

function choose(version) {
    const rule = rules.find((item) => item.id === byId("rule").value);
    const floor = byId("floor");
    const counts = rule ? clients.filter((client) => isFor(rule, client)).map((client) => client.version) : [];
    const own = isCounting ? rule?.terms.minimum : undefined;
    versions = [...new Set([...counts, own])].filter(isPlain);
    versions.sort(compareVersions);
    floor.max = Math.max(versions.length - 1, 0);
    floor.disabled = versions.length === 0;
    const start = versions.indexOf(version) >= 0 ? version : own;
    floor.value = Math.max(versions.indexOf(start), 0);
    look();
}

function look() {
    const rule = rules.find((item) => item.id === byId("rule").value);
    const version = versions[Number(byId("floor").value)];
    byId("floor").setAttribute("aria-valuetext", version ?? t("noVersions"));
    byId("floor-text").value = version ?? "–";
    byId("histogram").hidden = !version;
    byId("histogram-table").hidden = !version;
    byId("floor").parentElement.hidden = !version;
    byId("paste").hidden = !version;
    if (!version) {
        byId("cost").textContent = isCounting ? t("whatIfNone") : t("censusOff");
        return;
    }
    draw(rule, version);
    byId("line").value = `    minimum: "${version}"`;
    showPlan(rule, version);
    const key = `${rule.id} ${version} ${revision}`;
    // A request in progress would otherwise replace the result.
    if (!isAsking && key === answered.key && Date.now() - answered.time < patience) return;
    // The current minimum changes nothing.
    wanted = { rule: rule.id, version, key, isCurrent: version === rule.terms.minimum };
    if (!isAsking) askNext();
}

/** Shows a scheduled floor: only for a version above the rule's minimum, and without a second `next:` for the rule. */
function showPlan(rule, version) {
    const { minimum } = rule.terms;
    byId("plan").hidden = Boolean(minimum) && compareVersions(version, minimum) <= 0;
    const day = (days) => `${new Date(Date.now() + days * 86_400_000).toISOString().slice(0, 10)}T00:00:00Z`;
    const hasNext = rule.next.length > 0;
    byId("block-label").replaceChildren(...coded(t(hasNext ? "pasteLaterNext" : "pasteLater")));
    const lines = [`      - minimum: "${version}"`, `        warnFrom: ${day(0)}`, `        enforceFrom: ${day(30)}`];
    byId("block").value = [...(hasNext ? [] : ["    next:"]), ...lines].join("\n");
}

async function askNext() {
    isAsking = true;
    while (wanted) {
        const question = wanted;
        wanted = undefined;
        const query = new URLSearchParams({ since: span, rule: question.rule, minimum: question.version });
        try {
            const impact = question.isCurrent ? undefined : await askInTurn(`/api/v1/impact?${query}`, { method: "POST" }, () => !wanted);
            if (wanted) continue;
            const words = impact ? effect(impact) : t("wouldNothing");
            byId("cost").textContent = t("cost", { version: question.version, rule: question.rule, effect: words });
            answered = { key: question.key, time: Date.now() };
        } catch (problem) {
            if (!wanted) byId("cost").textContent = problem.message;
        }
    }
    isAsking = false;
}

/** Returns the effect of a change to the rules, as the predicate of a sentence. */
export function effect(impact) {
    const amount = (side) => {
        const requests = `${counted("nRequests", side.requests)} (${percent(side.requests, impact.total.requests)})`;
        const devices = `${counted("nDevices", side.devices)} (${percent(side.devices, impact.total.devices)})`;
        return side.devices > 0 ? `${requests}${t("comma")}${devices}` : requests;
    };
    const { denied, passed, moved } = impact;
    const parts = [];
    if (denied.amount.requests > 0) parts.push(t("wouldDeny", { amount: amount(denied.amount) }));
    if (passed.amount.requests > 0) parts.push(t("wouldAllow", { amount: amount(passed.amount) }));
    for (const { from, to, amount: side } of moved.backends) parts.push(t("wouldMove", { amount: amount(side), from, to }));
    if (parts.length === 0) return t("wouldNothing");
    return parts.join(t("and"));
}

function draw(rule, version) {
    const sums = versions.map((name) => {
        const own = clients.filter((client) => client.version === name && isFor(rule, client));
        return { requests: sum(own.map(({ requests }) => requests)), devices: sum(own.map(({ devices }) => devices)) };
    });
    const unit = sums.some(({ devices }) => devices > 0) ? "devices" : "requests";
    const line = versions.indexOf(version);
    const half = (isWanted) => sums.map((amounts, index) => (isWanted(index) ? amounts[unit] : 0));
    byId("floor").parentElement.style.setProperty("--columns", versions.length);
    chart ??= new Chart(byId("histogram"), { label: t("whatIfCursor"), height: 190 });
    chart.update({
        unit: t(`unit_${unit}`),
        columns: versions.length,
        series: [
            { name: t(`below_${unit}`), style: "below", values: half((index) => index < line), isHatched: true },
            { name: t(`above_${unit}`), style: "above", values: half((index) => index >= line) },
        ],
        ticks: versions.map((name, index) => ({ index, label: name })),
        captions: sums.map(({ requests, devices }) => (unit === "devices" ? [compact(devices), t("shortRequests", { n: compact(requests) })] : [compact(requests)])),
        line,
        tip: (index) => ({
            title: versions[index],
            lines: [
                { name: t("devices"), text: number(sums[index].devices) },
                { name: t("requests"), text: number(sums[index].requests) },
            ],
        }),
    });
    const title = t("histogramOf", { rule: rule.id });
    const rows = versions.map((name, index) => [name, number(sums[index].devices), number(sums[index].requests)]);
    show("histogram-table", h("details", {}, h("summary", {}, t("asTable")), table(title, [t("version"), `#${t("devices")}`, `#${t("requests")}`], rows)));
}
