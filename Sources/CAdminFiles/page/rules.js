// The rules with their dates, the findings, the feeds, and the changes to the rules.

import { ask } from "./ask.js";
import { day, ends, h, minute, number, quiet, s, show, table } from "./elements.js";

const [width, height] = [720, 32];

export async function showRules() {
    const [rules, timeline] = await Promise.all([ask("/api/v1/rules"), ask("/api/v1/timeline")]);
    show("timeline", drawing(timeline), ends(day(timeline.from), day(timeline.until)), events(timeline));
    show(
        "rule-list",
        table(
            "Active rules",
            ["Rule", "Clients", "Terms", "Mode", "Location"],
            rules.rules.map((rule) => [
                rule.id,
                audience(rule.match),
                asks(rule),
                rule.terms.mode,
                rule.feed ? `feed ${rule.feed}` : rule.place ?? "",
            ]),
        ),
    );
    return rules;
}

function audience(match) {
    const parts = [match.apps, match.platforms, match.channels, match.osVersions, match.requests];
    const words = parts.filter(Boolean).map((names) => names.join(" or "));
    return words.length > 0 ? words.join(", ") : "all clients";
}

function asks(rule) {
    const { terms } = rule;
    return [
        terms.minimum && `minimum ${terms.minimum}`,
        terms.minimumBuild !== undefined && `build ${terms.minimumBuild}`,
        terms.recommended && `recommended ${terms.recommended}`,
        terms.recommendedBuild !== undefined && `recommended build ${terms.recommendedBuild}`,
        terms.blocked.length > 0 && `blocked ${terms.blocked.join(", ")}`,
        terms.blockedBuilds.length > 0 && `blocked builds ${terms.blockedBuilds.join(", ")}`,
        terms.maintenance && (terms.maintenance.from ? `maintenance from ${minute(terms.maintenance.from)}` : "maintenance"),
        terms.route && destination(terms.route),
        terms.holdsUntilInStore && "held until in the store",
        rule.next.length > 0 && `${rule.next.length} scheduled`,
    ]
        .filter(Boolean)
        .join("; ");
}

/** Returns a route as text, such as `<4.0.0 to legacy, otherwise refuse`. */
function destination({ backend, versions, builds, otherwise }) {
    const ranges = [...versions, ...builds.map((range) => `build ${range}`)].join(", ");
    return `${ranges ? `${ranges} ` : ""}to ${backend}, otherwise ${otherwise}`;
}

function drawing(timeline) {
    const [start, end] = [Date.parse(timeline.from), Date.parse(timeline.until)];
    const x = (time) => (((Date.parse(time) - start) / (end - start)) * width).toFixed(1);
    const label = `${timeline.events.length} dates from ${day(timeline.from)} to ${day(timeline.until)}`;
    return s(
        "svg",
        { viewBox: `0 0 ${width} ${height}`, role: "img", "aria-label": label },
        s("line", { x1: 0, x2: width, y1: 16, y2: 16, class: "axis" }),
        ...timeline.events.map((event) =>
            s("circle", { cx: x(event.at), cy: 16, r: 6, class: "dot" }, s("title", {}, `${minute(event.at)}: ${event.words}`)),
        ),
    );
}

function events(timeline) {
    if (timeline.events.length === 0) return quiet("No scheduled changes in the next 90 days.");
    const part = table(
        "Scheduled changes in the next 90 days",
        ["Date", "Rule", "Change"],
        timeline.events.map((event) => [minute(event.at), event.rule ?? "–", event.words]),
    );
    if (timeline.more > 0) part.append(quiet(`and ${timeline.more} more`));
    return part;
}

/** Shows the findings, the result of the last reload with its errors, and the feeds. */
export async function showHealth(rules) {
    const [findings, feeds] = await Promise.all([ask("/api/v1/findings"), ask("/api/v1/feeds")]);
    show("reload", ...reload(rules, feeds));
    const lines = [...findings.refusals, ...findings.findings];
    show(
        "findings",
        h("h3", {}, "Findings"),
        lines.length === 0
            ? quiet("None.")
            : table(
                  "Findings",
                  ["Effect", "Finding", "Location", "Message"],
                  lines.map((item) => [item.effect, item.name, item.place, item.message]),
              ),
    );
    show(
        "feeds",
        h("h3", {}, "Feeds"),
        feeds.feeds.length === 0
            ? quiet("None.")
            : table(
                  "Feeds",
                  ["Feed", "State", "Last valid data", "Error"],
                  feeds.feeds.map((feed) => [
                      `${feed.id} (${feed.kind})`,
                      feed.inForce === "observe" ? `${feed.state}, observed only` : feed.state,
                      feed.confirmedAt ? minute(feed.confirmedAt) : "none",
                      feed.error ?? "",
                  ]),
              ),
    );
    return feeds;
}

function reload(rules, feeds) {
    const { origin } = rules;
    const from = origin.kind === "file" ? origin.files.join(", ") : "the state directory (last good rules)";
    const undo = rules.undo && `An undo${rules.undo.name ? ` by ${rules.undo.name}` : ""} at ${minute(rules.undo.at)} is active: `;
    const parts = [h("p", {}, `Revision ${rules.revision} from ${from}, active since ${minute(rules.inForceSince ?? "")}.`)];
    if (undo) parts.push(h("p", { class: "mark" }, `${undo}the files contain other rules. Changing them ends the undo.`));
    const last = rules.lastReload;
    if (last) {
        const by = last.name ? `${last.by} (${last.name})` : last.by;
        parts.push(
            h("p", { class: last.successful ? "good" : "bad" }, `Last reload at ${minute(last.at)}, triggered by ${by}: ${last.successful ? "applied" : "rejected"}.`),
        );
    }
    const errors = feeds.rules.errors ?? [];
    if (errors.length > 0) parts.push(h("ul", { class: "bad" }, ...errors.map((error) => h("li", {}, error))));
    return parts;
}

const putBack = (revision) =>
    h("button", { type: "button", "data-revision": revision, "aria-label": `Restore revision ${revision}` }, "Restore");

const moved = ({ moved: amount }) => (amount?.requests > 0 ? `, ${number(amount.requests)} to another backend` : "");

/** Shows the last changes to the rules, including rejected ones. */
export async function showAudit() {
    const audit = await ask("/api/v1/audit?limit=30");
    const { inForce } = audit;
    const rows = audit.records.map((record) => [
        minute(record.at),
        record.source.name ? `${record.source.kind}: ${record.source.name}` : record.source.kind,
        h("span", { class: record.outcome === "applied" ? "good" : "bad" }, record.outcome),
        `${record.before ?? "–"} → ${record.after ?? "–"}`,
        h("ul", {}, ...[...record.changes, ...record.reasons].map((line) => h("li", {}, line))),
        (record.predicted ? `${number(record.predicted.denied.requests)} denied, ${number(record.predicted.passed.requests)} allowed${moved(record.predicted)}` : "–")
          + (record.happened ? `; then ${number(record.happened.refused.requests)} of ${number(record.happened.total.requests)} denied` : ""),
        record.canBePutBack ? putBack(record.after) : record.after && record.after === inForce ? "active" : "",
    ]);
    show(
        "records",
        rows.length === 0
            ? quiet("None yet.")
            : table("Records of changes", ["Date", "Source", "Outcome", "Revision", "Changes", "Predicted requests per day", "Undo"], rows),
        audit.isKept ? undefined : quiet("Stored in memory only: without --state-dir, the records are lost on a restart."),
    );
}
