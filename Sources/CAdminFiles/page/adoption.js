// The share of devices by version over days, for each app and platform, and when a higher minimum would deny few of them.

import { ask, askInTurn } from "./ask.js";
import { Chart } from "./chart.js";
import { byId, h, quiet, show, table } from "./elements.js";
import { axisPercent, axisTime, day, number, percent, stepTitle } from "./format.js";
import { sum, timeTicks } from "./scales.js";
import { colors, nameOf, recolorTraffic, versionName } from "./traffic.js";
import { groupOf, newestFirst } from "./versions.js";
import { t } from "./words.js";

const shownVersions = 8;
/** The number of groups that the page shows, most devices first. */
const shownGroups = 6;
/** Figures over days change slowly, and take long to count. */
const patience = 60_000;

const periods = ["30d", "90d"];

let period = periods[0];
let loaded = 0;
let isEmpty = true;
/** The revision that the effects of minimums belong to. */
let shownRevision;
let isLoading = false;
/** Whether the charts are newer than the sentences below them. */
let isAdviceDue = false;
/** The charts by group, so that the focus and the filter of a chart outlive an update. */
const charts = new Map();
/** The last response, for drawing it with other colors. */
let adoption = { groups: [], days: [] };

export function startAdoption() {
    byId("adoption-ranges").replaceChildren(
        ...periods.map((name) => {
            const button = h("button", { type: "button", "data-range": name, "aria-pressed": name === period }, t(`range_${name}`));
            button.addEventListener("click", () => choose(name));
            return button;
        }),
    );
}

async function choose(name) {
    period = name;
    for (const button of byId("adoption-ranges").children) button.setAttribute("aria-pressed", String(button.dataset.range === name));
    await load().catch((problem) => show("adoption-note", quiet(problem.message)));
}

export async function showAdoption({ isCounting, revision }) {
    byId("adoption-controls").hidden = !isCounting;
    if (!isCounting) return show("adoption-note", quiet(t("censusOff")));
    // A new gate soon counts its first devices.
    const isFresh = revision === shownRevision && Date.now() - loaded < (isEmpty ? patience / 6 : patience);
    if (isLoading || isFresh) return;
    isLoading = true;
    try {
        await load();
        isAdviceDue = true;
        [loaded, shownRevision] = [Date.now(), revision];
    } finally {
        isLoading = false;
    }
}

async function load() {
    const mine = period;
    const answer = await ask(`/api/v1/adoption?since=${mine}`);
    if (mine !== period) return;
    adoption = answer;
    const groups = adoption.groups.slice(0, shownGroups);
    isEmpty = groups.length === 0;
    show("adoption-note", isEmpty && quiet(t("noDevices")));
    const names = groups.map(groupOf);
    for (const [name, { card }] of charts) {
        if (names.includes(name)) continue;
        card.remove();
        charts.delete(name);
    }
    for (const group of groups) colors.set(groupOf(group), versionsOf(group, 0).shown.map(({ version }) => version));
    drawAll();
    recolorTraffic(drawAll);
}

function drawAll() {
    const groups = adoption.groups.slice(0, shownGroups);
    // A new gate has no devices on most days.
    const first = adoption.days.findIndex((_, index) => groups.some(({ devices }) => devices[index] > 0));
    for (const group of groups) draw(group, adoption.days, Math.max(first, 0));
}

/** Shows for each group from which day on a higher minimum denies few devices. */
export async function showAdvice() {
    if (!isAdviceDue) return;
    isAdviceDue = false;
    const advice = await askInTurn(`/api/v1/advice/floor?${new URLSearchParams({ atMost: "1%" })}`, {}, () => true);
    for (const floor of advice.floors) charts.get(groupOf(floor))?.advice.replaceChildren(...sentences(floor, advice.atMost));
}

function cardOf(group) {
    const known = charts.get(groupOf(group));
    if (known) return known;
    const place = h("div", {});
    const advice = h("ul", { class: "advice" });
    const more = h("details", {});
    const card = h("article", { class: "card" }, h("h3", {}, nameOf(group)), place, advice, more);
    byId("adoption-charts").append(card);
    const chart = new Chart(place, { label: t("adoptionCursor", { clients: nameOf(group) }), height: 200, isArea: true, toOne: true });
    charts.set(groupOf(group), { card, chart, advice, more });
    return charts.get(groupOf(group));
}

/** Returns the versions to draw, those with the most devices, and the rest; days before the index `first` are left out. */
function versionsOf(group, first) {
    const lines = group.versions.map(({ version, isOther, devices }) => ({ version: isOther ? undefined : version ?? "", devices: devices.slice(first) }));
    return { lines, ...newestFirst(lines, shownVersions) };
}

/** Draws the days of a group from the index `first` on. */
function draw(group, allDays, first) {
    const { chart, more } = cardOf(group);
    const days = allDays.slice(first);
    const last = days.length - 1;
    const { lines, shown, rest } = versionsOf(group, first);
    const totals = days.map((_, index) => sum(lines.map(({ devices }) => devices[index])));
    const series = shown.map(({ version, devices }) => ({ name: versionName(version), style: `s${colors.of(version)}`, values: devices }));
    const values = days.map((_, index) => sum(rest.map(({ devices }) => devices[index])));
    if (sum(values) > 0) series.push({ name: t("otherVersions"), style: "rest", values });
    for (const line of series) line.note = percent(line.values[last], totals[last]);
    const times = days.map((text) => Date.parse(`${text}T00:00:00Z`));
    chart.update({
        unit: t("shareOfDevices"),
        columns: days.length,
        series,
        ticks: timeTicks(times, 5).map((index) => ({ index, label: axisTime(times[index], 86_400) })),
        tip: (index, isShown) => ({
            title: stepTitle(times[index], 86_400, times[index] + 86_400_000 > Date.now()),
            lines: [
                ...series.filter(isShown).filter((line) => line.values[index] > 0).map((line) => ({ name: line.name, text: percent(line.values[index], totals[index]), style: line.style })).reverse(),
                { name: t("devices"), text: number(totals[index]) },
            ],
        }),
    });
    const isOpen = more.open;
    more.replaceChildren(
        h("summary", {}, t("asTable")),
        table(
            t("adoptionOf", { clients: nameOf(group) }),
            [t("day"), ...series.map(({ name }) => `#${name}`)],
            days.map((_, index) => [day(times[index]), ...series.map((line) => percent(line.values[index], totals[index]))]).reverse(),
        ),
    );
    more.open = isOpen;
}

/** Returns what a higher minimum would deny: now, and from which day few devices. */
function sentences({ floor, next, counts }, atMost) {
    const limit = axisPercent(atMost);
    const unit = t(counts === "devices" ? "ofDevices" : "ofRequests");
    const item = ({ minimum, share }, key, values) => {
        const words = t(key, { version: "\n", unit, share: percent(share, 1), ...values }).split("\n");
        return h("li", {}, words[0], h("strong", {}, minimum), words[1]);
    };
    const lines = floor ? [item(floor, "floorNow", {})] : [];
    const steps = next.slice(0, 3);
    for (const step of steps.filter(({ from }) => from)) lines.push(item(step, "floorFrom", { limit, day: day(step.from) }));
    // Versions with the same reason share a line.
    const reasonOf = ({ from, undated }) => (from ? undefined : t(`undated_${undated ?? "far"}`));
    for (const reason of new Set(steps.map(reasonOf).filter(Boolean))) {
        const [first, ...others] = steps.filter((step) => reasonOf(step) === reason);
        const list = others.map(({ minimum, share }) => `${minimum}: ${percent(share, 1)}`).join(t("comma"));
        lines.push(item(first, "floorUndated", { reason, more: list && t("floorMore", { list }) }));
    }
    if (lines.length === 0) return [h("li", {}, t("floorNone"))];
    return [...lines, h("li", { class: "quiet" }, t("floorSpan"))];
}
