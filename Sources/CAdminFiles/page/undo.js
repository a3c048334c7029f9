// The way back: an earlier revision is put in force again, once somebody has seen what that changes.

import { ask, askInTurn } from "./ask.js";
import { byId, h, quiet } from "./elements.js";
import { effect } from "./what-if.js";

/** What the dialog shows: the revision to go back to, and the one in force that it was held against. */
let shown;
/** Counts what was shown: an answer to what is not shown any more is left out. */
let turn = 0;
let done = () => {};
/** Whether there are clients to be counted of. */
let isCounted = false;

/** `afterwards`: told the revision that is in force then. */
export function startUndo(afterwards) {
    done = afterwards;
    byId("records").addEventListener("click", (event) => {
        const button = event.target.closest("button[data-revision]");
        if (button) open(button.dataset.revision);
    });
    byId("undo-confirm").addEventListener("click", confirm);
    byId("undo-cancel").addEventListener("click", () => byId("undo").close());
}

async function open(revision) {
    shown = { to: revision };
    byId("undo-title").textContent = `Put revision ${revision} in force again?`;
    byId("undo-told").textContent = "";
    byId("undo-what").replaceChildren(quiet("asking …"));
    // It is the first to have the focus, once there is something to confirm.
    byId("undo-confirm").disabled = true;
    byId("undo").showModal();
    await preview();
}

/** The rules in force are others: what was shown is not what would happen. */
export async function renewUndo({ revision, isCounting }) {
    isCounted = isCounting;
    if (!byId("undo").open || !shown?.seen || shown.seen === revision) return;
    byId("undo-told").textContent = `Others have changed the rules: revision ${revision} is in force now.`;
    await preview();
}

async function preview() {
    const button = byId("undo-confirm");
    button.disabled = true;
    turn += 1;
    byId("undo-predicted").textContent = "";
    const { to } = shown;
    try {
        const told = await ask(`/api/v1/undo?${new URLSearchParams({ to })}`);
        if (shown.to !== to) return;
        shown.seen = told.revision;
        const lines = [...told.changes, ...told.findings.map((item) => `${item.message} (${item.name})`)];
        const errors = told.errors.map((error) => `${error.file}:${error.line}:${error.column}: ${error.message}`);
        byId("undo-what").replaceChildren(
            h("p", {}, `In force is revision ${told.revision}. What changes:`),
            h("ul", {}, ...lines.map((line) => h("li", {}, line))),
            errors.length > 0 ? h("ul", { class: "bad" }, ...errors.map((line) => h("li", {}, line))) : "",
            quiet("It holds at once, and with --state-dir over restarts. The rules files are not written: it ends when they are changed."),
        );
        const isInForce = told.revision === to || (lines.length === 0 && errors.length === 0);
        // After what others have done, not in its place: nobody may miss that.
        if (isInForce) byId("undo-told").append(` What revision ${to} says is in force.`);
        button.disabled = isInForce || errors.length > 0;
        if (!button.disabled) {
            button.focus();
            if (isCounted) predict(told);
        }
    } catch (problem) {
        byId("undo-what").replaceChildren();
        byId("undo-told").textContent = problem.message;
    }
}

/** Says whom the undo would hit, as soon as the census has told; nobody has to wait for it. */
async function predict({ to }) {
    const place = byId("undo-predicted");
    const mine = turn;
    const isShown = () => byId("undo").open && turn === mine;
    place.textContent = "counting whom it would hit; nobody has to wait for that …";
    const query = new URLSearchParams({ since: "24h", undo: to });
    try {
        const impact = await askInTurn(`/api/v1/impact?${query}`, { method: "POST" }, isShown);
        if (isShown()) place.textContent = `The last 24 hours say, it ${effect(impact)}.`;
    } catch (problem) {
        if (isShown()) place.textContent = problem.message;
    }
}

async function confirm() {
    const button = byId("undo-confirm");
    const token = byId("undo-token").value;
    button.disabled = true;
    try {
        const answer = await ask("/api/v1/undo", {
            method: "POST",
            headers: {
                "Content-Type": "application/json",
                "If-Match": `"${shown.seen}"`,
                ...(token ? { Authorization: `Bearer ${token}` } : {}),
            },
            body: JSON.stringify({ to: shown.to }),
        });
        byId("undo").close();
        done(answer.revision);
    } catch (problem) {
        byId("undo-told").textContent = problem.message;
        button.disabled = false;
        if (problem.status === 401) {
            byId("undo-secret").hidden = false;
            byId("undo-token").focus();
        } else if (problem.status === 409) {
            await preview();
        }
    }
}
