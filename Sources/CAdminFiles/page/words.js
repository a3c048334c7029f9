// The texts of the page in the language of the browser.

const languages = ["en", "ja", "ko"];

/** Returns the first language of a list that the page has; `ja-JP` is `ja`. */
export function choose(wanted) {
    return wanted.map((name) => name.toLowerCase().split("-")[0]).find((name) => languages.includes(name)) ?? "en";
}

// Tests run the modules without a browser.
const asked = globalThis.location ? new URLSearchParams(location.search).get("lang") : undefined;
export const language = choose([...(asked ? [asked] : []), ...(globalThis.navigator?.languages ?? [])]);

// The other languages are not loaded.
const { default: words } = await import(`./words/${language}.js`);

/** Returns a text with its placeholders filled. */
export function t(key, values = {}) {
    return words[key].replace(/\{(\w+)\}/g, (_, name) => values[name]);
}

/** Fills the texts of the document. */
export function translate(root) {
    document.documentElement.lang = language;
    for (const element of root.querySelectorAll("[data-t]")) element.textContent = t(element.dataset.t);
    for (const element of root.querySelectorAll("[data-t-label]")) element.setAttribute("aria-label", t(element.dataset.tLabel));
}

/** The attribute of texts from the gate, which are English. */
export const english = language === "en" ? {} : { lang: "en" };
