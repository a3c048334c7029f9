import assert from "node:assert/strict";
import { after, before, test } from "node:test";

import { GateDenied, VersionGate, hint } from "../versiongate.js";
import { Gate, rules, server, time } from "./gate.js";

const identity = { app: "com.example.shop", platform: "ios", version: "3.4.9", language: "en" };
const limit = { timeout: 60_000 };

class Memory {
  items = new Map();
  getItem(key) {
    return this.items.get(key) ?? null;
  }
  setItem(key, value) {
    this.items.set(key, value);
  }
}

/** Returns an iterator over the states of a client. */
function listen(client) {
  const controller = new AbortController();
  const states = client.states({ signal: controller.signal });
  return {
    next: async () => (await states.next()).value,
    /** Returns the next state of a kind; others before it are skipped. */
    until: async (kind) => {
      for await (const state of { [Symbol.asyncIterator]: () => ({ next: () => states.next() }) }) {
        if (state.state === kind) return state;
      }
      throw new Error(`the states ended before ${kind}`);
    },
    end: async () => {
      controller.abort();
      await states.return();
    },
  };
}

let gate;
before(async () => (gate = await Gate.start(rules("3.5.0"))));
after(() => gate.end());

test("a denied request throws an error with all facts from the gate", limit, async () => {
  await gate.change(rules("3.5.0"));
  const client = new VersionGate(gate.url, identity);
  const error = await client.fetch("/orders").catch((error) => error);
  assert.ok(error instanceof GateDenied);
  assert.equal(error.denial.state, "required");
  assert.equal(error.denial.update.storeUrl, "https://example.com/app");
  assert.equal(error.denial.update.minimumVersion, "3.5.0");
  assert.equal(error.message, error.denial.update.message);
  assert.equal(error.response.status, 426);
  const head = await client.fetch(gate.url + "/orders", { method: "HEAD" }).catch((error) => error);
  assert.deepEqual(head.denial, { state: "required", update: {} });
});

test("a request that passes contains the identity, and its response is complete", limit, async () => {
  await gate.change(rules("3.4.0"));
  const client = new VersionGate(gate.url, () => identity, { fieldNames: { device: "X-Phone" } });
  const response = await client.fetch(new URL(gate.url + "/orders"), {
    headers: { "X-App-Build": "7" },
  });
  const { target, headers } = await response.json();
  assert.equal(target, "/orders");
  assert.equal(headers["x-app-version"], "3.4.9");
  assert.equal(headers["x-app-build"], "7");
  const other = await server((request, response) => response.end(JSON.stringify(request.headers)));
  const foreign = await (await client.fetch(other.url)).json();
  assert.equal(foreign["x-app-version"], undefined);
  await other.end();
});

test("problem documents from other servers are passed on unchanged", limit, async () => {
  const other = await server((_, response) => {
    response.writeHead(426, { "Content-Type": "application/problem+json" });
    response.end('{"type":"about:blank","title":"Upgrade Required","status":426}');
  });
  const response = await new VersionGate(other.url, identity).fetch("/a");
  assert.equal((await response.json()).title, "Upgrade Required");
  await other.end();
});

test("warned, brownout, maintenance, allowed", limit, async () => {
  const client = new VersionGate(gate.url, identity);
  const plan = `    warnFrom: ${time(-60)}\n    enforceFrom: ${time(86_400)}\n`;
  await gate.change(rules("3.5.0", plan));
  const warned = await client.check();
  assert.equal(warned.state, "recommended");
  assert.equal(warned.update.latestVersion, "3.5.0");
  assert.ok(Date.parse(warned.update.enforceFrom) > Date.now());
  const passed = await client.fetch("/a");
  assert.equal(passed.status, 200);
  assert.equal(hint(passed).state, "recommended");
  assert.equal(hint(passed).update.enforceFrom, warned.update.enforceFrom);

  const brownout = `    brownouts: [{ from: ${time(-60)}, until: ${time(600)} }]\n`;
  await gate.change(rules("3.5.0", plan + brownout));
  const denied = await client.check();
  assert.equal(denied.state, "required");
  assert.ok(Date.parse(denied.update.brownoutUntil) > Date.now());
  const { denial } = await client.fetch("/a").catch((error) => error);
  assert.ok(denial.update.retryAfterSeconds > 0 && denial.update.retryAfterSeconds <= 600);

  const window = `  - id: moving
    match: { path: /archive/** }
    maintenance: { from: ${time(-60)}, until: ${time(600)} }\n`;
  await gate.change(rules("3.4.0", window));
  assert.deepEqual((await client.check()).state, "allowed");
  const moving = await client.check("/archive/1", { method: "GET" });
  assert.equal(moving.state, "maintenance");
  assert.ok(Date.parse(moving.window.maintenanceUntil) > Date.now());
  const refused = await client.fetch("/archive/1").catch((error) => error);
  assert.equal(refused.denial.state, "maintenance");
  assert.equal(refused.denial.window.maintenanceUntil, moving.window.maintenanceUntil);
  // A requirement for a part of the API does not affect the state of the app.
  assert.equal((await client.check()).state, "allowed");
});

test("an unchanged status is not sent again", limit, async () => {
  await gate.change(rules("3.5.0"));
  const statuses = [];
  const client = new VersionGate(gate.url, identity, {
    fetch: async (...parameters) => {
      const response = await fetch(...parameters);
      statuses.push(response.status);
      return response;
    },
  });
  const first = await client.check();
  assert.deepEqual(await client.check(), first);
  assert.deepEqual(statuses, [200, 304]);
});

test("a live change is delivered, and so is its end", limit, async () => {
  await gate.change(rules("3.4.0"));
  const states = listen(new VersionGate(gate.url, identity));
  assert.equal((await states.next()).state, "allowed");
  await gate.change(rules("3.5.0"));
  assert.equal((await states.next()).state, "required");
  await gate.change(rules("3.4.0"));
  assert.equal((await states.next()).state, "allowed");
  await states.end();
});

test("maintenance for all clients is delivered, and so is its end", limit, async () => {
  const window = `  - id: moving\n    maintenance: { from: ${time(-60)}, until: ${time(600)} }\n`;
  await gate.change(rules("3.4.0"));
  const client = new VersionGate(gate.url, identity);
  const states = listen(client);
  assert.equal((await states.next()).state, "allowed");
  await gate.change(rules("3.4.0", window));
  const told = await states.next();
  assert.equal(told.state, "maintenance");
  assert.ok(Date.parse(told.window.maintenanceUntil) > Date.now());
  assert.deepEqual(await client.check(), told);
  const { denial } = await client.fetch("/a").catch((error) => error);
  assert.equal(denial.state, "maintenance");
  assert.ok(denial.window.retryAfterSeconds > 0 && denial.window.retryAfterSeconds <= 600);
  await gate.change(rules("3.4.0"));
  assert.equal((await states.next()).state, "allowed");
  assert.equal((await client.fetch("/a")).status, 200);
  await states.end();
});

test("a brownout ends on its date", limit, async () => {
  // The brownout is so short that its end must be set after the gate has started.
  const until = time(3);
  await gate.change(rules("3.5.0", `    warnFrom: ${time(-60)}
    brownouts: [{ from: ${time(-60)}, until: ${until} }]
    enforceFrom: ${time(86_400)}\n`));
  const states = listen(new VersionGate(gate.url, identity));
  assert.equal((await states.next()).update.brownoutUntil, until);
  assert.equal((await states.next()).state, "recommended");
  await states.end();
});

test("React Native polls instead", limit, async () => {
  await gate.change(rules("3.5.0"));
  const states = listen(new VersionGate(gate.url, identity, { streams: false, pollInterval: 20 }));
  assert.equal((await states.next()).state, "required");
  await gate.change(rules("3.4.0"));
  assert.equal((await states.next()).state, "allowed");
  await states.end();
});

test("being offline is not a denial, and the stream reconnects automatically", limit, async () => {
  await gate.change(rules("3.5.0"));
  const storage = new Memory();
  const pauses = [];
  // The gate sends a delay of seconds; the test replaces it.
  const options = { storage, random: () => (pauses.push(1), 0) };
  const client = new VersionGate(gate.url, identity, options);
  const states = listen(client);
  const required = await states.next();
  assert.equal(required.state, "required");
  const next = states.next();
  await gate.stop();
  assert.deepEqual(await next, { state: "unknown", last: required });
  assert.deepEqual(await client.check(), { state: "unknown", last: required });
  const failed = await client.fetch("/a").catch((error) => error);
  assert.ok(!(failed instanceof GateDenied) && failed instanceof TypeError);
  await gate.run(gate.port);
  // The last state is delivered first.
  assert.deepEqual(await states.next(), required);
  await gate.change(rules("3.4.0"));
  assert.equal((await states.next()).state, "allowed");
  assert.ok(pauses.length > 0);
  await states.end();
});

test("a cached denial is only reported as the last known state, until the gate responds", limit, async () => {
  await gate.change(rules("3.5.0"));
  const storage = new Memory();
  const required = await new VersionGate(gate.url, identity, { storage }).check();
  assert.equal(required.state, "required");
  const nowhere = "http://127.0.0.1:9";
  const later = new VersionGate(nowhere, identity, { storage });
  assert.deepEqual(await later.check(), { state: "unknown", last: required });
  // There is no stored state for another build.
  const updated = new VersionGate(nowhere, { ...identity, version: "3.5.0" }, { storage });
  assert.deepEqual(await updated.check(), { state: "unknown", last: null });
  await gate.change(rules("3.4.0"));
  const lifted = new VersionGate(gate.url, identity, { storage });
  assert.deepEqual(await lifted.check(), { state: "allowed" });
  const after = new VersionGate(nowhere, identity, { storage });
  assert.deepEqual(await after.check(), { state: "unknown", last: { state: "allowed" } });
});

test("a cached denial is not enforced behind a portal, and the stream replaces it", limit, async () => {
  await gate.change(rules("3.5.0"));
  const storage = new Memory();
  const required = await new VersionGate(gate.url, identity, { storage }).check();
  assert.equal(required.state, "required");
  // The app restarts behind a captive portal.
  await gate.stop();
  const page = "<html>Log in</html>";
  const login = await server((_, response) => {
    response.setHeader("Content-Type", "text/html").end(page);
  });
  const portal = await server(({ url }, response) => {
    if (url === "/page") response.setHeader("Content-Type", "text/html").end(page);
    else response.writeHead(302, { Location: login.url }).end();
  }, gate.port);
  const client = new VersionGate(gate.url, identity, { storage, random: () => 0 });
  const states = listen(client);
  assert.deepEqual(await states.next(), { state: "unknown", last: required });
  assert.deepEqual(await client.check(), { state: "unknown", last: required });
  // The portal's page is returned to the app.
  for (const path of ["/page", "/redirected"]) {
    assert.equal(await (await client.fetch(path)).text(), page);
  }
  await portal.end();
  await login.end();
  gate.write(rules("3.4.0"));
  await gate.run(gate.port);
  assert.deepEqual(await states.next(), { state: "allowed" });
  await states.end();
  const again = new VersionGate("http://127.0.0.1:9", identity, { storage });
  assert.deepEqual(await again.check(), { state: "unknown", last: { state: "allowed" } });
});

test("an expired cached denial is ignored", limit, async () => {
  const storage = new Memory();
  for (const state of [
    { state: "required", update: { brownoutUntil: "2026-12-20T03:00:00Z" } },
    { state: "maintenance", window: { maintenanceUntil: "2026-12-20T03:00:00Z" } },
  ]) {
    const key = JSON.stringify(["com.example.shop", "ios", "3.4.9", null]);
    storage.setItem("versiongate", JSON.stringify({ identity: key, state }));
    for (const [now, last] of [["2026-12-20T02:59:59Z", state], ["2026-12-20T03:00:00Z", null]]) {
      const options = { storage, now: () => Date.parse(now) };
      const client = new VersionGate("http://127.0.0.1:9", identity, options);
      assert.deepEqual(await client.check(), { state: "unknown", last });
    }
  }
});

for (const text of ["", "{", "[]", "null", '{"identity":7,"state":"required"}']) {
  test(`storage that contains '${text}' is ignored`, limit, async () => {
    const storage = new Memory();
    storage.setItem("versiongate", text);
    const client = new VersionGate("http://127.0.0.1:9", identity, { storage });
    assert.deepEqual(await client.check(), { state: "unknown", last: null });
  });
}

test("failing storage does no harm", limit, async () => {
  const fail = () => Promise.reject(new Error("full"));
  const storage = { getItem: fail, setItem: fail };
  const client = new VersionGate(gate.url, identity, { storage });
  assert.notEqual((await client.check()).state, "unknown");
});

test("captive portals and garbage result in unknown, for status requests and streams", limit, async () => {
  await gate.change(rules("3.5.0"));
  let followed = 0;
  const portal = await server((_, response) => {
    followed += 1;
    response.end("<html>Log in</html>");
  });
  const answers = {
    page: (response) => response.setHeader("Content-Type", "text/html").end("<html>Log in</html>"),
    redirect: (response) => response.writeHead(302, { Location: portal.url }).end(),
    "redirect to a gate": (response) =>
      response.writeHead(307, { Location: gate.url + "/.versiongate/status" }).end(),
    "network authentication": (response) => response.writeHead(511).end("<html></html>"),
    "upgrade": (response) => response.writeHead(426, { Upgrade: "h2c" }).end(),
    garbage: (response) =>
      response.setHeader("Content-Type", "application/json").end('{"decision":'),
    nothing: (response) => response.writeHead(204).end(),
    "a loss": (response) => response.destroy(),
  };
  for (const [name, answer] of Object.entries(answers)) {
    const other = await server((_, response) => answer(response));
    const client = new VersionGate(other.url, identity);
    assert.deepEqual(await client.check(), { state: "unknown", last: null }, name);
    const states = listen(client);
    assert.deepEqual(await states.next(), { state: "unknown", last: null }, name);
    await states.end();
    await other.end();
  }
  await portal.end();
  assert.equal(followed, 0);
});

test("a response that is too slow results in unknown within the timeout", limit, async () => {
  const timers = new Set();
  const slow = {
    "no head": () => {},
    "half a body": (response) => {
      response.setHeader("Content-Type", "application/json");
      response.write('{"decision"');
    },
    "drop by drop": (response) => {
      response.setHeader("Content-Type", "application/json");
      timers.add(setInterval(() => response.write(" "), 20));
    },
  };
  for (const [name, answer] of Object.entries(slow)) {
    const other = await server((_, response) => answer(response));
    const begun = Date.now();
    const client = new VersionGate(other.url, identity, { timeout: 200 });
    assert.deepEqual(await client.check(), { state: "unknown", last: null }, name);
    assert.ok(Date.now() - begun < 5_000, name);
    await other.end();
  }
  for (const timer of timers) clearInterval(timer);
});

test("a stream without data is closed", limit, async () => {
  const other = await server((_, response) => {
    response.setHeader("Content-Type", "text/event-stream");
    response.write('retry: 1\n\nid: 1\nevent: decision\ndata: {"decision":"allow"}\n\n');
  });
  const states = listen(new VersionGate(other.url, identity, { patience: 100 }));
  assert.equal((await states.next()).state, "allowed");
  assert.deepEqual(await states.next(), { state: "unknown", last: { state: "allowed" } });
  assert.equal((await states.next()).state, "allowed");
  await states.end();
  await other.end();
});

test("a stream may last longer than the timeout of a status request", limit, async () => {
  await gate.change(rules("3.4.0"));
  const asked = [];
  const counting = (...parameters) => {
    asked.push(parameters[0]);
    return fetch(...parameters);
  };
  const states = listen(new VersionGate(gate.url, identity, { timeout: 300, fetch: counting }));
  assert.equal((await states.next()).state, "allowed");
  const next = states.next();
  await new Promise((resolve) => setTimeout(resolve, 500));
  await gate.change(rules("3.5.0"));
  assert.equal((await next).state, "required");
  assert.equal(asked.length, 1);
  await states.end();
});

test("a stream whose event never ends is closed", limit, async () => {
  const other = await server((_, response) => {
    response.setHeader("Content-Type", "text/event-stream");
    const write = () => response.write("data: " + "x".repeat(60_000) + "\n", write);
    write();
  });
  const states = listen(new VersionGate(other.url, identity));
  assert.deepEqual(await states.next(), { state: "unknown", last: null });
  await states.end();
  await other.end();
});

test("the delay before the next attempt grows and has a random part", limit, async () => {
  const times = [];
  let fifth;
  const five = new Promise((resolve) => (fifth = resolve));
  const other = await server((_, response) => {
    if (times.push(Date.now()) === 5) fifth();
    response.setHeader("Content-Type", "text/event-stream");
    response.end(times.length === 1 ? "retry: 50\n\n" : "");
  });
  const states = listen(new VersionGate(other.url, identity, { random: () => 1 }));
  await states.next();
  const next = states.next();
  await five;
  const pauses = times.slice(1).map((time, index) => time - times[index]);
  // The server's 50 ms plus half of it as the random part, doubled after each consecutive failure.
  [75, 75, 150, 300].forEach((least, index) => assert.ok(pauses[index] >= least - 5, `${pauses}`));
  await states.end();
  await next;
  await other.end();
});

test("a recommendation can be snoozed, a requirement cannot", limit, async () => {
  const recommended = (version, snooze) =>
    rules("1.0", `    recommended: "${version}"\n    snooze: ${snooze}\n`);
  await gate.change(recommended("4.0.0", "1h"));
  let now = Date.now();
  const storage = new Memory();
  const make = () => new VersionGate(gate.url, identity, { storage, now: () => now });
  const client = make();
  const { update } = await client.check();
  assert.equal(update.snoozeSeconds, 3_600);
  assert.equal(await client.snooze(update), true);
  assert.deepEqual(await client.check(), { state: "allowed" });
  assert.deepEqual(await make().check(), { state: "allowed" });
  now += 3_599_000;
  assert.equal((await client.check()).state, "allowed");
  now += 1_000;
  assert.equal((await client.check()).state, "recommended");
  assert.equal(await client.snooze(update), true);
  await gate.change(recommended("4.1.0", "1h"));
  assert.equal((await client.check()).update.latestVersion, "4.1.0");
  await gate.change(rules("3.5.0"));
  const required = await client.check();
  assert.equal(await client.snooze(required.update), false);
  assert.equal((await client.check()).state, "required");
});

test("a caller can cancel requests", limit, async () => {
  const other = await server(() => {});
  const controller = new AbortController();
  const client = new VersionGate(other.url, identity);
  const asked = client.check(undefined, { signal: controller.signal });
  controller.abort();
  await assert.rejects(asked, { name: "AbortError" });
  const states = client.states({ signal: controller.signal });
  assert.deepEqual(await states.next(), { value: undefined, done: true });
  await other.end();
});
