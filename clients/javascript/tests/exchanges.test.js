import assert from "node:assert/strict";
import { readFileSync, readdirSync } from "node:fs";
import { test } from "node:test";

import * as library from "../versiongate.js";
import {
  GateDenied, VersionGate, hint, inspect, readEvents, readStatus,
} from "../versiongate.js";
import { server } from "./gate.js";

const folder = new URL("../../../docs/wire/exchanges/", import.meta.url);
const names = readdirSync(folder).sort();

/** Returns the content as it is sent over a socket. */
function content({ json, body, envelopeFlags }) {
  const text = Buffer.from(json === undefined ? (body ?? "") : JSON.stringify(json));
  if (envelopeFlags === undefined) return text;
  const front = Buffer.alloc(5);
  front.writeUInt8(envelopeFlags);
  front.writeUInt32BE(text.length, 1);
  return Buffer.concat([front, text]);
}

/** Returns what the client reads from the response of an exchange. */
function read({ request, response, client }) {
  const answer = {
    status: response.status,
    headers: new Headers(response.fields),
    url: "https://gate.example" + request.target,
  };
  const body = new TextDecoder().decode(content(response));
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

/** Returns what the client reads from a response over a socket. */
async function hear({ request, client }, gate) {
  const { target, method } = request;
  const heard = {};
  if ("denial" in client) {
    try {
      const passed = await gate.fetch(target, { method });
      heard.denial = null;
      if ("hint" in client) heard.hint = hint(passed);
    } catch (error) {
      if (!(error instanceof GateDenied)) throw error;
      heard.denial = error.denial;
    }
  }
  if ("states" in client) {
    heard.states = [];
    for await (const state of gate.states()) {
      if (heard.states.push(state) === client.states.length) break;
    }
  }
  if ("state" in client) {
    const { path, method } = Object.fromEntries(new URLSearchParams(target.split("?")[1]));
    heard.state = await gate.check(path, { method });
    if (heard.state.last === null) delete heard.state.last;
  }
  return heard;
}

for (const name of names) {
  const exchange = JSON.parse(readFileSync(new URL(name, folder), "utf8"));
  const { request, response, client } = exchange;
  const known = { state: "allowed" };
  test(`reads ${name} over a socket`, { timeout: 60_000 }, async () => {
    const asked = [];
    const other = await server((incoming, outgoing) => {
      asked.push(`${incoming.method} ${incoming.url}`);
      // A 304 needs an earlier response.
      if (response.status === 304 && asked.length === 1) {
        outgoing.setHeader("ETag", Object.fromEntries(response.fields).ETag);
        outgoing.setHeader("Content-Type", "application/json").end('{"decision":"allow"}');
        return;
      }
      for (const [field, value] of response.fields) outgoing.appendHeader(field, value);
      outgoing.writeHead(response.status);
      outgoing.end(content(response));
    });
    const gate = new VersionGate(other.url, { platform: "ios", version: "3.4.9" });
    if (response.status === 304) assert.deepEqual(await gate.check(), known);
    const meant = client.state?.state === "unchanged" ? { state: known } : client;
    assert.deepEqual(await hear(exchange, gate), meant);
    if (!("state" in client)) assert.equal(asked[0], `${request.method} ${request.target}`);
    await other.end();
  });
}

test("plain objects with fields of any case can be read", () => {
  const denial = inspect({ status: 426, headers: { "x-versiongate": "require" } });
  assert.deepEqual(denial, { state: "required", update: {} });
});

test("a response from one of the gate's own endpoints is not a denial", () => {
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
  test(`'${field}' is not a hint`, () => {
    assert.equal(hint({ status: 200, headers: { "X-VersionGate": field } }), null);
  });
}

test("the type declarations list the existing names", () => {
  const types = readFileSync(new URL("../versiongate.d.ts", import.meta.url), "utf8");
  const named = types.matchAll(/^export (?:class|function) (\w+)/gm);
  assert.deepEqual([...named].map((match) => match[1]).sort(), Object.keys(library).sort());
});
