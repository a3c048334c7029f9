// The clients that currently get denials and recommendations, and those that rules in observe mode would deny.

import { ask } from "./ask.js";
import { h, quiet, show, table } from "./elements.js";
import { number, percent } from "./format.js";
import { sum } from "./scales.js";
import { platformName } from "./traffic.js";
import { t } from "./words.js";

export async function showDecisions({ isCounting }) {
    const [census, metrics] = await Promise.all([isCounting ? ask("/api/v1/census?since=1h") : undefined, ask("/metrics")]);
    const parts = [];
    for (const [title, kinds] of [[t("denied"), ["require", "maintenance"]], [t("recommended"), ["recommend"]]]) {
        const lines = census?.clients.filter((client) => kinds.includes(client.decision)) ?? [];
        parts.push(h("h3", {}, title));
        if (!census) parts.push(quiet(t("censusOff")));
        else if (lines.length === 0) parts.push(quiet(t("noRequests")));
        else parts.push(decisions(title, lines, census));
    }
    const failing = failures(census?.clients ?? []);
    if (failing.length > 0) {
        parts.push(h("h3", {}, t("failures")));
        parts.push(table(t("failures"), [t("app"), t("platform"), t("version"), "#5xx", `#${t("share")}`], failing));
    }
    const observed = [...metrics.matchAll(/^versiongate_observed_denials_total\{rule="([^"]*)"\} ([0-9]+)$/gm)];
    parts.push(h("h3", {}, t("observedTitle")));
    parts.push(
        observed.length === 0
            ? quiet(t("noRequests"))
            : table(t("observedTitle"), [t("rule"), `#${t("requests")}`], observed.map(([, rule, count]) => [rule, number(count)])),
    );
    const passes = [...metrics.matchAll(/^versiongate_passes_total\{outcome="([^"]*)"\} ([1-9][0-9]*)$/gm)];
    if (passes.length > 0) {
        parts.push(h("h3", {}, t("passesTitle")));
        parts.push(table(t("passesTitle"), [t("outcome"), `#${t("requests")}`], passes.map(([, outcome, count]) => [outcome, number(count)])));
    }
    parts.push(...backends(metrics));
    show("decisions", ...parts);
}

/** Returns the requests by backend, if a route has selected one. */
function backends(metrics) {
    const routed = [
        ...metrics.matchAll(/^versiongate_routed_requests_total\{rule="([^"]*)",backend="([^"]*)",mode="([^"]*)"\} ([0-9]+)$/gm),
    ].map(([, rule, backend, mode, count]) => ({ rule, backend, isObserved: mode === "observe", requests: Number(count) }));
    if (routed.length === 0) return [];
    const forwarded = [...metrics.matchAll(/^versiongate_requests_total\{[^}]*decision="(?:allow|recommend)"[^}]*\} ([0-9]+)$/gm)];
    const enforced = routed.filter((line) => !line.isObserved);
    const all = sum(forwarded.map(([, count]) => Number(count)));
    const others = Math.max(all - sum(enforced.map((line) => line.requests)), 0);
    const lines = [
        ...enforced.map((line) => [line.backend, line.rule, number(line.requests), percent(line.requests, all)]),
        ["default", "–", number(others), percent(others, all)],
        ...routed
            .filter((line) => line.isObserved)
            .map((line) => [`${line.backend} (${t("observedOnly")})`, line.rule, number(line.requests), percent(line.requests, all)]),
    ];
    return [h("h3", {}, t("backends")), table(t("backends"), [t("backend"), t("rule"), `#${t("requests")}`, `#${t("share")}`], lines)];
}

/** Returns the versions with the most 5xx responses from the backend. */
function failures(clients) {
    const sums = new Map();
    for (const client of clients) {
        if (["require", "maintenance"].includes(client.decision)) continue;
        const words = client.isOther
            ? [t("others"), t("others"), t("others")]
            : [client.app ?? "–", client.platform ?? "–", client.version ?? "–"];
        const entry = sums.get(words.join("\n")) ?? { words, errors: 0, requests: 0 };
        entry.errors += client.serverErrors;
        entry.requests += client.requests;
        sums.set(words.join("\n"), entry);
    }
    return [...sums.values()]
        .filter(({ errors }) => errors > 0)
        .sort((left, right) => right.errors - left.errors)
        .slice(0, 12)
        .map(({ words, errors, requests }) => [...words, number(errors), percent(errors, Math.max(requests, errors))]);
}

function decisions(title, lines, census) {
    const shown = lines.slice(0, 12).map((line) => [
        line.rule,
        line.isOther ? t("others") : platformName(line.platform),
        line.isOther ? t("others") : line.version ?? (line.unreadable?.includes("version") ? t("unreadable") : t("noVersion")),
        number(line.requests),
        percent(line.requests, census.requests),
        line.identifiedRequests > 0 ? number(line.devices) : "–",
    ]);
    const part = table(title, [t("rule"), t("platform"), t("version"), `#${t("requests")}`, `#${t("share")}`, `#${t("devices")}`], shown);
    if (lines.length > shown.length) part.append(quiet(t("more", { n: number(lines.length - shown.length) })));
    return part;
}
