// Traffic by version over time, with a chart for each platform.

import { ask } from "./ask.js";
import { bars, byId, compareVersions, ends, h, minute, number, percent, quiet, s, show, table } from "./elements.js";

const colors = 8;
const [width, height] = [720, 160];

export async function showTraffic({ isCounting }) {
    if (!isCounting) return show("charts", quiet("The census is off."));
    const traffic = await ask(`/api/v1/traffic?since=${byId("span").value}`);
    const platforms = Map.groupBy(traffic.series, (line) => (line.isOther ? "others" : line.platform ?? "no platform"));
    if (platforms.size === 0) return show("charts", quiet("No requests in this period."));
    show("charts", ...[...platforms].flatMap(([platform, lines]) => chart(platform, versions(lines), traffic)));
}

/** Returns the sums of a platform's series by version, in descending order of requests. */
function versions(lines) {
    const found = new Map();
    for (const line of lines) {
        const name = line.isOther ? "other versions" : line.version ?? "no version";
        const sum = found.get(name) ?? { name, requests: 0, denied: 0, points: new Map() };
        for (const point of line.points) {
            sum.requests += point.requests;
            sum.denied += point.denied;
            sum.points.set(point.at, (sum.points.get(point.at) ?? 0) + point.requests);
        }
        found.set(name, sum);
    }
    return [...found.values()].sort((left, right) => right.requests - left.requests);
}

function chart(platform, lines, traffic) {
    const times = axis(traffic);
    const shown = lines.slice(0, colors).sort((left, right) => compareVersions(left.name, right.name));
    const others = lines.slice(colors);
    const totals = times.map((time) => lines.reduce((sum, line) => sum + (line.points.get(time) ?? 0), 0));
    const top = Math.max(...totals, 1);
    const step = width / times.length;
    const columns = [];
    times.forEach((time, column) => {
        let y = height;
        const draw = (requests, style) => {
            const size = (requests / top) * height;
            y -= size;
            const place = { x: (column * step).toFixed(2), y: y.toFixed(2) };
            const extent = { width: Math.max(step - 0.5, 0.5).toFixed(2), height: size.toFixed(2) };
            if (size > 0) columns.push(s("rect", { ...place, ...extent, class: style }));
        };
        shown.forEach((line, index) => draw(line.points.get(time) ?? 0, `s${index}`));
        draw(others.reduce((sum, line) => sum + (line.points.get(time) ?? 0), 0), "rest");
    });
    const all = lines.reduce((sum, line) => sum + line.requests, 0);
    const words = `${number(all)} requests on ${platform} from ${minute(traffic.since)} to ${minute(traffic.until)}`;
    const names = [...shown.map((line, index) => [line.name, `s${index}`])];
    if (others.length > 0) names.push([`${others.length} more`, "rest"]);
    return [
        h("h3", {}, platform),
        bars(width, height, words, ...columns),
        ends(minute(times[0]), `Peak: ${number(top)} requests/${spoken(traffic.stepSeconds)}`, minute(traffic.until)),
        h("ul", { class: "legend" }, ...names.map(([name, style]) => h("li", {}, swatch(style), ` ${name}`))),
        h(
            "details",
            {},
            h("summary", {}, `${platform} as a table`),
            table(
                `Requests on ${platform} by version`,
                ["Version", "#Requests", "#Share", "#Denied"],
                lines.map((line) => [line.name, number(line.requests), percent(line.requests, all), number(line.denied)]),
            ),
        ),
    ];
}

const swatch = (style) =>
    s("svg", { class: "swatch", viewBox: "0 0 10 10", "aria-hidden": "true" }, s("rect", { width: 10, height: 10, class: style }));

const spoken = (seconds) => ({ 60: "minute", 3600: "hour", 86400: "day" })[seconds] ?? `${seconds} s`;

/** Returns all time steps of the period, including those without requests. */
function axis(traffic) {
    const size = traffic.stepSeconds * 1000;
    const times = [];
    const end = Date.parse(traffic.until);
    for (let time = Math.floor(Date.parse(traffic.since) / size) * size; time <= end; time += size) {
        times.push(new Date(time).toISOString().replace(".000", ""));
    }
    return times;
}

/** Shows which clients currently get denials and recommendations, and which ones rules in observe mode would deny. */
export async function showDecisions({ isCounting }) {
    const [census, metrics] = await Promise.all([isCounting ? ask("/api/v1/census?since=1h") : undefined, ask("/metrics")]);
    const parts = [];
    for (const [title, kinds] of [["Denied", ["require", "maintenance"]], ["Recommendations", ["recommend"]]]) {
        const lines = census?.clients.filter((client) => kinds.includes(client.decision)) ?? [];
        parts.push(h("h3", {}, title));
        if (!census) parts.push(quiet("The census is off."));
        else if (lines.length === 0) parts.push(quiet("No requests"));
        else parts.push(decisions(title, lines, census));
    }
    const failing = failures(census?.clients ?? []);
    if (failing.length > 0) {
        parts.push(h("h3", {}, "5xx responses in the last hour"));
        parts.push(table("5xx responses", ["App", "Platform", "Version", "#5xx", "#Share"], failing));
    }
    const observed = [...metrics.matchAll(/^versiongate_observed_denials_total\{rule="([^"]*)"\} ([0-9]+)$/gm)];
    parts.push(h("h3", {}, "Observed: requests that would be denied"));
    parts.push(
        observed.length === 0
            ? quiet("No requests")
            : table("Observed", ["Rule", "#Requests"], observed.map(([, rule, count]) => [rule, number(count)])),
    );
    const passes = [...metrics.matchAll(/^versiongate_passes_total\{outcome="([^"]*)"\} ([1-9][0-9]*)$/gm)];
    if (passes.length > 0) {
        parts.push(h("h3", {}, "Requests with a pass that would be denied"));
        parts.push(table("Passes", ["Outcome", "#Requests"], passes.map(([, outcome, count]) => [outcome, number(count)])));
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
    const sum = (counts) => counts.reduce((total, count) => total + count, 0);
    const all = sum(forwarded.map(([, count]) => Number(count)));
    const others = Math.max(all - sum(enforced.map((line) => line.requests)), 0);
    const lines = [
        ...enforced.map((line) => [line.backend, line.rule, number(line.requests), percent(line.requests, all)]),
        ["default", "–", number(others), percent(others, all)],
        ...routed
            .filter((line) => line.isObserved)
            .map((line) => [`${line.backend} (observed only)`, line.rule, number(line.requests), percent(line.requests, all)]),
    ];
    return [h("h3", {}, "Backends"), table("Requests by backend", ["Backend", "Rule", "#Requests", "#Share"], lines)];
}

/** Returns the versions with the most 5xx responses from the backend. */
function failures(clients) {
    const sums = new Map();
    for (const client of clients) {
        if (["require", "maintenance"].includes(client.decision)) continue;
        const words = client.isOther
            ? ["(other)", "(other)", "(other)"]
            : [client.app ?? "–", client.platform ?? "–", client.version ?? "–"];
        const sum = sums.get(words.join("\n")) ?? { words, errors: 0, requests: 0 };
        sum.errors += client.serverErrors;
        sum.requests += client.requests;
        sums.set(words.join("\n"), sum);
    }
    return [...sums.values()]
        .filter((sum) => sum.errors > 0)
        .sort((left, right) => right.errors - left.errors)
        .slice(0, 12)
        .map((sum) => [...sum.words, number(sum.errors), percent(sum.errors, Math.max(sum.requests, sum.errors))]);
}

function decisions(title, lines, census) {
    const shown = lines.slice(0, 12).map((line) => [
        line.rule,
        line.isOther ? "(other)" : line.platform ?? "–",
        line.isOther ? "(other)" : line.version ?? (line.unreadable?.includes("version") ? "(unreadable)" : "–"),
        number(line.requests),
        percent(line.requests, census.requests),
        line.identifiedRequests > 0 ? number(line.devices) : "–",
    ]);
    const part = table(title, ["Rule", "Platform", "Version", "#Requests", "#Share", "#Devices"], shown);
    if (lines.length > shown.length) part.append(quiet(`and ${lines.length - shown.length} more`));
    return part;
}
