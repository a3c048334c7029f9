import assert from "node:assert/strict";
import { readFileSync, readdirSync } from "node:fs";
import { test } from "node:test";

import * as library from "../versiongate.js";
import { hint, inspect, readEvents, readStatus } from "../versiongate.js";

const folder = new URL("../../../docs/wire/exchanges/", import.meta.url);
const names = readdirSync(folder).sort();

/** What the client reads where an exchange says what it must read. */
function read({ request, response, client }) {
  const answer = {
    status: response.status,
    headers: new Headers(response.fields),
    url: "https://gate.example" + request.target,
  };
  const body = response.json === undefined ? response.body : JSON.stringify(response.json);
  const readers = {
    denial: () => inspect(answer, body),
    hint: () => hint(answer),
    state: () => readStatus(answer, body),
    states: () => readEvents(body),
  };
  return Object.fromEntries(Object.keys(client).map((key) => [key, readers[key]()]));
}

test("there are exchanges", () => assert.ok(names.length > 40));

for (const name of names) {
  test(`reads ${name}`, () => {
    const exchange = JSON.parse(readFileSync(new URL(name, folder), "utf8"));
    assert.deepEqual(read(exchange), exchange.client);
  });
}

test("plain objects of fields are read whatever their case", () => {
  const denial = inspect({ status: 426, headers: { "x-versiongate": "require" } });
  assert.deepEqual(denial, { state: "required", update: {} });
});

test("an answer of the gate's own folder is no denial", () => {
  const headers = { "X-VersionGate": "require" };
  for (const url of ["https://a.example/.versiongate/status?path=/a", "/.versiongate/status"]) {
    assert.equal(inspect({ status: 200, headers, url }), null);
    assert.equal(hint({ status: 200, headers, url }), null);
  }
});

for (const field of [
  "", " ", ",", "recommend,", "recommend;", "recommend; latest=", 'recommend; latest="a\u00e9"',
  "recommend;Latest=1", "(recommend", "=", '"recommend"', "1", "?2", "recommend require", ":x", "@",
]) {
  test(`'${field}' is no hint`, () => {
    assert.equal(hint({ status: 200, headers: { "X-VersionGate": field } }), null);
  });
}

test("the types name what there is", () => {
  const types = readFileSync(new URL("../versiongate.d.ts", import.meta.url), "utf8");
  const named = types.matchAll(/^export (?:class|function) (\w+)/gm);
  assert.deepEqual([...named].map((match) => match[1]).sort(), Object.keys(library).sort());
});
