/**
 * A client for VersionGate: a single file without dependencies, for browsers, Node and
 * React Native. The protocol is described in docs/wire.
 */

const MARKER = "x-versiongate";
const FOLDER = "/.versiongate/";
const PROBLEM = "application/problem+json";
const PROBLEM_TYPES = {
  "urn:versiongate:upgrade-required": "required",
  "urn:versiongate:maintenance": "maintenance",
};
const DECISIONS = {
  allow: "allowed",
  recommend: "recommended",
  require: "required",
  maintenance: "maintenance",
};
const FIELD_NAMES = {
  app: "X-App-Id",
  platform: "X-App-Platform",
  version: "X-App-Version",
  build: "X-App-Build",
  channel: "X-App-Channel",
  osVersion: "X-OS-Version",
  device: "X-Device-Id",
  storefront: "X-App-Storefront",
  language: "Accept-Language",
};
/** The members of an update or a window, with their types. */
const MEMBERS = {
  title: "string",
  message: "string",
  button: "string",
  storeUrl: "string",
  minimumVersion: "string",
  minimumBuild: "number",
  latestVersion: "string",
  currentVersion: "string",
  cannotUpdate: "boolean",
  enforceFrom: "string",
  brownoutFrom: "string",
  brownoutUntil: "string",
  snoozeSeconds: "number",
  rule: "string",
  revision: "string",
};
const WINDOW_MEMBERS = { maintenanceFrom: "string", maintenanceUntil: "string" };
const DAY = 86_400;
/** The maximum length of an event in characters; the gate never sends more. */
const LONGEST_EVENT = 2 ** 20;
/** The maximum delay of a JavaScript timer; timers with a longer delay fire at once. */
const LONGEST_TIMER = 2 ** 31 - 1;

/** Thrown by `VersionGate.fetch` instead of returning a denial. */
export class GateDenied extends Error {
  constructor(denial, response) {
    const words = denial.update ?? denial.window;
    super(words.message || words.title || denial.state);
    this.name = "GateDenied";
    this.denial = denial;
    this.response = response;
  }
}

// Reading responses

/**
 * Returns the denial in a response to the app's request, or null.
 *
 * A denial is identified by the header `X-VersionGate`, or by the problem type if a proxy has removed the
 * header, but never by the status.
 */
export function inspect(response, body) {
  if (isOwnPath(response.url)) return null;
  const type = mediaType(response);
  let document;
  if (type.startsWith("application/connect+")) document = parsed(endOfStream(body));
  else if (type.includes("json")) document = parsed(body);
  const typed = own(PROBLEM_TYPES, document?.type);
  const state = deniedBy(markerOf(response)) ?? (type === PROBLEM ? typed : undefined);
  if (!state) return null;
  // The operator's custom content may use these names with other meanings. Errors of
  // Connect and GraphQL contain the problem type as well.
  let source = type === PROBLEM || typed ? document : undefined;
  if (type.startsWith("application/grpc")) {
    const trailers = webTrailers(type, body);
    source = callFacts((name) => field(response, name) || trailers[name] || "");
  }
  const facts = denialFacts(state, source);
  const seconds = Number(field(response, "retry-after") || NaN);
  if (Number.isFinite(seconds)) facts.retryAfterSeconds = seconds;
  return state === "maintenance" ? { state, window: facts } : { state, update: facts };
}

/** Returns the hint in a response from the backend, or null; hints have no texts. */
export function hint(response) {
  if (isOwnPath(response.url)) return null;
  const items = markerOf(response);
  if (deniedBy(items)) return null;
  const recommended = items.find((item) => item.token === "recommend");
  const announced = items.find((item) => item.token === "maintenance-announced");
  if (!recommended && !announced) return null;
  const state = recommended
    ? { state: "recommended", update: pick(hintFacts(recommended), MEMBERS) }
    : { state: "allowed" };
  if (announced) state.announced = pick(hintFacts(announced), WINDOW_MEMBERS);
  return state;
}

/** Returns the state in a response from `/.versiongate/status`; `unchanged` for a 304. */
export function readStatus(response, body) {
  if (response.status === 304) return { state: "unchanged" };
  const isStatus = response.status === 200 && mediaType(response) === "application/json";
  return (isStatus && stateOf(parsed(body))) || { state: "unknown" };
}

/** Returns the states in the content of a response from `/.versiongate/events`, in order. */
export function readEvents(body) {
  return new EventReader().push(body).map((event) => event.state);
}

function stateOf(document) {
  if (document === null || typeof document !== "object" || Array.isArray(document)) return null;
  const state = own(DECISIONS, document.decision);
  if (!state) return null;
  if (state === "maintenance") return { state, window: denialFacts(state, document) };
  const read = { state };
  if (state !== "allowed") read.update = denialFacts(state, document);
  const announced = pick(document, WINDOW_MEMBERS);
  if (announced.maintenanceFrom) read.announced = announced;
  return read;
}

function denialFacts(state, document) {
  return pick(document, state === "maintenance" ? { ...MEMBERS, ...WINDOW_MEMBERS } : MEMBERS);
}

function own(table, key) {
  return Object.keys(table).includes(key) ? table[key] : undefined;
}

/** Returns the members that have the right type; empty strings are left out. */
function pick(document, members) {
  const facts = {};
  for (const [name, type] of Object.entries(members)) {
    const value = document?.[name];
    if (typeof value === type && value !== "") facts[name] = value;
  }
  return facts;
}

function deniedBy(items) {
  if (items.some((item) => item.token === "maintenance")) return "maintenance";
  return items.some((item) => item.token === "require") ? "required" : undefined;
}

/** Returns the parameters of a hint, named as in the status document. */
function hintFacts(item) {
  const facts = {};
  for (const [key, value] of Object.entries(item.parameters)) {
    const name = key.replace(/-([a-z])/g, (_, letter) => letter.toUpperCase());
    facts[{ latest: "latestVersion", url: "storeUrl" }[key] ?? name] = value;
  }
  return facts;
}

/** Returns the trailers in the content of a gRPC-Web response: a frame whose lines end with CRLF, or its Base64. */
function webTrailers(type, body) {
  const trailers = {};
  if (!type.startsWith("application/grpc-web")) return trailers;
  if (body instanceof ArrayBuffer) body = new Uint8Array(body);
  // Trailers are ASCII.
  if (ArrayBuffer.isView(body)) body = Array.from(body, (byte) => String.fromCharCode(byte)).join("");
  if (typeof body !== "string") return trailers;
  try {
    const isEncoded = type.startsWith("application/grpc-web-text");
    const frame = isEncoded ? String.fromCharCode(...base64(body)) : body;
    // The head of the frame precedes the first trailer, which is the status.
    for (const line of frame.split("\r\n")) {
      const colon = line.indexOf(":");
      if (colon > 0) trailers[line.slice(0, colon)] = line.slice(colon + 1).trim();
    }
  } catch {
    // Invalid content counts as missing.
  }
  return trailers;
}

/** Returns the facts in a gRPC response: the metadata of its google.rpc.ErrorInfo, and its message. */
function callFacts(trailer) {
  const facts = {};
  try {
    for (const detail of protobuf(base64(trailer("grpc-status-details-bin")), 3)) {
      const [type] = protobuf(detail, 1).map(utf8);
      if (!type?.endsWith("/google.rpc.ErrorInfo")) continue;
      for (const entry of protobuf(protobuf(detail, 2)[0], 3)) {
        const [name, value] = [utf8(protobuf(entry, 1)[0]), utf8(protobuf(entry, 2)[0])];
        // A build with dots is not a number.
        facts[name] = name === "minimumBuild" && /^\d+$/.test(value) ? Number(value) : value;
      }
    }
    if (facts.cannotUpdate) facts.cannotUpdate = facts.cannotUpdate === "true";
  } catch {
    // An invalid value counts as missing.
  }
  try {
    facts.message = decodeURIComponent(trailer("grpc-message"));
  } catch {
    // An invalid value counts as missing.
  }
  return facts;
}

/** Returns the contents of all length-delimited fields with a number. */
function protobuf(bytes, number) {
  const found = [];
  let index = 0;
  const varint = () => {
    let value = 0;
    for (let shift = 0; index < bytes.length; shift += 7) {
      const byte = bytes[index++];
      value += (byte & 0x7f) * 2 ** shift;
      if (byte < 0x80) return value;
    }
    throw new RangeError("cut off");
  };
  while (index < bytes.length) {
    const key = varint();
    const size = varint();
    if ((key & 7) === 0) continue;
    if ((key & 7) !== 2 || index + size > bytes.length) throw new RangeError("malformed");
    if (key >>> 3 === number) found.push(bytes.subarray(index, index + size));
    index += size;
  }
  return found;
}

function base64(text) {
  const letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  const bytes = [];
  let [bits, count] = [0, 0];
  for (const letter of text.replace(/=+$/, "")) {
    const value = letters.indexOf(letter);
    if (value < 0) throw new RangeError("malformed");
    bits = ((bits << 6) | value) & 0xffffff;
    count += 6;
    if (count >= 8) bytes.push((bits >> (count -= 8)) & 0xff);
  }
  return Uint8Array.from(bytes);
}

function utf8(bytes) {
  const escaped = Array.from(bytes, (byte) => "%" + byte.toString(16).padStart(2, "0"));
  return decodeURIComponent(escaped.join(""));
}

function markerOf(response) {
  return list(field(response, MARKER));
}

/** Parses a List of structured fields (RFC 9651 section 4.2.1); returns an empty array if it is invalid. */
function list(text) {
  const kinds = [
    /"(?:[ !#-[\]-~]|\\["\\])*"/, /%"[^"]*"/, /:[A-Za-z0-9+/=]*:/, /\?[01]/,
    /@?-?[0-9]+(?:\.[0-9]+)?/, /[A-Za-z*][\w!#$%&'*+.^`|~:/-]*/,
  ];
  const bare = new RegExp(kinds.map((kind) => kind.source).join("|"), "y");
  const key = /;[ ]*([a-z*][a-z0-9_.*-]*)(=?)/y;
  let index = 0;
  const take = (pattern) => {
    pattern.lastIndex = index;
    const match = pattern.exec(text);
    if (match) index = pattern.lastIndex;
    return match;
  };
  const parameters = () => {
    const found = {};
    for (let match; (match = take(key)); ) {
      const value = match[2] ? take(bare) : ["?1"];
      if (!value) return null;
      found[match[1]] = valueOf(value[0]);
    }
    return found;
  };
  const innerList = () => {
    while (!take(/[ ]*\)/y)) {
      take(/[ ]*/y);
      if (!take(bare) || !parameters()) return false;
    }
    return true;
  };
  const items = [];
  take(/[ ]*/y);
  while (index < text.length) {
    const isInner = take(/\(/y);
    const value = isInner ? innerList() && [""] : take(bare);
    const found = value && parameters();
    if (!found) return [];
    if (/^[A-Za-z*]/.test(value[0])) items.push({ token: value[0], parameters: found });
    if (take(/[ \t]*$/y)) break;
    // A trailing comma is an error.
    if (!take(/[ \t]*,[ \t]*(?=.)/y)) return [];
  }
  return items;
}

function valueOf(text) {
  if (text[0] === '"') return text.slice(1, -1).replace(/\\(.)/g, "$1");
  if (text[0] === "?") return text === "?1";
  return /^-?[0-9]/.test(text) ? Number(text) : undefined;
}

function field(response, name) {
  const { headers } = response;
  if (typeof headers?.get === "function") return headers.get(name) ?? "";
  const key = Object.keys(headers ?? {}).find((key) => key.toLowerCase() === name);
  return key === undefined ? "" : String(headers[key]);
}

function mediaType(response) {
  return field(response, "content-type").split(";")[0].trim().toLowerCase();
}

/**
 * Returns the end-of-stream message of a Connect stream, if the text starts with its envelope: one byte of
 * flags and four of length. Decoded as text, these are five characters, since the length is below 48 KiB.
 */
function endOfStream(body) {
  return typeof body === "string" && body[0] === "\u0002" ? body.slice(5) : undefined;
}

function parsed(body) {
  if (typeof body !== "string") return body ?? undefined;
  try {
    return JSON.parse(body);
  } catch {
    return undefined;
  }
}

function originOf(url) {
  const origin = /^[a-z][a-z0-9+.-]*:\/\/[^/?#]*/i.exec(url)?.[0].toLowerCase();
  return origin?.replace(/^(http:.*):80$|^(https:.*):443$/, "$1$2");
}

/** Whether a URL is an endpoint of the gate, whose responses are read by `readStatus`. */
function isOwnPath(url) {
  if (!url) return false;
  return url.replace(/^[a-z][a-z0-9+.-]*:\/\/[^/?#]*/i, "").startsWith(FOLDER);
}

/** A parser for Server-Sent Events (HTML Living Standard, section 9.2.6). */
class EventReader {
  constructor() {
    this.retry = undefined;
    this.text = "";
    this.clear();
  }

  clear() {
    this.size = this.text.length;
    this.name = "";
    this.data = [];
  }

  /** Returns the events that the text completes. */
  push(text) {
    this.text += text;
    this.size += text.length;
    if (this.size > LONGEST_EVENT) throw new RangeError("too long for an event");
    const events = [];
    for (let match; (match = /\r\n|\n|\r(?!$)/.exec(this.text)); ) {
      const line = this.text.slice(0, match.index);
      this.text = this.text.slice(match.index + match[0].length);
      if (line !== "") {
        this.read(line);
        continue;
      }
      const state = this.name === "decision" ? stateOf(parsed(this.data.join("\n"))) : null;
      if (state) events.push({ state, id: this.id });
      this.clear();
    }
    return events;
  }

  read(line) {
    const colon = line.indexOf(":");
    const name = colon < 0 ? line : line.slice(0, colon);
    const value = colon < 0 ? "" : line.slice(colon + 1).replace(/^ /, "");
    if (name === "event") this.name = value;
    if (name === "data") this.data.push(value);
    if (name === "id") this.id = value;
    if (name === "retry" && /^[0-9]+$/.test(value)) this.retry = Number(value);
  }
}

// Requests to the gate

/** A client for one gate. */
export class VersionGate {
  #base;
  #options;
  #memory;
  /** Responses by identity and query, with their entity tags. */
  #known = new Map();

  /**
   * `baseURL`: the base URL of the gate. `identity`: the identity of the client, or a function that returns it.
   */
  constructor(baseURL, identity, options = {}) {
    this.#base = String(baseURL).replace(/\/+$/, "");
    this.#options = {
      fetch: (...parameters) => globalThis.fetch(...parameters),
      fieldNames: {},
      storage: null,
      storageKey: "versiongate",
      timeout: 5_000,
      patience: 45_000,
      pollInterval: 60_000,
      streams: globalThis.navigator?.product !== "ReactNative",
      now: () => Date.now(),
      random: () => Math.random(),
      ...options,
      identity: typeof identity === "function" ? identity : () => identity,
    };
  }

  /** Returns the headers with the identity of the client. */
  headers() {
    const names = { ...FIELD_NAMES, ...this.#options.fieldNames };
    const fields = {};
    for (const [part, value] of Object.entries(this.#options.identity() ?? {})) {
      if (names[part] && value !== undefined && value !== null) fields[names[part]] = String(value);
    }
    return fields;
  }

  /**
   * Like the global `fetch`, with the headers that identify the client.
   *
   * Throws `GateDenied` instead of returning a denial, and the errors of `fetch`. Requests to other
   * origins are sent unchanged.
   */
  async fetch(input, init) {
    const url = typeof input === "string" ? input : (input.url ?? String(input));
    const origin = originOf(url) ?? originOf(globalThis.location?.href ?? this.#base);
    if (origin !== originOf(this.#base)) return this.#options.fetch(input, init);
    const headers = new Headers(init?.headers ?? input.headers);
    for (const [name, value] of Object.entries(this.headers())) {
      if (!headers.has(name)) headers.set(name, value);
    }
    const isBare = originOf(url) === undefined && !globalThis.location;
    const target = isBare ? this.#base + "/" + url.replace(/^\/+/, "") : input;
    const response = await this.#options.fetch(target, { ...init, headers });
    const isWorthReading = deniedBy(markerOf(response)) || mediaType(response) === PROBLEM;
    if (!isWorthReading || isOwnPath(response.url || url)) return response;
    const denial = inspect(response, await response.clone().text());
    if (denial) throw new GateDenied(denial, response);
    return response;
  }

  /**
   * Returns the state of the build; call it when the app starts, or before it uses a part of the API.
   *
   * Never throws because the network is unavailable: without a response from the gate, the state is
   * `unknown`, with the last known state.
   */
  async check(path, { method, signal } = {}) {
    const query = [["path", path], ["method", method]]
      .filter(([, value]) => value !== undefined)
      .map(([name, value]) => `${name}=${encodeURIComponent(value)}`);
    const key = query.join("&");
    const known = this.#known.get(this.#identityKey() + key);
    let state;
    try {
      state = await this.#ask(key, known, signal);
    } catch (error) {
      if (signal?.aborted) throw signal.reason ?? error;
      state = { state: "unknown" };
    }
    if (state.state === "unknown") {
      return this.#unknown(path === undefined ? undefined : (known?.state ?? null));
    }
    if (path === undefined) await this.#remember(state);
    return this.#shown(state);
  }

  /**
   * The states of the client, one per change: from `/.versiongate/events`, or by polling if
   * responses cannot be streamed, as in React Native.
   *
   * The generator never ends on its own, and reconnects after a loss; it yields `unknown` once a
   * reconnection has failed.
   */
  async *states({ signal } = {}) {
    const line = { retry: 3_000, id: undefined, failures: 0 };
    let told;
    while (!signal?.aborted) {
      const states = this.#options.streams ? this.#stream(line, signal) : this.#poll(line, signal);
      try {
        for await (const state of states) {
          line.failures = 0;
          await this.#remember(state);
          const shown = await this.#shown(state);
          if (!isSame(shown, told)) yield (told = shown);
        }
      } catch {
        if (signal?.aborted) return;
        line.failures += 1;
        // Without an ID, the gate sends the current state again.
        line.id = undefined;
        if (told?.state !== "unknown") yield (told = await this.#unknown());
      }
      await pause(this.#delay(line), signal);
    }
  }

  /**
   * Hides a recommendation: until the time has passed, or another version is recommended, the
   * state is `allowed`. Returns whether the update can be snoozed; a required update never can.
   */
  async snooze(update) {
    const memory = await this.#load();
    if (memory.state && memory.state.state !== "recommended") return false;
    const seconds = update.snoozeSeconds ?? DAY;
    memory.snoozed = {
      version: update.latestVersion ?? "",
      until: this.#options.now() + seconds * 1_000,
    };
    await this.#save();
    return true;
  }

  async #ask(query, known, signal) {
    const url = this.#base + FOLDER + "status" + (query && `?${query}`);
    const headers = this.headers();
    if (known) headers["If-None-Match"] = known.tag;
    const limit = new Limit(signal);
    limit.renew(this.#options.timeout);
    try {
      const response = await this.#get(url, headers, limit);
      if (wasRedirected(response, url)) return { state: "unknown" };
      const state = readStatus(response, await response.text());
      if (state.state === "unchanged") return known?.state ?? { state: "unknown" };
      const tag = field(response, "etag");
      if (tag && state.state !== "unknown") {
        this.#known.set(this.#identityKey() + query, { tag, state });
      }
      return state;
    } finally {
      limit.end();
    }
  }

  /** Sends a request without following redirects and without using the cache. */
  #get(url, headers, limit) {
    const { signal } = limit;
    return this.#options.fetch(url, { headers, redirect: "manual", cache: "no-store", signal });
  }

  async *#poll(line, signal) {
    for (;;) {
      const state = await this.#ask("", this.#known.get(this.#identityKey()), signal);
      if (state.state === "unknown") throw new Error("the response is not from a gate");
      yield state;
      await pause(this.#options.pollInterval * (1 + this.#options.random() / 2), signal);
      if (signal?.aborted) return;
    }
  }

  async *#stream(line, signal) {
    const url = this.#base + FOLDER + "events";
    const headers = { ...this.headers(), Accept: "text/event-stream" };
    if (line.id !== undefined) headers["Last-Event-ID"] = line.id;
    const limit = new Limit(signal);
    limit.renew(this.#options.timeout);
    try {
      const response = await this.#get(url, headers, limit);
      const isStream = response.status === 200 && mediaType(response) === "text/event-stream";
      if (!isStream || wasRedirected(response, url)) throw new Error("not an event stream");
      const [reader, decoder, events] = [
        response.body.getReader(), new TextDecoder(), new EventReader(),
      ];
      let hasHeard = false;
      for (;;) {
        // The gate sends a heartbeat every 15 seconds.
        limit.renew(this.#options.patience);
        const { done, value } = await reader.read();
        if (done) break;
        hasHeard = true;
        for (const event of events.push(decoder.decode(value, { stream: true }))) {
          line.id = event.id;
          yield event.state;
        }
        line.retry = events.retry ?? line.retry;
      }
      if (!hasHeard) throw new Error("the event stream was empty");
    } finally {
      limit.end();
    }
  }

  /** Returns the delay before the next attempt in ms: the gate's value, doubled after failures, plus a random part. */
  #delay(line) {
    const longest = Math.max(line.retry, 60_000);
    const delay = Math.min(line.retry * 2 ** Math.max(0, line.failures - 1), longest);
    return delay * (1 + this.#options.random() / 2);
  }

  async #unknown(last) {
    if (last === undefined) last = (await this.#load()).state;
    return { state: "unknown", last: last && !this.#isOver(last) ? last : null };
  }

  /** Whether a state has expired. */
  #isOver(state) {
    const end = state.window?.maintenanceUntil
      ?? (state.state === "required" ? state.update?.brownoutUntil : undefined);
    return end !== undefined && Date.parse(end) <= this.#options.now();
  }

  async #shown(state) {
    if (state.state !== "recommended") return state;
    const { snoozed } = await this.#load();
    const isSnoozed = snoozed && snoozed.version === (state.update.latestVersion ?? "")
      && this.#options.now() < snoozed.until;
    if (!isSnoozed) return state;
    const shown = { state: "allowed" };
    if (state.announced) shown.announced = state.announced;
    return shown;
  }

  /** The state is stored separately for each build of the app. */
  #identityKey() {
    const { app, platform, version, build } = this.#options.identity() ?? {};
    return JSON.stringify([app, platform, version, build]);
  }

  async #load() {
    const identity = this.#identityKey();
    if (this.#memory?.identity === identity) return this.#memory;
    let stored;
    try {
      stored = JSON.parse(await this.#options.storage?.getItem(this.#options.storageKey));
    } catch {
      // An invalid value counts as missing.
    }
    const isOurs = stored?.identity === identity;
    this.#memory = {
      identity,
      state: isOurs && Object.values(DECISIONS).includes(stored.state?.state) ? stored.state : null,
      snoozed: isOurs && typeof stored.snoozed?.until === "number" ? stored.snoozed : null,
    };
    return this.#memory;
  }

  async #remember(state) {
    const memory = await this.#load();
    if (isSame(memory.state, state)) return;
    memory.state = state;
    await this.#save();
  }

  async #save() {
    try {
      await this.#options.storage?.setItem(this.#options.storageKey, JSON.stringify(this.#memory));
    } catch {
      // Without storage, the state is only kept in memory.
    }
  }
}

/** An abort signal that has a timeout and also follows another signal. */
class Limit {
  constructor(signal) {
    this.controller = new AbortController();
    this.outer = signal;
    this.abort = () => this.controller.abort();
    if (signal?.aborted) this.abort();
    signal?.addEventListener("abort", this.abort);
  }

  get signal() {
    return this.controller.signal;
  }

  renew(milliseconds) {
    clearTimeout(this.timer);
    this.timer = setTimeout(this.abort, Math.min(milliseconds, LONGEST_TIMER));
  }

  /** Aborts everything that still uses the signal. */
  end() {
    clearTimeout(this.timer);
    this.outer?.removeEventListener("abort", this.abort);
    this.abort();
  }
}

/** Whether a response is not from the requested URL; the gate never redirects. */
function wasRedirected(response, url) {
  const isElsewhere = response.url && originOf(response.url) !== originOf(url);
  return response.type === "opaqueredirect" || response.redirected === true || isElsewhere;
}

function isSame(state, other) {
  return JSON.stringify(state) === JSON.stringify(other);
}

function pause(milliseconds, signal) {
  return new Promise((resolve) => {
    if (signal?.aborted) return resolve();
    const end = () => {
      clearTimeout(timer);
      signal?.removeEventListener("abort", end);
      resolve();
    };
    const timer = setTimeout(end, Math.min(milliseconds, LONGEST_TIMER));
    signal?.addEventListener("abort", end);
  });
}
