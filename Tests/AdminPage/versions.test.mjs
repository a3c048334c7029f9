import assert from "node:assert/strict";
import { test } from "node:test";

import { candidate, Colors, compareVersions, groupOf, isFor, isPlain, newestFirst, readChange, sumByVersion } from "../../Sources/CAdminFiles/page/versions.js";

test("versions are compared by their numbers", () => {
    const sorted = ["4.0", "3.10.0", "3.9", "3.9.0", "10.0", ""].sort(compareVersions);
    assert.deepEqual(sorted, ["", "3.9", "3.9.0", "3.10.0", "4.0", "10.0"]);
});

test("only plain versions can be a minimum", () => {
    assert.deepEqual(["4", "4.0.1", "4.0-beta", "", undefined, "4..1"].map(isPlain), [true, true, false, false, false, false]);
});

const series = [
    { app: "a", platform: "ios", version: "2.0", points: [{ at: "2026-11-28T10:00:00Z", requests: 5, denied: 1 }] },
    { app: "a", platform: "android", version: "2.0", points: [{ at: "2026-11-28T10:00:00Z", requests: 7, denied: 0 }] },
    { app: "a", platform: "ios", points: [{ at: "2026-11-28T11:00:00Z", requests: 1, denied: 0 }] },
    { isOther: true, points: [{ at: "2026-11-28T11:00:00Z", requests: 40, denied: 2 }] },
];

test("requests are summed up by version, and the sum of others stays apart", () => {
    const lines = sumByVersion(series);
    assert.deepEqual(lines.map(({ version, requests, denied }) => [version, requests, denied]), [[undefined, 40, 2], ["2.0", 12, 1], ["", 1, 0]]);
    assert.deepEqual(lines[1].points.get(Date.parse("2026-11-28T10:00:00Z")), { requests: 12, denied: 1 });
});

test("a group has only its own requests", () => {
    const lines = sumByVersion(series, groupOf({ app: "a", platform: "ios" }));
    assert.deepEqual(lines.map(({ version, requests }) => [version, requests]), [["2.0", 5], ["", 1]]);
});

test("the versions with the most requests are shown, newest first", () => {
    const lines = ["3.0", "4.0", "1.0", "2.0"].map((version) => ({ version }));
    const { shown, rest } = newestFirst([{ version: undefined }, ...lines], 3);
    assert.deepEqual([shown, rest], [[lines[1], lines[0], lines[2]], [lines[3], { version: undefined }]]);
});

test("a version keeps its color, and no chart has a color twice", () => {
    const colors = new Colors();
    const first = colors.pick(["4.0", "3.0"]);
    assert.deepEqual(colors.pick(["3.0", "4.0"]), [first[1], first[0]]);
    const many = ["9", "8", "7", "6", "5", "4.0", "3.0", "2"];
    assert.deepEqual(new Set(colors.pick(many)).size, 8);
    for (let round = 0; round < 20; round += 1) {
        assert.equal(new Set(colors.pick(many.map((version) => `${version}.${round}`))).size, 8);
    }
});

for (const [requests, minimum, expected] of [
    [{ "4.2.0": 9, "3.5.0": 4 }, "3.5.0", "4.0"],
    [{ "4.2.0": 9 }, "4.0", "4.2.0"],
    [{ "4.2.0": 9 }, "4.2.0", undefined],
    [{ "4.2.0": 9, "5.0-beta": 99 }, undefined, "4.0"],
    [{}, "1.0", undefined],
]) {
    test(`the next minimum after ${minimum} for ${Object.keys(requests)} is ${expected}`, () => {
        assert.equal(candidate(new Map(Object.entries(requests)), minimum), expected);
    });
}

test("a rule is for the clients that its conditions match, in any case of letters", () => {
    const rule = { match: { platforms: ["iOS"], apps: ["a"] } };
    assert.equal(isFor(rule, { platform: "ios", app: "a" }), true);
    assert.equal(isFor(rule, { platform: "ios" }), false);
    assert.equal(isFor({ match: {} }, {}), true);
});

for (const [line, expected] of [
    ["rule 'ios':", { kind: "same", indent: 0, text: "rule 'ios':" }],
    ['  minimum: "3.0" -> "4.0"', { kind: "changed", indent: 2, name: "minimum", before: '"3.0"', after: '"4.0"' }],
    ['  recommended: new, "4.1.0"', { kind: "added", indent: 2, text: 'recommended: new, "4.1.0"' }],
    ['  blocked: removed, was ["3.7"]', { kind: "removed", indent: 2, text: 'blocked: removed, was ["3.7"]' }],
    ["rule 'a' is new: { id: a }", { kind: "added", indent: 0, text: "rule 'a' is new: { id: a }" }],
    ["rule 'a' was removed: { id: a }", { kind: "removed", indent: 0, text: "rule 'a' was removed: { id: a }" }],
    ["  => now: <3.9.0: newly denied", { kind: "effect", indent: 2, text: "now: <3.9.0: newly denied" }],
]) {
    test(`the line '${line}' is read`, () => assert.deepEqual(readChange(line), expected));
}
