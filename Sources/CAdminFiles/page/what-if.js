// A hypothetical minimum: the clients it would affect, and the lines for the rules file.

import { ask, askInTurn } from "./ask.js";
import { bars, byId, compareVersions, ends, number, percent, s } from "./elements.js";

const span = "7d";
const [width, height] = [720, 110];

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
}

/** Updates the rules and the census; the slider keeps its position. */
export async function updateWhatIf(inForce) {
        // Figures over a week change slowly, and take the longest to load.
    if (inForce.isCounting && (clients.length === 0 || Date.now() - asked >= patience)) {
        asked = Date.now();
        ({ clients } = await ask(`/api/v1/census?since=${span}`));
    }
    isCounting = inForce.isCounting;
    revision = inForce.revision;
    // A rule with a route has no minimum of its own.
    rules = inForce.rules.filter((rule) => !rule.terms.route);
    const select = byId("rule");
    const chosen = select.value;
    const names = rules.map((rule) => rule.id);
    if (names.join("\n") !== [...select.options].map((option) => option.value).join("\n")) {
        select.replaceChildren(...names.map((name) => new Option(name, name)));
        if (names.includes(chosen)) select.value = chosen;
    }
    choose(versions[Number(byId("floor").value)]);
}

function choose(version) {
    const rule = rules.find((item) => item.id === byId("rule").value);
    const floor = byId("floor");
    const counted = rule ? clients.filter((client) => isFor(rule, client)).map((client) => client.version) : [];
    const own = isCounting ? rule?.terms.minimum : undefined;
    versions = [...new Set([...counted, own])].filter((text) => /^[0-9]+(\.[0-9]+)*$/.test(text ?? ""));
    versions.sort(compareVersions);
    floor.max = Math.max(versions.length - 1, 0);
    floor.disabled = versions.length === 0;
    const start = versions.indexOf(version) >= 0 ? version : own;
    floor.value = Math.max(versions.indexOf(start), 0);
    look();
}

function isFor(rule, client) {
    const { platforms, apps, channels } = rule.match;
    const fits = (names, name) => !names || names.some((item) => item.toLowerCase() === (name ?? "").toLowerCase());
    return fits(platforms, client.platform) && fits(apps, client.app) && fits(channels, client.channel);
}

function look() {
    const rule = rules.find((item) => item.id === byId("rule").value);
    const version = versions[Number(byId("floor").value)];
    byId("floor").setAttribute("aria-valuetext", version ?? "no versions");
    byId("floor-text").value = version ?? "–";
    draw(rule, version);
    byId("paste").hidden = !version;
    if (!version) {
        byId("cost").textContent = isCounting ? "The census has no versions for the clients that this rule matches." : "The census is off.";
        return;
    }
    byId("line").value = `    minimum: "${version}"`;
    showPlan(rule, version);
    const key = `${rule.id} ${version} ${revision}`;
    if (key === answered.key && Date.now() - answered.time < patience) return;
    wanted = { rule: rule.id, version, key };
    if (!isAsking) askNext();
}

/** Shows a scheduled floor: only for a version above the rule's minimum, and without a second `next:` for the rule. */
function showPlan(rule, version) {
    const { minimum } = rule.terms;
    byId("plan").hidden = Boolean(minimum) && compareVersions(version, minimum) <= 0;
    const day = (days) => `${new Date(Date.now() + days * 86_400_000).toISOString().slice(0, 10)}T00:00:00Z`;
    const hasNext = rule.next.length > 0;
    byId("block-label").textContent = hasNext ? "or to enforce it from a date, add to the rule's `next:`" : "or to enforce it from a date:";
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
            const impact = await askInTurn(`/api/v1/impact?${query}`, { method: "POST" }, () => !wanted);
            if (wanted) continue;
            byId("cost").textContent = `Based on the last 7 days, a minimum of ${question.version} for rule '${question.rule}' ${effect(impact)}.`;
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
        const requests = `${number(side.requests)} requests (${percent(side.requests, impact.total.requests)})`;
        const devices = `${number(side.devices)} devices (${percent(side.devices, impact.total.devices)})`;
        return side.devices > 0 ? `${requests}, ${devices}` : requests;
    };
    const { denied, passed, moved } = impact;
    const parts = [];
    if (denied.amount.requests > 0) parts.push(`would newly deny ${amount(denied.amount)}`);
    if (passed.amount.requests > 0) parts.push(`would newly allow ${amount(passed.amount)}`);
    for (const { from, to, amount: side } of moved.backends) parts.push(`would move ${amount(side)} from backend ${from} to ${to}`);
    if (parts.length === 0) parts.push("would not affect any client");
    return parts.join(" and ");
}

function draw(rule, version) {
    const place = byId("histogram");
    if (!rule || versions.length === 0) return place.replaceChildren();
    const counts = versions.map((name) =>
        clients.filter((client) => client.version === name && isFor(rule, client)).reduce((sum, client) => sum + client.requests, 0),
    );
    const top = Math.max(...counts, 1);
    const step = width / versions.length;
    const columns = versions.map((name, index) => {
        const size = (counts[index] / top) * height;
        const isBelow = compareVersions(name, version) < 0;
        return s(
            "rect",
            {
                x: (index * step).toFixed(2),
                y: (height - size).toFixed(2),
                width: Math.max(step - 1, 0.5).toFixed(2),
                height: size.toFixed(2),
                class: isBelow ? "below" : "above",
            },
            s("title", {}, `${name}: ${number(counts[index])} requests`),
        );
    });
    const label = `Requests in the last 7 days by version, ${versions[0]} to ${versions.at(-1)}`;
    place.replaceChildren(bars(width, height, label, ...columns), ends(versions[0], versions.at(-1)));
}
