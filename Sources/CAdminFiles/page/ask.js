// Questions to the gate.

/** The document at a path of the API; throws what a problem says. */
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

/**
 * The same of a question of which the gate answers one at a time: while it is busy with another one, asks again;
 * `undefined` once nobody wants to know any more.
 */
export async function askInTurn(path, options, isWanted) {
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
