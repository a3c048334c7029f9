// Helpers to create elements; strings are never parsed as markup.

const drawing = "http://www.w3.org/2000/svg";

function filled(element, attributes, children) {
    for (const [name, value] of Object.entries(attributes)) {
        if (value !== undefined) element.setAttribute(name, value);
    }
    element.append(...children.filter((child) => child !== undefined && child !== null));
    return element;
}

export function h(name, attributes = {}, ...children) {
    return filled(document.createElement(name), attributes, children);
}

export function s(name, attributes = {}, ...children) {
    return filled(document.createElementNS(drawing, name), attributes, children);
}

export const byId = (id) => document.getElementById(id);

/**
 * Replaces the content of an element, unless the new content is the same, so that readers are not disturbed. Open `details`
 * elements remain open, and the focus is kept.
 */
export function show(id, ...children) {
    const place = byId(id);
    const next = h("div", {}, ...children);
    const unfolded = [...place.querySelectorAll("details[open] > summary")].map((item) => item.textContent);
    for (const summary of next.querySelectorAll("summary")) {
        if (unfolded.includes(summary.textContent)) summary.parentElement.open = true;
    }
    if (place.innerHTML === next.innerHTML) return;
    const focused = place.contains(document.activeElement) ? nameOf(document.activeElement) : undefined;
    place.replaceChildren(...next.childNodes);
    if (focused) [...place.querySelectorAll("summary, button, [tabindex]")].find((item) => nameOf(item) === focused)?.focus();
}

const nameOf = (element) => element.getAttribute("aria-label") ?? element.textContent;

/** Creates a table; columns whose title starts with `#` contain numbers. */
export function table(caption, titles, rows) {
    const isNumber = titles.map((title) => title.startsWith("#"));
    const cell = (name, text, index) =>
        h(name, { class: isNumber[index] ? "number" : undefined, scope: name === "th" ? "col" : undefined }, text);
    return h(
        "div",
        { class: "scroll", tabindex: "0", role: "region", "aria-label": caption },
        h(
            "table",
            {},
            h("thead", {}, h("tr", {}, ...titles.map((title, index) => cell("th", title.replace(/^#/, ""), index)))),
            h("tbody", {}, ...rows.map((row) => h("tr", {}, ...row.map((text, index) => cell("td", text, index))))),
        ),
    );
}

/** Creates the labels for the ends of an axis. */
export const ends = (...words) => h("p", { class: "ends", "aria-hidden": "true" }, ...words.map((word) => h("span", {}, word)));

/** Creates a bar chart that grows and shrinks with the page. */
export const bars = (width, height, label, ...children) =>
    s(
        "svg",
        { class: "bars", viewBox: `0 0 ${width} ${height}`, preserveAspectRatio: "none", role: "img", "aria-label": label },
        ...children,
        s("line", { x1: 0, x2: width, y1: height, y2: height, class: "axis" }),
    );

export const quiet = (text) => h("p", { class: "quiet" }, text);

const whole = new Intl.NumberFormat("en");
export const number = (value) => whole.format(Math.round(value));

export function percent(part, all) {
    if (!(all > 0) || !(part > 0)) return "0%";
    const share = (part / all) * 100;
    return share >= 99.95 && part < all ? "99.9%" : `${share < 0.1 ? "< 0.1" : share.toFixed(1)}%`;
}

export const day = (text) => text.slice(0, 10);
export const minute = (text) => `${text.slice(0, 10)} ${text.slice(11, 16)} UTC`;

/** Compares versions by their numbers. */
export function compareVersions(left, right) {
    const numbers = (text) => text.split(/[.+-]/).map((part) => Number.parseInt(part, 10) || 0);
    const [a, b] = [numbers(left), numbers(right)];
    for (let index = 0; index < Math.max(a.length, b.length); index += 1) {
        const difference = (a[index] ?? 0) - (b[index] ?? 0);
        if (difference !== 0) return difference;
    }
    return left < right ? -1 : left > right ? 1 : 0;
}
