// A tour of the page in five steps, which is offered once.

import { byId } from "./elements.js";
import { number } from "./format.js";
import { t } from "./words.js";

/** The section that each step points at. */
const steps = ["overview", "what-if", "rules", "traffic", "audit"];
const key = "versiongate-tour";

/** The index of the step; -1 for the offer. */
let current = -1;

export function startTour() {
    byId("tour-start").addEventListener("click", () => go(0));
    byId("tour-next").addEventListener("click", () => (current + 1 < steps.length ? go(current + 1) : close()));
    byId("tour-back").addEventListener("click", () => go(current - 1));
    byId("tour-close").addEventListener("click", close);
    byId("tour").addEventListener("keydown", (event) => event.key === "Escape" && close());
    if (!isSeen()) offer();
}

/** A browser may forbid the storage; then the tour is not offered. */
function isSeen() {
    try {
        return localStorage.getItem(key) !== null;
    } catch {
        return true;
    }
}

/** Shows the offer, which does not take the focus. */
function offer() {
    current = -1;
    fill("", t("tourOffer"), t("tourOfferText"), t("tourStart"));
    byId("tour-back").hidden = true;
    // `open` does not move the focus, unlike `show()`.
    byId("tour").open = true;
}

function go(index) {
    current = index;
    point(steps[index]);
    fill(t("tourStep", { n: number(index + 1), of: number(steps.length) }), t(`tour${index + 1}`), t(`tour${index + 1}Text`), index + 1 < steps.length ? t("next") : t("finish"));
    byId("tour-back").hidden = index === 0;
    byId("tour").open = true;
    byId("tour-title").focus({ preventScroll: true });
}

function fill(step, title, text, next) {
    byId("tour-step").textContent = step;
    byId("tour-title").textContent = title;
    byId("tour-text").textContent = text;
    byId("tour-next").textContent = next;
}

function point(id) {
    document.querySelector(".toured")?.classList.remove("toured");
    if (!id) return;
    byId(id).classList.add("toured");
    byId(id).scrollIntoView({ block: "start" });
}

function close() {
    const hadFocus = byId("tour").contains(document.activeElement);
    byId("tour").open = false;
    point(undefined);
    if (hadFocus) byId("tour-start").focus({ preventScroll: true });
    try {
        localStorage.setItem(key, "seen");
    } catch {
        // The tour is not offered without the storage.
    }
}
