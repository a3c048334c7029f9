// Traffic by version over time.

import { ask, askOnce } from "./ask.js";
import { Chart } from "./chart.js";
import { byId, h, quiet, setOptions, show, table } from "./elements.js";
import { axisTime, compact, number, percent, minute, stepTitle, zoneOffset } from "./format.js";
import { ranges, smallestRange, sum, timeSteps, timeTicks } from "./scales.js";
import { Colors, groupOf, newestFirst, sumByVersion } from "./versions.js";
import { t } from "./words.js";

const shownVersions = 8;
export const colors = new Colors();

let chart;
let range;
/** The last response, so that another group of clients needs no request. */
let traffic;
let changes = [];
let recolored = () => {};

/** Returns the name of a group of clients, from its app and platform. */
export function nameOf({ app, platform, isOther }) {
    if (isOther && !platform) return t("otherClients");
    return [app, platformName(platform)].filter(Boolean).join(" · ");
}

export const platformName = (platform) => ({ ios: "iOS", android: "Android", macos: "macOS" })[platform] ?? platform ?? t("noPlatform");

export const versionName = (version) => (version === undefined ? t("otherVersions") : version || t("noVersion"));

export function startTraffic() {
    byId("ranges").replaceChildren(
        ...ranges.map((name) => {
            const button = h("button", { type: "button", "data-range": name, "aria-pressed": "false" }, t(`range_${name}`));
            button.addEventListener("click", () => choose(name));
            return button;
        }),
    );
    byId("clients").addEventListener("change", draw);
}

/** Draws the chart again, with the current colors; `then` is called when the chart has changed the colors of others. */
export function recolorTraffic(then) {
    recolored = then;
    if (traffic) draw();
}

function mark(name) {
    range = name;
    for (const button of byId("ranges").children) button.setAttribute("aria-pressed", String(button.dataset.range === name));
}

async function choose(name) {
    mark(name);
    await load(ask);
}

async function load(request) {
    const mine = range;
    const loaded = await request(`/api/v1/traffic?since=${mine}`);
    if (mine !== range) return;
    traffic = loaded;
    draw();
}

/** Returns the requests in a range; those in days come from the same response. */
async function requestsIn(name) {
    const days = name.endsWith("d") ? Number.parseInt(name, 10) : undefined;
    const { series, until } = await askOnce(`/api/v1/traffic?since=${days ? ranges.at(-1) : name}`);
    const start = days ? Date.parse(until) - (days + 1) * 86_400_000 : 0;
    return sum(series.flatMap(({ points }) => points.filter(({ at }) => Date.parse(at) > start).map((point) => point.requests)));
}

export async function showTraffic({ isCounting }) {
    byId("traffic-controls").hidden = !isCounting;
    if (!isCounting) return show("traffic-note", quiet(t("censusOff")));
    if (!range) mark(await smallestRange(requestsIn));
    await load(askOnce);
}

/** Sets the times when the rules changed, newest first. */
export function showChanges(records) {
    changes = records.filter(({ outcome, source, changes: lines }) => outcome === "applied" && source.kind !== "start" && lines.length > 0);
    if (traffic) draw();
}

function fillClients() {
    const groups = new Map(traffic.series.map((line) => [groupOf(line), nameOf(line)]));
    const select = byId("clients");
    setOptions(select, new Map([["", t("allClients")], ...groups]));
    select.parentElement.hidden = groups.size < 2;
    return select.value;
}

function draw() {
    const group = fillClients();
    const lines = sumByVersion(traffic.series, group);
    const all = sum(lines.map((line) => line.requests));
    byId("traffic-chart").hidden = all === 0;
    if (all === 0) return show("traffic-note", quiet(t("noRequests")));
    const { stepSeconds } = traffic;
    const times = timeSteps(traffic.since, traffic.until, stepSeconds);
    const { shown, rest } = newestFirst(lines, shownVersions);
    if (colors.set("traffic", shown.map(({ version }) => version))) recolored();
    const valuesOf = (parts) => times.map((time) => sum(parts.map(({ points }) => points.get(time)?.requests ?? 0)));
    const sharesOf = (parts) => percent(sum(parts.map((line) => line.requests)), all);
    const series = shown.map((line) => ({
        name: versionName(line.version), style: `s${colors.of(line.version)}`, values: valuesOf([line]), note: sharesOf([line]), lines: [line],
    }));
    if (rest.length > 0) series.push({ name: t("otherVersions"), style: "rest", values: valuesOf(rest), note: sharesOf(rest), lines: rest });
    chart ??= new Chart(byId("traffic-chart"), { label: t("trafficCursor"), height: 230 });
    const deniedAt = (time, parts) => sum(parts.map(({ points }) => points.get(time)?.denied ?? 0));
    const share = times.map((time, index) => {
        const total = sum(series.map((line) => line.values[index]));
        return total > 0 ? deniedAt(time, lines) / total : 0;
    });
    const isLastOpen = times.at(-1) + stepSeconds * 1000 > Date.parse(traffic.until);
    const ticks = timeTicks(times, Math.max(2, Math.floor(byId("traffic-chart").clientWidth / 90)), zoneOffset(traffic.until, stepSeconds));
    const step = stepSeconds * 1000;
    const marks = changes
        .map((record) => ({ at: (Date.parse(record.at) - times[0]) / step, record }))
        .filter(({ at }) => at >= 0 && at <= times.length);
    chart.update({
        unit: t({ 60: "perMinute", 3600: "perHour", 86400: "perDay" }[stepSeconds]),
        columns: times.length,
        isLastOpen,
        series,
        ticks: ticks.map((index) => ({ index, label: axisTime(times[index], stepSeconds) })),
        marks: marks.map(({ at, record }) => ({ at, label: `${minute(record.at)}: ${record.changes.join(" ")}` })),
        share: { name: t("deniedShare"), values: share },
        tip: (index, isShown) => {
            const visible = series.filter(isShown);
            const total = sum(visible.map((line) => line.values[index]));
            const denied = deniedAt(times[index], visible.flatMap((line) => line.lines));
            return {
                title: stepTitle(times[index], stepSeconds, isLastOpen && index === times.length - 1),
                lines: [
                    ...visible.filter((line) => line.values[index] > 0).map((line) => ({ name: line.name, text: number(line.values[index]), style: line.style })).reverse(),
                    { name: t("requests"), text: number(total) },
                    { name: t("denied"), text: `${number(denied)} (${percent(denied, total)})`, style: "denied" },
                    ...marks.filter(({ at }) => Math.floor(at) === index).map(({ record }) => ({ name: t("rulesChanged"), text: record.after })),
                ],
            };
        },
    });
    const denied = sum(lines.map((line) => line.denied));
    show(
        "traffic-note",
        h("p", { class: "quiet" }, t("trafficSum", { requests: compact(all), denied: compact(denied), share: percent(denied, all) })),
        h(
            "details",
            {},
            h("summary", {}, t("asTable")),
            table(
                `${t("trafficTitle")}: ${t("requests")}`,
                [t("version"), `#${t("requests")}`, `#${t("share")}`, `#${t("denied")}`],
                lines.map((line) => [versionName(line.version), number(line.requests), percent(line.requests, all), number(line.denied)]),
            ),
        ),
        marks.length > 0 &&
            h("details", {}, h("summary", {}, t("marksTitle")), h("ul", {}, ...marks.map(({ record }) => h("li", { lang: "en" }, `${minute(record.at)}: ${record.changes.join(" ")}`)))),
    );
}
