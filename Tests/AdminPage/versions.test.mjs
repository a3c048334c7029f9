import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";

import { audiencesOf, candidate, Colors, compareVersions, groupOf, isFor, isPlain, newestFirst, readChange, sumByVersion } from "../../Sources/CAdminFiles/page/versions.js";

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

const charts = {
    traffic: ["5.0.0", "4.8.2", "4.2.0", "4.1.0", "4.0.1", "3.9.2", "3.9.0", "3.8.0"],
    ios: ["4.2.0", "4.1.0", "4.0.1", "3.9.2", "3.8.0", "3.5.0", "3.4.9", "3.1.0"],
    android: ["4.2.0", "4.1.0", "3.9.0", "3.6.1", "3.4.0", "3.2.0"],
    courier: ["5.0.0", "4.8.2", "3.3.0"],
};

/** Returns the colors of each chart. */
const colorsOf = (colors) => Object.values(charts).map((versions) => versions.map(colors.of));

test("a version has one color, no chart has a color twice, and neighbors differ in lightness", () => {
    const colors = new Colors();
    for (const [name, versions] of Object.entries(charts)) colors.set(name, versions);
    for (const picked of colorsOf(colors)) {
        assert.equal(new Set(picked).size, picked.length);
        // The sum of other versions, which follows, has the lightness of 3.
        picked.forEach((color, index) => assert.notEqual(color % 4, (picked[index + 1] ?? 3) % 4, `${picked}`));
    }
});

test("a color changes only if another chart requires it", () => {
    const colors = new Colors();
    assert.equal(colors.set("a", ["4", "3", "2"]), false);
    const before = ["4", "3", "2"].map(colors.of);
    assert.equal(colors.set("a", ["5", "4", "3", "2"]), false);
    assert.deepEqual(["4", "3", "2"].map(colors.of), before);
    colors.set("a", ["9"]);
    assert.equal(colors.set("b", ["4", "2"]), colors.of("4") !== before[0] || colors.of("2") !== before[2]);
});

const style = readFileSync(new URL("../../Sources/CAdminFiles/page/page.css", import.meta.url), "utf8");

/** Returns the luminance of a color (WCAG 2.2), plus 0.05. */
function luminance(hex) {
    const parts = [1, 3, 5].map((at) => Number.parseInt(hex.slice(at, at + 2), 16) / 255);
    const [red, green, blue] = parts.map((part) => (part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4));
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue + 0.05;
}

for (const [place, scheme] of ["light", "dark"].entries()) {
    test(`the colors of the four lightnesses differ in ${scheme}, from each other and from the background`, () => {
        const found = Object.fromEntries([...style.split("prefers-color-scheme: dark")[place].matchAll(/--(\w+): (#\w{6});/g)].map(([, name, hex]) => [name, luminance(hex)]));
        const ratio = (one, other) => Math.max(found[one], found[other]) / Math.min(found[one], found[other]);
        const names = [...Array.from({ length: 12 }, (_, index) => `s${index}`), "rest"];
        const lightness = (name) => (name === "rest" ? 3 : Number(name.slice(1)) % 4);
        for (const one of names) {
            assert.ok(ratio(one, "panel") >= 3, one);
            for (const other of names) assert.ok(lightness(one) === lightness(other) || ratio(one, other) >= 1.5, `${one} ${other}`);
        }
    });
}

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

test("a rule's audiences are those of its apps and platforms", () => {
    const audiences = [{ app: "a", platform: "ios" }, { app: "a", platform: "android" }, { app: "other", platform: "ios" }];
    const of = (match) => audiencesOf({ match }, audiences).map(({ app, platform }) => `${app} ${platform}`);
    assert.deepEqual(of({ platforms: ["iOS"] }), ["a ios", "other ios"]);
    assert.deepEqual(of({ platforms: ["ios"], apps: ["a"] }), ["a ios"]);
    assert.deepEqual(of({}), []);
    assert.deepEqual(of({ platforms: ["ios"], channels: ["beta"] }), []);
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
