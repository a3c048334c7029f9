// The rules with their dates, what is to be said of them, feeds, and the changes of the rules.

import { ask } from "./ask.js";
import { day, ends, h, minute, number, quiet, s, show, table } from "./elements.js";

const [width, height] = [720, 32];

export async function showRules() {
    const [rules, timeline] = await Promise.all([ask("/api/v1/rules"), ask("/api/v1/timeline")]);
    show("timeline", drawing(timeline), ends(day(timeline.from), day(timeline.until)), events(timeline));
    show(
        "rule-list",
        table(
            "Rules in force",
            ["Rule", "For", "Asks", "Mode", "Stands in"],
            rules.rules.map((rule) => [
                rule.id,
                audience(rule.match),
                asks(rule),
                rule.terms.mode,
                rule.feed ? `the feed ${rule.feed}` : rule.place ?? "",
            ]),
        ),
    );
    return rules;
}

function audience(match) {
    const parts = [match.apps, match.platforms, match.channels, match.osVersions, match.requests];
    const words = parts.filter(Boolean).map((names) => names.join(" or "));
    return words.length > 0 ? words.join(", ") : "everybody";
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
        terms.holdsUntilInStore && "once the store has it",
        rule.next.length > 0 && `${rule.next.length} to come`,
    ]
        .filter(Boolean)
        .join("; ");
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
    if (timeline.events.length === 0) return quiet("Nothing changes by itself in the next 90 days.");
    const part = table(
        "Dates of the next 90 days",
        ["When", "Rule", "What"],
        timeline.events.map((event) => [minute(event.at), event.rule ?? "–", event.words]),
    );
    if (timeline.more > 0) part.append(quiet(`and ${timeline.more} more`));
    return part;
}

/** What is to be said of the rules, the last reload with its errors, and the feeds. */
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
                  ["Effect", "Finding", "Where", "What"],
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
                  ["Feed", "State", "Last good answer", "Error"],
                  feeds.feeds.map((feed) => [
                      `${feed.id} (${feed.kind})`,
                      feed.inForce === "observe" ? `${feed.state}, only observed` : feed.state,
                      feed.confirmedAt ? minute(feed.confirmedAt) : "none",
                      feed.error ?? "",
                  ]),
              ),
    );
    return feeds;
}

function reload(rules, feeds) {
    const { origin } = rules;
    const from = origin.kind === "file" ? origin.files.join(", ") : "the state folder, not from the file";
    const undo = rules.undo && `An undo${rules.undo.name ? ` by ${rules.undo.name}` : ""} of ${minute(rules.undo.at)} is in force: `;
    const parts = [h("p", {}, `Revision ${rules.revision}, from ${from}, in force since ${minute(rules.inForceSince ?? "")}.`)];
    if (undo) parts.push(h("p", { class: "mark" }, `${undo}the files say something else, and end it when they are changed.`));
    const last = rules.lastReload;
    if (last) {
        const by = last.name ? `${last.by} (${last.name})` : last.by;
        parts.push(
            h("p", { class: last.successful ? "good" : "bad" }, `Last reload ${minute(last.at)} by ${by}: ${last.successful ? "taken" : "refused"}.`),
        );
    }
    const errors = feeds.rules.errors ?? [];
    if (errors.length > 0) parts.push(h("ul", { class: "bad" }, ...errors.map((error) => h("li", {}, error))));
    return parts;
}

const putBack = (revision) =>
    h("button", { type: "button", "data-revision": revision, "aria-label": `Put revision ${revision} back` }, "Put back");

/** The last changes of the rules, and what was refused. */
export async function showAudit() {
    const audit = await ask("/api/v1/audit?limit=30");
    const { inForce } = audit;
    const rows = audit.records.map((record) => [
        minute(record.at),
        record.source.name ? `${record.source.kind}: ${record.source.name}` : record.source.kind,
        h("span", { class: record.outcome === "applied" ? "good" : "bad" }, record.outcome),
        `${record.before ?? "–"} → ${record.after ?? "–"}`,
        h("ul", {}, ...[...record.changes, ...record.reasons].map((line) => h("li", {}, line))),
        (record.predicted ? `${number(record.predicted.denied.requests)} refused, ${number(record.predicted.passed.requests)} let pass` : "–")
          + (record.happened ? `; then ${number(record.happened.refused.requests)} of ${number(record.happened.total.requests)} refused` : ""),
        record.canBePutBack ? putBack(record.after) : record.after && record.after === inForce ? "in force" : "",
    ]);
    show(
        "records",
        rows.length === 0
            ? quiet("None yet.")
            : table("Records of changes", ["When", "By", "Outcome", "Revision", "What", "Predicted, of a day's requests", "Undo"], rows),
        audit.isKept ? undefined : quiet("In memory alone: without --state-dir they end with the gate."),
    );
}
