/** What is known of an update; times are texts as RFC 3339 writes them. */
export interface Update {
  title?: string;
  message?: string;
  button?: string;
  storeUrl?: string;
  minimumVersion?: string;
  minimumBuild?: number;
  latestVersion?: string;
  currentVersion?: string;
  /** The device's system is too old for the update: show the words, hide the button. */
  cannotUpdate?: boolean;
  enforceFrom?: string;
  brownoutFrom?: string;
  brownoutUntil?: string;
  /** For how long to leave the user alone after "later". */
  snoozeSeconds?: number;
  /** For how long not to ask again. */
  retryAfterSeconds?: number;
  rule?: string;
  revision?: string;
}

/** What is known of a maintenance. */
export interface MaintenanceWindow extends Update {
  maintenanceFrom?: string;
  maintenanceUntil?: string;
}

export type Announcement = Pick<MaintenanceWindow, "maintenanceFrom" | "maintenanceUntil">;
export type Allowed = { state: "allowed"; announced?: Announcement };
export type Recommended = { state: "recommended"; update: Update; announced?: Announcement };
export type Required = { state: "required"; update: Update; announced?: Announcement };
export type Maintenance = { state: "maintenance"; window: MaintenanceWindow };
/** The gate has not said it; `last` is what it said before, unless that has ended by itself. */
export type Unknown = { state: "unknown"; last?: Known | null };
export type Known = Allowed | Recommended | Required | Maintenance;
export type State = Known | Unknown;
export type Denial = Required | Maintenance;

/** What is read of an answer: that of `fetch` is one. */
export interface Answer {
  status?: number;
  headers: { get(name: string): string | null } | Record<string, string>;
  url?: string;
}

/** The denial that an answer to a request of the app is; `body` as text or as parsed JSON. */
export function inspect(response: Answer, body?: unknown): Denial | null;

/** What an answer that passed says beside its content: it has no words. */
export function hint(response: Answer): Allowed | Recommended | null;

/** Where the client stands, by an answer of `/.versiongate/status`; `unchanged` for a 304. */
export function readStatus(response: Answer, body?: unknown): State | { state: "unchanged" };

/** The states that the content of an answer of `/.versiongate/events` tells, in their order. */
export function readEvents(body: string): Known[];

/** Thrown in place of an answer that is a denial. */
export class GateDenied extends Error {
  constructor(denial: Denial, response: Response);
  readonly denial: Denial;
  readonly response: Response;
}

/** Who the client is; what is left out is not said. */
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

/** Where the last state is kept: `localStorage` and AsyncStorage are such. */
export interface StateStorage {
  getItem(key: string): string | null | Promise<string | null>;
  setItem(key: string, value: string): void | Promise<void>;
}

export interface Options {
  fetch?: typeof fetch;
  /** Other names for the fields of the identity, as the operator has them. */
  fieldNames?: Partial<Record<keyof Identity, string>>;
  storage?: StateStorage | null;
  /** `versiongate` if nothing is said. */
  storageKey?: string;
  /** Milliseconds for a question; 5,000. */
  timeout?: number;
  /** Milliseconds to the next sign of life of a stream, one of which comes every 15 s; 45,000. */
  patience?: number;
  /** Milliseconds between questions where there are no streams; 60,000. */
  pollInterval?: number;
  /** Whether answers can be read piece by piece; false in React Native. */
  streams?: boolean;
  /** Milliseconds of Unix time. */
  now?: () => number;
  /** From 0 to 1. */
  random?: () => number;
}

/** A client of one gate. */
export class VersionGate {
  constructor(baseURL: string | URL, identity: Identity | (() => Identity), options?: Options);

  /** The fields that say who the client is. */
  headers(): Record<string, string>;

  /** Like the global `fetch`, with those fields; throws `GateDenied` in place of a denial. */
  fetch(input: RequestInfo | URL, init?: RequestInit): Promise<Response>;

  /** Where the client stands; never throws for the network's sake. */
  check(path?: string, options?: { method?: string; signal?: AbortSignal }): Promise<State>;

  /** The states of the client, each as soon as it is another one; ends by the signal alone. */
  states(options?: { signal?: AbortSignal }): AsyncGenerator<State, void, void>;

  /** Leaves the user alone with a recommendation for a while; false where it may not be put off. */
  snooze(update: Update): Promise<boolean>;
}
