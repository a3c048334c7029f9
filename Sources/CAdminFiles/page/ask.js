// Requests to the gate.

/** Returns the document at a path of the API; throws a `Problem` with the detail of an error response. */
export async function ask(path, options = {}) {
    const response = await fetch(path, { cache: "no-store", ...options });
    const type = response.headers.get("Content-Type") ?? "";
    if (!type.includes("json")) {
        if (response.ok) return response.text();
        throw new Problem(response.status, `${response.status} ${response.statusText}`);
    }
    const document = await response.json();
    if (!response.ok) throw new Problem(response.status, document.detail ?? document.title);
    return document;
}

/** The responses of this update by path. */
let answers = new Map();

/** Begins an update: `askOnce` requests each path again. */
export const forgetAnswers = () => (answers = new Map());

/** Like `ask`, for parts of the page that need the same document: an update requests it once. */
export function askOnce(path) {
    if (!answers.has(path)) answers.set(path, ask(path));
    return answers.get(path);
}

/** The last request to an endpoint that processes one request at a time. */
let last = Promise.resolve();

/**
 * Like `ask`, for an endpoint that processes one request at a time: the requests of this page are sent one after another, and again
 * every second while the endpoint is busy with another page's. Returns `undefined` once `isWanted` returns false.
 */
export function askInTurn(path, options, isWanted) {
    const answer = last.then(() => askUntilFree(path, options, isWanted));
    last = answer.catch(() => {});
    return answer;
}

async function askUntilFree(path, options, isWanted) {
    while (isWanted()) {
        try {
            return await ask(path, options);
        } catch (problem) {
            if (problem.status !== 503) throw problem;
            await new Promise((resolve) => setTimeout(resolve, 1000));
        }
    }
    return undefined;
}

export class Problem extends Error {
    constructor(status, message) {
        super(message);
        this.status = status;
    }
}
