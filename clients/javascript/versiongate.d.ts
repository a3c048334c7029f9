/** The facts about an update; times are strings in RFC 3339 format. */
export interface Update {
  title?: string;
  message?: string;
  button?: string;
  storeUrl?: string;
  minimumVersion?: string;
  minimumBuild?: number;
  latestVersion?: string;
  currentVersion?: string;
  /** Whether the device's OS is too old for the update: show the texts, hide the button. */
  cannotUpdate?: boolean;
  enforceFrom?: string;
  brownoutFrom?: string;
  brownoutUntil?: string;
  /** How long to hide the update after the user chooses "later", in seconds. */
  snoozeSeconds?: number;
  /** The number of seconds before a request may be retried. */
  retryAfterSeconds?: number;
  rule?: string;
  revision?: string;
}

/** The facts about maintenance. */
export interface MaintenanceWindow extends Update {
  maintenanceFrom?: string;
  maintenanceUntil?: string;
}

export type Announcement = Pick<MaintenanceWindow, "maintenanceFrom" | "maintenanceUntil">;
export type Allowed = { state: "allowed"; announced?: Announcement };
export type Recommended = { state: "recommended"; update: Update; announced?: Announcement };
export type Required = { state: "required"; update: Update; announced?: Announcement };
export type Maintenance = { state: "maintenance"; window: MaintenanceWindow };
/** The gate has not responded; `last` is the last known state, unless it has expired. */
export type Unknown = { state: "unknown"; last?: Known | null };
export type Known = Allowed | Recommended | Required | Maintenance;
export type State = Known | Unknown;
export type Denial = Required | Maintenance;

/** The properties of a response that are read; a `Response` of `fetch` has them. */
export interface Answer {
  status?: number;
  headers: { get(name: string): string | null } | Record<string, string>;
  url?: string;
}

/** Returns the denial in a response to the app's request, or null; `body` is text or parsed JSON. */
export function inspect(response: Answer, body?: unknown): Denial | null;

/** Returns the hint in a response from the backend, or null; hints have no texts. */
export function hint(response: Answer): Allowed | Recommended | null;

/** Returns the state in a response from `/.versiongate/status`; `unchanged` for a 304. */
export function readStatus(response: Answer, body?: unknown): State | { state: "unchanged" };

/** Returns the states in the content of a response from `/.versiongate/events`, in order. */
export function readEvents(body: string): Known[];

/** Thrown instead of returning a denial. */
export class GateDenied extends Error {
  constructor(denial: Denial, response: Response);
  readonly denial: Denial;
  readonly response: Response;
}

/** The identity of the client; parts that are left out are not sent. */
export interface Identity {
  app?: string;
  platform?: string;
  version?: string;
  build?: string | number;
  channel?: string;
  osVersion?: string;
  device?: string;
  storefront?: string;
  language?: string;
}

/** Storage for the last state; `localStorage` and AsyncStorage are suitable. */
export interface StateStorage {
  getItem(key: string): string | null | Promise<string | null>;
  setItem(key: string, value: string): void | Promise<void>;
}

export interface Options {
  fetch?: typeof fetch;
  /** Names of the identity headers, if the operator has changed them. */
  fieldNames?: Partial<Record<keyof Identity, string>>;
  storage?: StateStorage | null;
  /** Default: `versiongate`. */
  storageKey?: string;
  /** The timeout of a status request in milliseconds. Default: 5,000. */
  timeout?: number;
  /** Milliseconds without data after which a stream is considered dead; heartbeats arrive every 15 s. Default: 45,000. */
  patience?: number;
  /** Milliseconds between status requests if streams are not supported. Default: 60,000. */
  pollInterval?: number;
  /** Whether `fetch` can stream responses. Default: true, except in React Native. */
  streams?: boolean;
  /** Returns the current time in milliseconds of Unix time. */
  now?: () => number;
  /** Returns a random number from 0 to 1. */
  random?: () => number;
}

/** A client for one gate. */
export class VersionGate {
  constructor(baseURL: string | URL, identity: Identity | (() => Identity), options?: Options);

  /** Returns the headers with the identity of the client. */
  headers(): Record<string, string>;

  /** Like the global `fetch`, with these headers; throws `GateDenied` instead of returning a denial. */
  fetch(input: RequestInfo | URL, init?: RequestInit): Promise<Response>;

  /** Returns the state of the client; never throws because the network is unavailable. */
  check(path?: string, options?: { method?: string; signal?: AbortSignal }): Promise<State>;

  /** The states of the client, one per change; only the signal ends the generator. */
  states(options?: { signal?: AbortSignal }): AsyncGenerator<State, void, void>;

  /** Hides a recommendation for a while; returns false if the update cannot be snoozed. */
  snooze(update: Update): Promise<boolean>;
}
