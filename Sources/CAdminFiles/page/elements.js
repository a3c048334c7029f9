// Helpers to create elements; strings are never parsed as markup.

const drawing = "http://www.w3.org/2000/svg";

function filled(element, attributes, children) {
    for (const [name, value] of Object.entries(attributes)) {
        if (value !== undefined) element.setAttribute(name, value);
    }
    element.append(...children.filter((child) => child !== undefined && child !== null && child !== false));
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

/** Sets the options of a select element from their texts by value; the selection is kept if possible. */
export function setOptions(select, texts) {
    const values = [...texts.keys()];
    if (values.join("\n") === [...select.options].map(({ value }) => value).join("\n")) return;
    const chosen = select.value;
    select.replaceChildren(...values.map((value) => new Option(texts.get(value), value)));
    if (values.includes(chosen)) select.value = chosen;
}

const nameOf = (element) => element.getAttribute("aria-label") ?? element.textContent;

/** Creates a table; columns whose title starts with `#` contain numbers. */
export function table(caption, titles, rows) {
    const isNumber = titles.map((title) => title.startsWith("#"));
    const names = titles.map((title) => title.replace(/^#/, ""));
    // On a phone, rows that are cards repeat the titles.
    const cell = (name, text, index) =>
        h(name, { class: isNumber[index] ? "number" : undefined, ...(name === "th" ? { scope: "col" } : { "data-title": names[index] }) }, text);
    return h(
        "div",
        { class: "scroll", tabindex: "0", role: "region", "aria-label": caption },
        h(
            "table",
            {},
            h("thead", {}, h("tr", {}, ...names.map((title, index) => cell("th", title, index)))),
            h("tbody", {}, ...rows.map((row) => h("tr", {}, ...row.map((text, index) => cell("td", text, index))))),
        ),
    );
}

export const quiet = (text) => h("p", { class: "quiet" }, text);

/** Returns the parts of a text; those between backticks are code. */
export const coded = (text) => text.split("`").map((part, index) => (index % 2 === 1 ? h("code", {}, part) : part));

/** Creates the color key of a series. */
export const swatch = (style) =>
    s("svg", { class: "swatch", viewBox: "0 0 10 10", "aria-hidden": "true" }, s("rect", { width: 10, height: 10, rx: 2, class: style }));

/** Creates a label with the color of a level: `good`, `warn`, `bad` or `calm`. */
export const badge = (level, text) => h("span", { class: `badge ${level}` }, text);
