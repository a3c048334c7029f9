// The undo dialog: restores an earlier revision after showing what that changes.

import { ask, askInTurn } from "./ask.js";
import { diff } from "./changes.js";
import { byId, h, quiet } from "./elements.js";
import { effect } from "./what-if.js";
import { english, t } from "./words.js";

/** The revisions that the dialog shows: the one to restore, and the active one that the changes refer to. */
let shown;
/** The number of the current preview, so that late responses for earlier previews are ignored. */
let turn = 0;
let done = () => {};
/** Whether the census is on. */
let isCounted = false;

/** `afterwards` is called after an undo. */
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
    byId("undo-title").textContent = t("undoOf", { revision });
    byId("undo-told").textContent = "";
    byId("undo-what").replaceChildren(quiet(t("loading")));
    // The button gets the focus once there is something to confirm.
    byId("undo-confirm").disabled = true;
    byId("undo").showModal();
    await preview();
}

/** Updates the dialog if the active rules have changed and the displayed changes are therefore out of date. */
export async function renewUndo({ revision, isCounting }) {
    isCounted = isCounting;
    if (!byId("undo").open || !shown?.seen || shown.seen === revision) return;
    byId("undo-told").textContent = t("undoStale", { revision });
    await preview();
}

async function preview() {
    const button = byId("undo-confirm");
    button.disabled = true;
    const mine = (turn += 1);
    byId("undo-predicted").textContent = "";
    const { to } = shown;
    try {
        const told = await ask(`/api/v1/undo?${new URLSearchParams({ to })}`);
        if (turn !== mine) return;
        shown.seen = told.revision;
        const findings = told.findings.map((item) => `${item.message} (${item.name})`);
        const errors = told.errors.map((error) => `${error.file}:${error.line}:${error.column}: ${error.message}`);
        byId("undo-what").replaceChildren(
            h("p", {}, t("undoChanges", { revision: told.revision })),
            diff(told.changes),
            findings.length > 0 ? h("ul", english, ...findings.map((line) => h("li", {}, line))) : "",
            errors.length > 0 ? h("ul", { class: "bad", ...english }, ...errors.map((line) => h("li", {}, line))) : "",
            quiet(t("undoEffect")),
        );
        const isInForce = told.revision === to || (told.changes.length + findings.length + errors.length === 0);
        // Appended to the message about the other change, so that this message is not missed.
        if (isInForce) byId("undo-told").append(` ${t("undoDone", { revision: to })}`);
        button.disabled = isInForce || errors.length > 0;
        if (!button.disabled) {
            button.focus();
            if (isCounted) predict(told);
        }
    } catch (problem) {
        if (turn !== mine) return;
        byId("undo-what").replaceChildren();
        byId("undo-told").textContent = problem.message;
    }
}

/** Shows which clients the undo would affect, once the census is evaluated; the dialog does not wait for it. */
async function predict({ to }) {
    const place = byId("undo-predicted");
    const mine = turn;
    const isShown = () => byId("undo").open && turn === mine;
    place.textContent = t("undoCounting");
    const query = new URLSearchParams({ since: "24h", undo: to });
    try {
        const impact = await askInTurn(`/api/v1/impact?${query}`, { method: "POST" }, isShown);
        if (isShown()) place.textContent = t("undoCost", { effect: effect(impact) });
    } catch (problem) {
        if (isShown()) place.textContent = problem.message;
    }
}

async function confirm() {
    const button = byId("undo-confirm");
    const token = byId("undo-token").value;
    button.disabled = true;
    try {
        await ask("/api/v1/undo", {
            method: "POST",
            headers: {
                "Content-Type": "application/json",
                "If-Match": `"${shown.seen}"`,
                ...(token ? { Authorization: `Bearer ${token}` } : {}),
            },
            body: JSON.stringify({ to: shown.to }),
        });
        byId("undo").close();
        done();
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
