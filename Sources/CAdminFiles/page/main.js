// The page of the gate: asks every few seconds, and shows what it is told.

import { byId } from "./elements.js";
import { showAudit, showHealth, showRules } from "./rules.js";
import { showDecisions, showTraffic } from "./traffic.js";
import { startWhatIf, updateWhatIf } from "./what-if.js";

const pause = 10_000;

async function showAll() {
    const state = byId("state");
    try {
        const rules = await showRules();
        const [feeds] = await Promise.all([showHealth(rules), showTraffic(), showDecisions(), showAudit(), updateWhatIf(rules)]);
        const isWell = feeds.rules.lastReloadSuccessful && feeds.feeds.every((feed) => ["fresh", "waiting"].includes(feed.state));
        const mode = rules.mode === "observe" ? ", only observing" : "";
        state.textContent = isWell
            ? `Judging by revision ${rules.revision}${mode}.`
            : `Judging by revision ${rules.revision}${mode}, and something is wrong: see Findings and feeds.`;
        state.className = isWell ? "good" : "bad";
    } catch (problem) {
        state.textContent = `The gate does not answer: ${problem.message}`;
        state.className = "bad";
    }
}

startWhatIf();
byId("span").addEventListener("change", () => showTraffic());

async function goOn() {
    await showAll();
    document.documentElement.dataset.shown = "yes";
    setTimeout(goOn, pause);
}

goOn();
