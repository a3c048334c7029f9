// Pure functions for charts: sums, scales, ticks, ranges and stacks.

export const sum = (values) => values.reduce((total, value) => total + value, 0);

/** The periods of the traffic chart, in ascending order. */
export const ranges = ["15m", "1h", "24h", "7d", "30d", "90d"];

/** Returns the smallest range with 95 % of all requests; `load(range)` returns the number of requests in a range. */
export async function smallestRange(load) {
    let smallest = ranges.length - 1;
    const all = await load(ranges[smallest]);
    while (all > 0 && smallest > 0) {
        const fewer = await load(ranges[smallest - 1]);
        if (fewer < all * 0.95) break;
        smallest -= 1;
    }
    // Without requests, the gate is new.
    return all > 0 ? ranges[smallest] : ranges[0];
}

/** The most that an axis may extend above its data. */
const emptyShare = 0.15;

/** Returns round numbers from 0 up to the first one that is not below `top`, in about four steps, and close to `top`. */
export function roundTicks(top) {
    if (!(top > 0)) return [0, 1];
    const count = 4;
    const power = 10 ** Math.floor(Math.log10(top / count));
    const stepsOf = (step) => Math.ceil((top / step) * 0.9999);
    const emptyOf = (step) => 1 - top / (stepsOf(step) * step);
    // Counts have no fractions.
    const isUsable = (step) => (top <= 1 || Number.isInteger(step)) && stepsOf(step) <= 2 * count;
    const stepsWith = (factors) => factors.flatMap((factor) => [0.1, 1, 10].map((size) => Number((factor * size * power).toPrecision(12)))).filter(isUsable);
    const [common, others] = [stepsWith([1, 2, 2.5, 5]), stepsWith([1.5, 3, 4])];
    const closest = (steps) => steps.filter((step) => emptyOf(step) <= emptyShare).sort((left, right) => Math.abs(stepsOf(left) - count) - Math.abs(stepsOf(right) - count))[0];
    const step = closest(common) ?? closest(others) ?? [...common, ...others].sort((left, right) => emptyOf(left) - emptyOf(right))[0];
    return Array.from({ length: stepsOf(step) + 1 }, (_, index) => Number((index * step).toPrecision(12)));
}

/** Returns all steps of a period as times in milliseconds, including steps without data. */
export function timeSteps(since, until, stepSeconds) {
    const size = stepSeconds * 1000;
    const times = [];
    const end = Date.parse(until);
    for (let time = Math.floor(Date.parse(since) / size) * size; time <= end; time += size) times.push(time);
    return times;
}

const units = [1, 2, 5, 10, 15, 30, 60, 120, 180, 360, 720, 1440, 2880, 7 * 1440, 14 * 1440, 28 * 1440].map((minutes) => minutes * 60_000);

/**
 * Returns the indexes of the times to label: at most `count`, on round times of the zone that is `offset` milliseconds ahead
 * of UTC.
 */
export function timeTicks(times, count, offset = 0) {
    if (times.length < 2) return times.map((_, index) => index);
    const span = times.at(-1) - times[0];
    const step = times[1] - times[0];
    const unit = units.find((size) => size >= step && span / size < Math.max(count, 1)) ?? units.at(-1);
    const isRound = (time) => (time + offset) % unit === 0;
    const round = times.map((_, index) => index).filter((index) => isRound(times[index]));
    return round.length > 0 ? round : [0];
}

/** Returns [from, until] for each series and column, stacked in the order of the series; as shares if `toOne` is set. */
export function stack(series, columns, toOne = false) {
    const sums = new Array(columns).fill(0);
    const totals = Array.from({ length: columns }, (_, column) => sum(series.map(({ values }) => values[column])));
    return series.map(({ values }) =>
        sums.map((from, column) => {
            const scale = toOne ? totals[column] || 1 : 1;
            sums[column] = from + values[column] / scale;
            return [from, sums[column]];
        }),
    );
}

/** Returns the index of the column at a position. */
export const columnAt = (x, width, columns) => Math.min(columns - 1, Math.max(0, Math.floor((x / width) * columns)));
