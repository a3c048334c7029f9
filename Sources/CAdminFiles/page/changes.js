// The changes to the rules, with what was predicted and what happened.

import { ask } from "./ask.js";
import { badge, h, quiet, show } from "./elements.js";
import { counted, number, percent, when } from "./format.js";
import { readChange } from "./versions.js";
import { t } from "./words.js";

/** Returns where a change came from. */
export const sourceName = ({ kind, name }) => (name ? `${t(`source_${kind}`)}: ${name}` : t(`source_${kind}`));

/** The time, in ms, until the effect of a change is measured: an hour in whole minutes, and the next write of the census. */
const measured = 62 * 60_000;

const signs = { added: "+", removed: "−", changed: "~", effect: "⇒", same: " " };

/** Creates the list of the edits of a change; signs tell the kinds apart without color. */
export function diff(lines) {
    return h(
        "ul",
        { class: "diff", lang: "en" },
        ...lines.map((line) => {
            const { kind, indent, text, name, before, after } = readChange(line);
            const sign = h("span", { class: "sign", "aria-hidden": "true" }, signs[kind]);
            const content = kind === "changed" ? [`${name}: `, h("del", {}, before), " → ", h("ins", {}, after)] : [text];
            return h("li", { class: `${kind}${indent > 0 ? " inner" : ""}` }, sign, h("span", {}, ...content));
        }),
    );
}

/** Loads the newest changes, including rejected ones. */
export const loadAudit = () => ask("/api/v1/audit?limit=30");

export function showAudit({ records, inForce, isKept }) {
    show(
        "records",
        records.length === 0 ? quiet(t("noChanges")) : h("ol", { class: "records" }, ...records.map((record) => entry(record, inForce))),
        isKept ? undefined : quiet(t("notKept")),
    );
}

function entry(record, inForce) {
    const isApplied = record.outcome === "applied";
    return h(
        "li",
        { class: "card record" },
        h(
            "div",
            { class: "head" },
            h("h3", {}, when(record.at)),
            badge(isApplied ? "good" : "bad", t(isApplied ? "applied" : "rejected")),
            h("span", {}, sourceName(record.source)),
            h("code", {}, `${record.before ?? "–"} → ${record.after ?? "–"}`),
            record.canBePutBack ? putBack(record.after) : record.after && record.after === inForce ? badge("calm", t("active")) : "",
        ),
        record.changes.length > 0 && diff(record.changes),
        record.reasons.length > 0 && h("ul", { class: "bad", lang: "en" }, ...record.reasons.map((reason) => h("li", {}, reason))),
        effects(record),
    );
}

const putBack = (revision) =>
    h("button", { type: "button", "data-revision": revision, "aria-label": t("restoreRevision", { revision }) }, t("restore"));

/** Returns what was predicted for a change, and what happened in the hour after it. */
function effects({ at, predicted, happened }) {
    if (!predicted) return undefined;
    const requests = ({ requests: count }) => counted("nRequests", count);
    const parts = [
        t("predictedDenied", { requests: requests(predicted.denied), share: percent(predicted.denied.requests, predicted.total.requests) }),
        predicted.passed.requests > 0 && t("predictedPassed", { requests: requests(predicted.passed) }),
        predicted.moved?.requests > 0 && t("predictedMoved", { requests: requests(predicted.moved) }),
    ].filter(Boolean);
    const missing = t(Date.now() - Date.parse(at) < measured ? "notYet" : "notMeasured");
    return h(
        "dl",
        { class: "effects" },
        h("div", {}, h("dt", {}, t("predicted")), h("dd", {}, parts.join(t("comma")))),
        h(
            "div",
            {},
            h("dt", {}, t("actual")),
            h("dd", {}, happened ? t("happened", { requests: requests(happened.refused), total: number(happened.total.requests), share: percent(happened.refused.requests, happened.total.requests) }) : missing),
        ),
    );
}
