// A chart of stacked bars or areas over columns, with axes, a legend that filters, and a tooltip for pointer and keyboard.

import { h, s, swatch } from "./elements.js";
import { axisPercent, compact } from "./format.js";
import { columnAt, roundTicks, stack } from "./scales.js";

const margin = { left: 46, right: 10, top: 34 };
const lower = { gap: 26, height: 36 };

/**
 * The data of a chart has `unit` (the title of the value axis), `columns` (the number), `series` ({ name, style, values, note?,
 * isHatched? }), `ticks` ({ index, label }), and optionally `marks` ({ at, label }, with `at` from 0 to `columns`), `captions`
 * (lines of text above each column), `share` ({ name, values }, from 0 to 1), `line`, a boundary between columns, and
 * `isLastOpen` if the time of the last column is not over. `tip(column, isShown)` returns the title and the lines of the tooltip.
 */
export class Chart {
    #place;
    #options;
    #data;
    #hidden = new Set();
    #plot = h("div", { class: "plot" });
    #drawing = s("svg", { "aria-hidden": "true" });
    #tip = h("div", { class: "tip", "aria-hidden": "true", hidden: "" });
    #legend = h("ul", { class: "legend" });
    #names = "";
    #column;
    #cursor;

    /** `options`: `label` of the cursor, `height` of the plot, `isArea`, and `toOne` for shares of each column. */
    constructor(place, options) {
        this.#place = place;
        this.#options = options;
        // A slider over the chart: the keyboard, touch and screen readers move it as any other slider.
        this.#cursor = h("input", { type: "range", class: "cursor", min: 0, max: 0, value: 0, "aria-label": options.label });
        this.#plot.append(this.#drawing, this.#cursor, this.#tip);
        place.replaceChildren(this.#plot, this.#legend);
        this.#plot.addEventListener("pointermove", (event) => this.#point(event));
        this.#plot.addEventListener("pointerleave", () => this.#leave());
        this.#cursor.addEventListener("input", () => this.#show(Number(this.#cursor.value)));
        this.#cursor.addEventListener("focus", () => this.#cursor.matches(":focus-visible") && this.#show(Number(this.#cursor.value)));
        this.#cursor.addEventListener("blur", () => this.#show(undefined));
        this.#cursor.addEventListener("keydown", (event) => event.key === "Escape" && this.#show(undefined));
        new ResizeObserver(() => this.#data && this.#draw()).observe(this.#plot);
    }

    update(data) {
        const isNew = this.#data?.columns !== data.columns;
        this.#data = data;
        this.#cursor.max = Math.max(data.columns - 1, 0);
        if (isNew) this.#cursor.value = data.columns - 1;
        this.#drawLegend();
        this.#draw();
        this.#show(this.#column);
    }

    #isShown = (series) => !this.#hidden.has(series.name);

    #drawLegend() {
        const { series } = this.#data;
        const names = series.map(({ name, style, note }) => `${name} ${style} ${note ?? ""}`).join("\n");
        if (names === this.#names) return;
        this.#names = names;
        const focused = this.#legend.contains(document.activeElement) ? document.activeElement.dataset.name : undefined;
        const button = ({ name, style, note }) => {
            const item = h("button", { type: "button", "data-name": name, "aria-pressed": !this.#hidden.has(name) }, swatch(style), name);
            if (note) item.append(h("span", { class: "quiet" }, note));
            item.addEventListener("click", () => this.#toggle(item, name));
            return item;
        };
        this.#legend.replaceChildren(...series.map((line) => h("li", {}, button(line))));
        if (focused) [...this.#legend.querySelectorAll("button")].find((item) => item.dataset.name === focused)?.focus();
    }

    #toggle(button, name) {
        if (!this.#hidden.delete(name)) this.#hidden.add(name);
        button.setAttribute("aria-pressed", String(!this.#hidden.has(name)));
        this.#draw();
        this.#show(this.#column);
    }

    #point(event) {
        if (event.pointerType === "touch" && event.buttons === 0) return;
        const box = this.#plot.getBoundingClientRect();
        const { columns } = this.#data;
        this.#cursor.value = columnAt(event.clientX - box.left - margin.left, box.width - margin.left - margin.right, columns);
        this.#show(Number(this.#cursor.value));
    }

    #leave() {
        if (!this.#cursor.matches(":focus-visible")) this.#show(undefined);
    }

    #draw() {
        const { unit, columns, series, ticks, marks = [], captions, share, line, isLastOpen } = this.#data;
        const width = Math.max(this.#plot.clientWidth, 240);
        const height = this.#options.height;
        const inner = width - margin.left - margin.right;
        const step = inner / Math.max(columns, 1);
        const shown = series.filter(this.#isShown);
        const bands = stack(shown, columns, this.#options.toOne);
        const top = this.#options.toOne ? 1 : Math.max(...(bands.at(-1) ?? []).map(([, until]) => until), 0);
        const values = this.#options.toOne ? [0, 0.25, 0.5, 0.75, 1] : roundTicks(top);
        const head = captions ? 34 : 0;
        const y = (value) => margin.top + head + (1 - value / values.at(-1)) * (height - head);
        const x = (column) => margin.left + column * step;
        const bottom = margin.top + height;
        const isTilted = Boolean(captions) && step < 44;
        const lowest = share ? bottom + lower.gap + lower.height : bottom;
        const end = lowest + (isTilted ? 42 : 24);
        const open = isLastOpen ? columns - 1 : undefined;
        const parts = [
            s("text", { x: 0, y: 12, class: "tick start" }, unit),
            ...values.flatMap((value) => [
                s("line", { x1: margin.left, x2: width - margin.right, y1: y(value), y2: y(value), class: value === 0 ? "axis" : "grid" }),
                s("text", { x: margin.left - 8, y: y(value) + 4, class: "tick end" }, this.#options.toOne ? axisPercent(value) : compact(value)),
            ]),
            ...shown.flatMap((line, index) => {
                const band = bands[index];
                return this.#options.isArea && columns > 2 ? [area(band, line.style, x, y, step)] : bars(band, line, open, x, y, step);
            }),
            ...ticks.map(({ index, label }) => tick(x(index) + step / 2, end, label, isTilted, width)),
            ...marks.flatMap(({ at, label }) => mark(x(at), bottom, label)),
        ];
        captions?.forEach((lines, index) => {
            const tallest = bands.at(-1)?.[index]?.[1] ?? 0;
            const [center, above] = [x(index) + step / 2, y(tallest) - 6];
            if (isTilted) parts.push(s("text", { x: center, y: above, class: "tick start strong", transform: `rotate(-45 ${center} ${above})` }, lines[0]));
            else lines.forEach((text, row) => parts.push(s("text", { x: center, y: y(tallest) - 19 + row * 13, class: row === 0 ? "caption strong" : "caption" }, text)));
        });
        if (line !== undefined) parts.push(s("line", { x1: x(line), x2: x(line), y1: margin.top, y2: bottom, class: "floor" }));
        if (share) parts.push(...strip(share, bottom + lower.gap, x, step, width));
        parts.push(s("rect", { class: "column", y: margin.top, width: Math.max(step, 1), height: lowest - margin.top, visibility: "hidden" }));
        this.#drawing.setAttribute("viewBox", `0 0 ${width} ${end + 6}`);
        this.#drawing.replaceChildren(...parts);
        this.#cursor.setAttribute("aria-valuetext", this.#spoken(Number(this.#cursor.value)));
    }

    #spoken(column) {
        if (!(this.#data.columns > column)) return "";
        const { title, lines } = this.#data.tip(column, this.#isShown);
        return [title, ...lines.map(({ name, text }) => `${name}: ${text}`)].join("; ");
    }

    #show(column) {
        const isShown = column !== undefined && column < this.#data.columns;
        this.#column = isShown ? column : undefined;
        this.#tip.hidden = !isShown;
        const band = this.#drawing.querySelector(".column");
        band?.setAttribute("visibility", isShown ? "visible" : "hidden");
        if (!isShown) return;
        this.#cursor.setAttribute("aria-valuetext", this.#spoken(column));
        const { title, lines } = this.#data.tip(column, this.#isShown);
        const row = ({ name, text, style }) => h("tr", {}, h("td", {}, style ? swatch(style) : ""), h("td", {}, name), h("td", { class: "number" }, text));
        this.#tip.replaceChildren(h("p", {}, title), h("table", { role: "presentation" }, h("tbody", {}, ...lines.map(row))));
        const width = this.#plot.clientWidth;
        const step = (width - margin.left - margin.right) / this.#data.columns;
        const left = margin.left + column * step;
        band.setAttribute("x", left);
        this.#placeTip(left, left + step, width);
    }

    /** Places the tooltip beside the column from `left` to `right`, or above the plot if there is no room; never over the legend. */
    #placeTip(left, right, width) {
        // Its width must not depend on its previous place.
        this.#tip.style.setProperty("left", "0px");
        const { offsetWidth, offsetHeight } = this.#tip;
        const isRight = right + 8 + offsetWidth <= width;
        const isBeside = isRight || left - 8 - offsetWidth >= 0;
        const place = isRight ? right + 8 : isBeside ? left - 8 - offsetWidth : Math.min(left, width - offsetWidth);
        const top = isBeside ? Math.min(0, this.#plot.clientHeight - offsetHeight) : margin.top - 4 - offsetHeight;
        this.#tip.style.setProperty("left", `${place}px`);
        this.#tip.style.setProperty("top", `${top}px`);
    }
}

/** Returns the gap between bars. */
const gapOf = (step) => (step > 6 ? Math.min(step * 0.18, 8) : step > 3 ? 1 : 0);

/** Returns the bars of a series; the bar of the column `open` is hatched. */
function bars(band, { style, isHatched }, open, x, y, step) {
    const gap = gapOf(step);
    return band.flatMap(([from, until], column) => {
        if (until <= from) return [];
        const size = { x: x(column) + gap / 2, y: y(until), width: step - gap, height: Math.max(y(from) - y(until) - 0.6, 0.6) };
        const bar = s("rect", { ...size, class: style });
        return isHatched || column === open ? [bar, s("rect", { ...size, fill: "url(#hatch)" })] : [bar];
    });
}

function area(band, style, x, y, step) {
    const last = band.length - 1;
    // The first and last points lie at the edges of the plot.
    const across = (column) => (column === 0 ? x(0) : column === last ? x(last) + step : x(column) + step / 2);
    const upper = band.map(([, until], column) => `${across(column).toFixed(1)} ${y(until).toFixed(1)}`);
    const under = band.map(([from], column) => `${across(column).toFixed(1)} ${y(from).toFixed(1)}`).reverse();
    return s("path", { d: `M${upper.join("L")}L${under.join("L")}Z`, class: `${style} area` });
}

function tick(x, y, label, isTilted, width) {
    if (isTilted) return s("text", { x, y: y - 26, class: "tick end", transform: `rotate(-45 ${x} ${y - 26})` }, label);
    const edge = x < 30 ? " start" : x > width - 30 ? " end" : "";
    return s("text", { x: edge === " end" ? Math.min(x + 12, width) : x, y: y - 4, class: `tick${edge || " middle"}` }, label);
}

const mark = (x, bottom, label) => [
    s("line", { x1: x, x2: x, y1: margin.top - 12, y2: bottom, class: "mark-line" }),
    s("path", { d: `M${x - 5} ${margin.top - 15}h10l-5 8z`, class: "mark-head" }, s("title", {}, label)),
];

/** Returns the bars of a share, on a scale of their own, below the plot. */
function strip({ name, values }, top, x, step, width) {
    const most = roundTicks(Math.max(...values, 0.01)).at(-1);
    const limit = Math.min(most, 1);
    const gap = gapOf(step);
    const bottom = top + lower.height;
    return [
        s("text", { x: x(0), y: top - 7, class: "tick start strong" }, name),
        s("line", { x1: x(0), x2: width - margin.right, y1: top, y2: top, class: "grid" }),
        s("text", { x: x(0) - 8, y: top + 4, class: "tick end" }, axisPercent(limit)),
        s("line", { x1: x(0), x2: width - margin.right, y1: bottom, y2: bottom, class: "axis" }),
        s("text", { x: x(0) - 8, y: bottom + 4, class: "tick end" }, axisPercent(0)),
        ...values.flatMap((value, column) => {
            const size = (Math.min(value, limit) / limit) * lower.height;
            return value > 0 ? [s("rect", { x: x(column) + gap / 2, y: bottom - size, width: step - gap, height: size, class: "denied" })] : [];
        }),
    ];
}
