import assert from "node:assert/strict";
import { test } from "node:test";

import { columnAt, ranges, roundTicks, smallestRange, stack, timeSteps, timeTicks } from "../../Sources/CAdminFiles/page/scales.js";

const minute = 60_000;

for (const [top, expected] of [
    [0, [0, 1]],
    [1, [0, 0.25, 0.5, 0.75, 1]],
    [3, [0, 1, 2, 3]],
    [7, [0, 2, 4, 6, 8]],
    [97, [0, 25, 50, 75, 100]],
    [1085, [0, 250, 500, 750, 1000, 1250]],
    [1_070_000, [0, 250_000, 500_000, 750_000, 1_000_000, 1_250_000]],
    [0.0123, [0, 0.0025, 0.005, 0.0075, 0.01, 0.0125]],
    [48_213, [0, 10_000, 20_000, 30_000, 40_000, 50_000]],
]) {
    test(`the ticks up to ${top} are round and reach it`, () => assert.deepEqual(roundTicks(top), expected));
}

test("ticks reach every number closely, and there are few of them", () => {
    for (let top = 1; top < 20_000; top += 7) {
        const ticks = roundTicks(top);
        assert.ok(1 - top / ticks.at(-1) < 0.17, `${top}: ${ticks}`);
        assert.ok(ticks.at(-1) >= top * 0.9999 && ticks.length <= 9, `${top}: ${ticks}`);
    }
});

test("a period has all its steps, from the one that contains its start", () => {
    const times = timeSteps("2026-11-28T14:10:40Z", "2026-11-28T14:13:00Z", 60);
    assert.deepEqual(times.map((time) => new Date(time).toISOString().slice(14, 19)), ["10:00", "11:00", "12:00", "13:00"]);
});

test("a period of one step has one label", () => assert.deepEqual(timeTicks([5 * minute], 4), [0]));

test("labels are on round times", () => {
    const times = timeSteps("2026-11-28T14:08:00Z", "2026-11-28T15:08:00Z", 60);
    assert.deepEqual(timeTicks(times, 5).map((index) => new Date(times[index]).toISOString().slice(11, 16)), ["14:15", "14:30", "14:45", "15:00"]);
});

test("labels are on round times of a zone with half hours", () => {
    const times = timeSteps("2026-11-27T14:00:00Z", "2026-11-28T14:00:00Z", 1800);
    const local = (index) => new Date(times[index] + 330 * minute).toISOString().slice(11, 16);
    assert.deepEqual(timeTicks(times, 5, 330 * minute).map(local), ["00:00", "06:00", "12:00", "18:00"]);
});

test("there are never more labels than fit, and at least one", () => {
    for (const [hours, step] of [[1, 60], [24, 3600], [168, 3600], [720, 86_400], [2160, 86_400]]) {
        const times = timeSteps(new Date(1e12 - hours * 60 * minute).toISOString(), new Date(1e12).toISOString(), step);
        for (const count of [2, 4, 12]) {
            const labels = timeTicks(times, count).length;
            assert.ok(labels >= 1 && labels <= count + 1, `${hours} h, ${count}: ${labels}`);
        }
    }
});

/** Returns the range for requests of the given ages in minutes. */
const rangeOf = (ages) => {
    const lengths = { "15m": 15, "1h": 60, "24h": 1440, "7d": 10_080, "30d": 43_200, "90d": 129_600 };
    return smallestRange(async (name) => ages.filter((age) => age <= lengths[name]).length);
};

for (const [ages, expected] of [[[], "15m"], [[1, 2], "15m"], [[1, 20], "1h"], [[70], "24h"], [[1, 2000], "7d"], [[20_000], "30d"], [[50_000, 3], "90d"]]) {
    test(`requests of the ages ${ages} need a range of ${expected}`, async () => assert.equal(await rangeOf(ages), expected));
}

test("a few requests outside of a range do not make it larger", async () => {
    const requests = { "90d": 1000, "30d": 960, "7d": 955, "24h": 400 };
    assert.equal(await smallestRange(async (name) => requests[name]), "7d");
});

test("ranges larger than needed are not loaded twice, and smaller ones only until requests are missing", async () => {
    const loaded = [];
    await smallestRange(async (name) => (loaded.push(name), name === "90d" || name === "30d" ? 9 : 4));
    assert.deepEqual(loaded, ["90d", "30d", "7d"]);
    assert.deepEqual(new Set(loaded).size, loaded.length);
    assert.deepEqual(ranges.length, 6);
});

test("series are stacked in their order", () => {
    const series = [{ values: [1, 0] }, { values: [3, 2] }];
    assert.deepEqual(stack(series, 2), [[[0, 1], [0, 0]], [[1, 4], [0, 2]]]);
});

test("shares add up to one, also in a column without data", () => {
    const [first, second] = stack([{ values: [1, 0] }, { values: [3, 0] }], 2, true);
    assert.deepEqual([first[0], second[0], second[1]], [[0, 0.25], [0.25, 1], [0, 0]]);
});

test("a position belongs to one column", () => {
    assert.deepEqual([-5, 0, 49, 50, 99, 100, 400].map((x) => columnAt(x, 100, 2)), [0, 0, 0, 1, 1, 1, 1]);
});
