// The findings, the feeds, and the result of the last reload.

import { ask } from "./ask.js";
import { sourceName } from "./changes.js";
import { badge, byId, h, quiet, show, table } from "./elements.js";
import { when } from "./format.js";
import { english, t } from "./words.js";

/** Shows the findings, the result of the last reload with its errors, and the feeds; returns the problems, worst first. */
export async function showHealth(rules) {
    const [findings, feeds] = await Promise.all([ask("/api/v1/findings"), ask("/api/v1/feeds")]);
    show("reload", ...reload(rules, feeds));
    const lines = [...findings.refusals, ...findings.findings];
    const level = { refuses: "bad", warns: "warn", notes: "calm" };
    const ours = (text) => h("span", english, text);
    show(
        "findings",
        h("h3", {}, t("findings")),
        lines.length === 0
            ? quiet(t("none"))
            : table(
                  t("findings"),
                  [t("effect"), t("finding"), t("location"), t("message")],
                  lines.map((item) => [badge(level[item.effect], t(`effect_${item.effect}`)), ours(item.name), h("code", {}, item.place), ours(item.message)]),
              ),
    );
    show(
        "feeds",
        h("h3", {}, t("feeds")),
        feeds.feeds.length === 0
            ? quiet(t("none"))
            : table(
                  t("feeds"),
                  [t("feed"), t("feedState"), t("lastValid"), t("error")],
                  feeds.feeds.map((feed) => [
                      `${feed.id} (${feed.kind})`,
                      h("span", {}, badge(isWell(feed) ? "good" : "bad", t(`feed_${feed.state}`)), feed.inForce === "observe" ? ` ${t("observedOnly")}` : ""),
                      feed.confirmedAt ? when(feed.confirmedAt) : t("none"),
                      ours(feed.error ?? ""),
                  ]),
              ),
    );
    return problems(rules, feeds, lines);
}

const isWell = ({ state }) => ["fresh", "waiting"].includes(state);

function problems(rules, feeds, findings) {
    const found = [];
    const error = feeds.rules.errors?.[0];
    const refusal = findings.find(({ effect }) => effect === "refuses");
    if (!feeds.rules.lastReloadSuccessful) found.push({ level: "bad", text: t("reloadFailed", { error: refusal?.message ?? error ?? "" }) });
    for (const feed of feeds.feeds.filter((item) => !isWell(item))) {
        found.push({ level: "bad", text: t(feed.state === "stale" ? "feedStale" : "feedFailing", { feed: feed.id, error: feed.error ?? "" }) });
    }
    for (const { rule } of feeds.breaker?.tripped ?? []) found.push({ level: "bad", text: t("breakerTripped", { rule: rule ?? "" }) });
    for (const { effect, message } of findings) if (effect === "warns") found.push({ level: "warn", text: message, isEnglish: true });
    if (rules.undo) found.push({ level: "warn", text: t("undoActive") });
    if (rules.mode === "observe") found.push({ level: "warn", text: t("observeActive") });
    return found;
}

function reload(rules, feeds) {
    const parts = [];
    if (rules.undo) {
        const by = rules.undo.name ? t("undoBy", { name: rules.undo.name }) : t("undoAt");
        parts.push(h("p", { class: "mark" }, by, " ", when(rules.undo.at), ". ", t("undoEnds")));
    }
    const last = rules.lastReload;
    if (last) {
        parts.push(
            h("p", {}, h("strong", {}, t("lastReload")), " ", badge(last.successful ? "good" : "bad", t(last.successful ? "applied" : "rejected")), " ", when(last.at), ` · ${sourceName({ kind: last.by, name: last.name })}`),
        );
    }
    const errors = feeds.rules.errors ?? [];
    if (errors.length > 0) parts.push(h("ul", { class: "bad", ...english }, ...errors.map((error) => h("li", {}, error))));
    return parts;
}

export const showDemo = ({ hasDemoData }) => (byId("demo").hidden = !hasDemoData);
