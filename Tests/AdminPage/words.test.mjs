import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { test } from "node:test";

import { choose } from "../../Sources/CAdminFiles/page/words.js";
import en from "../../Sources/CAdminFiles/page/words/en.js";
import ja from "../../Sources/CAdminFiles/page/words/ja.js";
import ko from "../../Sources/CAdminFiles/page/words/ko.js";

const root = new URL("../../", import.meta.url);
const page = new URL("Sources/CAdminFiles/page/", root);
const read = (name, base = page) => readFileSync(new URL(name, base), "utf8");
const isModule = (name) => name.endsWith(".js");
const modules = readdirSync(page).filter(isModule);
const files = [...readdirSync(page), ...readdirSync(new URL("words/", page)).map((name) => `words/${name}`)];

const placeholders = (text) => [...text.matchAll(/\{(\w+)\}/g)].map(([, name]) => name).sort();

for (const [name, words] of Object.entries({ ja, ko })) {
    test(`${name} has the keys of English, in the same order`, () => assert.deepEqual(Object.keys(words), Object.keys(en)));
    test(`${name} has the placeholders of English, and no empty text`, () => {
        for (const key of Object.keys(en)) {
            assert.deepEqual(placeholders(words[key]), placeholders(en[key]), key);
            assert.notEqual(words[key], "", key);
        }
    });
}

test("the terms of the languages are in the texts", () => {
    const [japanese, korean] = [ja, ko].map((words) => Object.values(words).join("\n"));
    for (const term of ["強制アップデート", "最低バージョン", "段階的公開"]) assert.ok(japanese.includes(term), term);
    for (const term of ["강제 업데이트", "최소 버전", "단계적 출시"]) assert.ok(korean.includes(term), term);
});

for (const [name, words] of Object.entries({ en, ja, ko })) {
    test(`names of feeds, rules and backends in sentences are in quotation marks in ${name}`, () => {
        for (const key of ["feedFailing", "feedStale", "breakerTripped", "cost", "wouldMove"]) {
            assert.doesNotMatch(words[key], /(?<![“「‘])\{(feed|rule|from|to)\}/, key);
        }
    });
}

for (const [wanted, expected] of [[["ja-JP", "en"], "ja"], [["fr", "ko"], "ko"], [["KO"], "ko"], [["fr"], "en"], [[], "en"], [["constructor"], "en"]]) {
    test(`the language for '${wanted}' is ${expected}`, () => assert.equal(choose(wanted), expected));
}

test("every text that the page names exists, and every text is used", () => {
    const sources = [...modules, "index.html"].map((name) => read(name)).join("\n");
    const named = [...sources.matchAll(/\bt\(\s*"([\w-]+)"|data-t(?:-label)?="([\w-]+)"/g)].map(([, first, second]) => first ?? second);
    assert.ok(named.length > 100);
    for (const key of named) assert.ok(Object.hasOwn(en, key), `'${key}' is missing`);
    // Keys with a variable part: `range_${name}`, `tour${n}`.
    const isUsed = (key) => sources.includes(`"${key.replace(/_(one|other)$/, "")}"`) || /^(range|live|undated|effect|feed|source|below|above|unit)_|^tour\d/.test(key);
    assert.deepEqual(Object.keys(en).filter((key) => !isUsed(key)), []);
});

test("the guide has the texts of the tour", () => {
    // The guide has names in code style, the page in quotation marks.
    const plain = (text) => text.replace(/[`“”]|\*\*/g, "").replace(/\s+/g, " ");
    const guide = plain(read("docs/guides/tour.md", root));
    for (const key of Object.keys(en).filter((name) => /^tour\d/.test(name))) assert.ok(guide.includes(plain(en[key])), `'${en[key]}' is missing`);
});

test("the gate embeds and serves every file of the page, and the API documents it", () => {
    const embedded = read("Sources/CAdminFiles/admin-files.c", root);
    const served = read("Sources/GateAdmin/Exchange/PageFile.swift", root);
    const { paths } = JSON.parse(read("docs/admin/openapi.json", root));
    const names = files.filter((name) => /\.(js|css|svg|html)$/.test(name));
    assert.ok(names.length > 20);
    for (const name of names) {
        assert.ok(embedded.includes(`"page/${name}"`), `${name} is not embedded`);
        if (name === "index.html") continue;
        assert.ok(served.includes(`"${name}"`), `${name} is not served`);
        assert.ok(paths[`/page/${name}`], `${name} is not documented`);
    }
});

test("modules import only modules of the page", () => {
    for (const name of modules) {
        for (const [, path] of read(name).matchAll(/^import .* from "([^"]+)";$/gm)) assert.ok(files.includes(path.replace("./", "")), `${name}: ${path}`);
    }
});

test("no file has more than 400 lines", () => {
    for (const name of files.filter((file) => /\.\w+$/.test(file))) assert.ok(read(name).split("\n").length <= 401, name);
});

test("the page has no inline scripts and no inline styles", () => {
    for (const name of [...modules, "index.html"]) {
        assert.doesNotMatch(read(name), /\sstyle="|\sonclick|innerHTML\s*=[^=]|setAttribute\("style"/, name);
    }
});
