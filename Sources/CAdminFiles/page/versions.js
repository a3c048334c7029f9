// Pure functions for versions, and for the traffic of each.

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

/** Whether a version can be a minimum. */
export const isPlain = (version) => /^[0-9]+(\.[0-9]+)*$/.test(version ?? "");

/** The name of the group that sums up all entries beyond the limit of the census. */
const others = " others";

/** Returns the name of the clients that a series or a group belongs to: `app platform`. */
export const groupOf = ({ isOther, app, platform }) => (isOther && !platform ? others : JSON.stringify([app ?? "", platform ?? ""]));

/**
 * Returns the requests and denials of each version, in descending order of requests; `group` selects the clients. A missing
 * version has the name `""`, the sum of others `undefined`.
 */
export function sumByVersion(series, group) {
    const found = new Map();
    for (const line of series) {
        if (group && groupOf(line) !== group) continue;
        const version = line.isOther ? undefined : line.version ?? "";
        const sum = found.get(version) ?? { version, requests: 0, denied: 0, points: new Map() };
        for (const { at, requests, denied } of line.points) {
            sum.requests += requests;
            sum.denied += denied;
            const time = Date.parse(at);
            const point = sum.points.get(time) ?? { requests: 0, denied: 0 };
            sum.points.set(time, { requests: point.requests + requests, denied: point.denied + denied });
        }
        found.set(version, sum);
    }
    return [...found.values()].sort((left, right) => right.requests - left.requests);
}

/** Returns the first `count` lines, newest version first, and the rest, which always includes the sum of others. */
export function newestFirst(lines, count) {
    const isNamed = (line) => line.version !== undefined;
    const named = lines.filter(isNamed);
    const shown = named.slice(0, count).sort((left, right) => compareVersions(right.version, left.version));
    return { shown, rest: [...named.slice(count), ...lines.filter((line) => !isNamed(line))] };
}

const colorCount = 12;
/** Colors with the same remainder have the same lightness; the style `rest`, which follows the last version, has that of 3. */
const lightnessOf = (color) => color % 4;

/**
 * Assigns colors to versions: a version has one color in all charts, no other version of a chart has it, and neighbors differ in
 * lightness. A color changes only if another chart requires it.
 */
export class Colors {
    #charts = new Map();
    #known = new Map();

    /** Returns the index of the color of a version. */
    of = (version) => this.#known.get(version);

    /** Sets the versions of a chart, in their order, and returns whether the color of a known version has changed. */
    set(chart, versions) {
        this.#charts.set(chart, versions);
        const before = new Map(this.#known);
        const all = [...new Set([...this.#charts.values()].flat())];
        const isWrong = (version) => !this.#known.has(version) || this.#cost(version, this.of(version)) >= 1;
        // Each step repairs one version; if the charts allow no solution, the steps end.
        for (let step = 0; step < 8 * all.length; step += 1) {
            const wrong = all.filter(isWrong);
            if (wrong.length === 0) break;
            const version = wrong.find((item) => !this.#known.has(item)) ?? wrong[step % 3] ?? wrong[0];
            const costs = Array.from({ length: colorCount }, (_, color) => (color === this.of(version) ? Infinity : this.#cost(version, color)));
            this.#known.set(version, costs.indexOf(Math.min(...costs)));
        }
        return [...before].some(([version, color]) => this.of(version) !== color);
    }

    /** Returns the cost of a color for a version: 0 to 1 for versions of other charts that have it, more for conflicts. */
    #cost(version, color) {
        let cost = [...this.#known].filter(([other, known]) => other !== version && known === color).length / 1000;
        for (const versions of this.#charts.values()) {
            const place = versions.indexOf(version);
            if (place < 0) continue;
            if (versions.some((other, index) => index !== place && this.of(other) === color)) cost += 20;
            const next = [place - 1, place + 1].map((index) => (index === versions.length ? 3 : this.of(versions[index])));
            cost += next.filter((other) => other !== undefined && lightnessOf(other) === lightnessOf(color)).length;
        }
        return cost;
    }
}

/**
 * Returns the version to evaluate as the next minimum of a rule: the first one with the major number of the most used version
 * or, if that is not above the current minimum, the most used version. `versions` maps versions to requests.
 */
export function candidate(versions, minimum) {
    const [most] = [...versions].filter(([version]) => isPlain(version)).sort((left, right) => right[1] - left[1])[0] ?? [];
    if (!most) return undefined;
    const isAbove = (version) => !minimum || compareVersions(version, minimum) > 0;
    return [`${most.split(".")[0]}.0`, most].find(isAbove);
}

/** Whether a rule's `match` selects a client of the census. */
export function isFor({ match: { platforms, apps, channels } }, client) {
    const fits = (names, name) => !names || names.some((item) => item.toLowerCase() === (name ?? "").toLowerCase());
    return fits(platforms, client.platform) && fits(apps, client.app) && fits(channels, client.channel);
}

/** Returns the audiences whose clients a rule matches; none if it matches all, or only some channels, which are counted together. */
export function audiencesOf(rule, audiences) {
    const { platforms, apps, channels } = rule.match;
    return (platforms || apps) && !channels ? audiences.filter((audience) => isFor(rule, audience)) : [];
}

/** Returns a line of a change to the rules as parts, each with the kind of the line: `same`, `added`, `removed` or `changed`. */
export function readChange(line) {
    const [, indent, name, rest] = /^(\s*)((?:rule|notice|feed) '[^']*'(?: \w+)?|[^:]*):?\s*(.*)$/s.exec(line);
    const isEffect = line.trimStart().startsWith("=>");
    const isAdded = / is new\b/.test(line) || rest.startsWith("new, ");
    const isRemoved = / was removed\b/.test(line) || rest.startsWith("removed, was ");
    const kind = isEffect ? "effect" : isAdded ? "added" : isRemoved ? "removed" : "same";
    if (kind !== "same") return { kind, indent: indent.length, text: line.trim().replace(/^=> /, "") };
    const at = rest.indexOf(" -> ");
    if (at < 0) return { kind, indent: indent.length, text: line.trim() };
    return { kind: "changed", indent: indent.length, name, before: rest.slice(0, at), after: rest.slice(at + 4) };
}
