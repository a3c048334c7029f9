// The active rules as cards, and their dates on a common axis.

import { ask } from "./ask.js";
import { badge, byId, h, quiet, s, show, table } from "./elements.js";
import { axisPercent, axisTime, counted, minute, number, percent, shortDay, when } from "./format.js";
import { timeTicks } from "./scales.js";
import { platformName } from "./traffic.js";
import { english, t } from "./words.js";

const dayLength = 86_400_000;
/** The number of dates in the drawing; the table has all. */
const drawnDates = 12;

export async function showRules() {
    const [rules, timeline] = await Promise.all([ask("/api/v1/rules"), ask("/api/v1/timeline")]);
    show("timeline", h("h3", {}, t("dates")), ...dates(timeline));
    show("rule-list", ...(rules.rules.length === 0 ? [quiet(t("noRules"))] : rules.rules.map(card)));
    return rules;
}

function card(rule) {
    const { terms } = rule;
    const facts = [
        [t("clients"), audience(rule.match)],
        [t("minimum"), terms.minimum && h("strong", { class: "version" }, terms.minimum)],
        [t("minimumBuild"), terms.minimumBuild !== undefined && h("strong", { class: "version" }, terms.minimumBuild)],
        [t("recommended"), terms.recommended],
        [t("recommendedBuild"), terms.recommendedBuild],
        [t("blocked"), terms.blocked.length > 0 && chips(terms.blocked)],
        [t("blockedBuilds"), terms.blockedBuilds.length > 0 && chips(terms.blockedBuilds)],
        [t("maintenance"), terms.maintenance && (terms.maintenance.from ? when(terms.maintenance.from) : t("now"))],
        [t("route"), terms.route && h("span", english, destination(terms.route))],
        [t("hold"), terms.holdsUntilInStore && t("untilInStore")],
        [t("rollout"), terms.rollout.length > 0 && terms.rollout.map(({ percent: share }) => axisPercent(share / 100)).join(" → ")],
        [t("scheduled"), rule.next.length > 0 && counted("nDates", rule.next.length)],
        [t("storeUrl"), terms.storeUrl && storeLink(terms.storeUrl)],
        [t("location"), h("code", {}, rule.feed ? `${t("feed")} ${rule.feed}` : rule.place ?? "–")],
        [t("lastMatch"), rule.lastMatch ? when(rule.lastMatch.at) : t("never")],
        [t("returned"), rule.returns?.refused > 0 && t("returnedOf", { share: percent(rule.returns.returned, rule.returns.refused), devices: counted("nDevices", rule.returns.refused) })],
    ];
    return h(
        "article",
        { class: "card rule", "aria-label": t("ruleNamed", { rule: rule.id }) },
        h("div", { class: "head" }, h("h3", {}, rule.id), badge(terms.mode === "enforce" ? "good" : "warn", t(terms.mode === "enforce" ? "enforced" : "observeMode"))),
        h("dl", {}, ...facts.filter(([, fact]) => fact !== undefined && fact !== false).map(([name, fact]) => h("div", {}, h("dt", {}, name), h("dd", {}, fact)))),
    );
}

const chips = (names) => h("span", { class: "chips" }, ...names.map((name) => h("code", {}, name)));

/** Returns the store URL as a link; anything else than a link to a website is only text. */
function storeLink(url) {
    if (!/^https?:\/\//i.test(url)) return h("code", {}, url);
    return h("a", { href: url, rel: "noreferrer noopener", target: "_blank" }, url.replace(/^https?:\/\//i, ""));
}

function audience(match) {
    const parts = [match.apps, match.platforms?.map(platformName), match.channels, match.osVersions, match.requests];
    const words = parts.filter(Boolean).map((names) => names.join(` ${t("or")} `));
    return words.length > 0 ? words.join(t("comma")) : t("allClients");
}

/** Returns a route as text, such as `<4.0.0 to legacy, otherwise refuse`. */
function destination({ backend, versions, builds, otherwise }) {
    const conditions = [...versions, ...builds.map((range) => `build ${range}`)].join(", ");
    return `${conditions ? `${conditions} ` : ""}to ${backend}, otherwise ${otherwise}`;
}

function dates(timeline) {
    if (timeline.events.length === 0) return [quiet(t("noDates"))];
    const all = h(
        "details",
        {},
        h("summary", {}, t("asTable")),
        table(t("dates"), [t("date"), t("rule"), t("change")], timeline.events.map((event) => [when(event.at), event.rule ?? "–", h("span", english, event.words)])),
    );
    if (timeline.more > 0) all.append(quiet(t("more", { n: number(timeline.more) })));
    return [drawing(timeline), all];
}

/** Draws one line for each date, so that labels do not overlap, from now to a week after the last date. */
function drawing(timeline) {
    const events = timeline.events.slice(0, drawnDates);
    const width = Math.max(byId("timeline").clientWidth - 32, 280);
    const start = Date.parse(timeline.from);
    const end = Math.min(Math.max(Date.parse(events.at(-1).at) + 7 * dayLength, start + 14 * dayLength), Math.max(Date.parse(timeline.until), Date.parse(events.at(-1).at)));
    const [row, top, edge] = [24, 26, 10];
    const height = top + events.length * row + 6;
    const x = (time) => edge + ((time - start) / (end - start)) * (width - 2 * edge);
    const first = Math.ceil(start / dayLength) * dayLength;
    const days = Array.from({ length: Math.floor((end - first) / dayLength) + 1 }, (_, index) => first + index * dayLength);
    // Where the text has no room, the table has it.
    const label = ({ at, rule, words }) => `${minute(at)}  ${width < 600 ? rule ?? "" : [rule, words].filter(Boolean).join(": ")}`;
    return s(
        "svg",
        { class: "dates", viewBox: `0 0 ${width} ${height}`, role: "img", "aria-label": t("datesUntil", { n: number(events.length), day: shortDay(end) }) },
        ...timeTicks(days, Math.floor(width / 90)).filter((index) => x(days[index]) > 60).flatMap((index) => [
            s("line", { x1: x(days[index]), x2: x(days[index]), y1: top - 6, y2: height, class: "grid" }),
            s("text", { x: x(days[index]), y: 12, class: "tick middle" }, axisTime(days[index], 86_400)),
        ]),
        s("line", { x1: x(start), x2: x(start), y1: top - 6, y2: height, class: "axis" }),
        s("text", { x: x(start), y: 12, class: "tick start strong" }, t("now")),
        ...events.flatMap((event, index) => {
            const at = x(Date.parse(event.at));
            const y = top + index * row + 8;
            const isLeft = at > width * 0.55;
            return [
                s("line", { x1: edge, x2: at, y1: y, y2: y, class: "grid" }),
                s("circle", { cx: at, cy: y, r: 5, class: `dot ${/enforces|Begins/.test(event.change) ? "denied" : ""}` }),
                s("text", { x: isLeft ? at - 10 : at + 10, y: y + 4, class: `event ${isLeft ? "end" : "start"}` }, label(event)),
            ];
        }),
    );
}
