// Numbers, shares and times in the language of the page.

import { h } from "./elements.js";
import { language, t } from "./words.js";

const whole = new Intl.NumberFormat(language);
const tenth = new Intl.NumberFormat(language, { minimumFractionDigits: 1, maximumFractionDigits: 1 });
const short = new Intl.NumberFormat(language, { notation: "compact", maximumSignificantDigits: 3 });
const wholeShare = new Intl.NumberFormat(language, { style: "percent", maximumFractionDigits: 2 });
const share = new Intl.NumberFormat(language, { style: "percent", minimumFractionDigits: 1, maximumFractionDigits: 1 });
const plural = new Intl.PluralRules(language);

export const number = (value) => whole.format(Math.round(value));
export const compact = (value) => (Math.abs(value) < 10_000 ? whole.format(value) : short.format(value));
export const perSecond = (value) => (value < 10 ? tenth.format(value) : number(value));
/** Returns a text with a number, which has a singular and a plural. */
export const counted = (key, value) => t(`${key}_${plural.select(Math.round(value)) === "one" ? "one" : "other"}`, { n: number(value) });
export const axisPercent = (value) => wholeShare.format(value);

/** Returns a share as text; neither a small one nor its complement is rounded to nothing. */
export function percent(part, all) {
    if (!(all > 0) || !(part > 0)) return wholeShare.format(0);
    const value = part / all;
    if (value < 0.001) return `< ${share.format(0.001)}`;
    return share.format(value >= 0.9995 && part < all ? 0.999 : value);
}

/** Returns a number of percentage points. */
export const points = (value) => tenth.format(Math.abs(value) * 100);

const zoned = new Intl.DateTimeFormat(language, { month: "short", day: "numeric", hour: "2-digit", minute: "2-digit", hourCycle: "h23", timeZoneName: "short" });
const dated = new Intl.DateTimeFormat(language, { year: "numeric", month: "short", day: "numeric", timeZone: "UTC" });
const clock = new Intl.DateTimeFormat(language, { hour: "2-digit", minute: "2-digit", hourCycle: "h23" });
const monthDay = new Intl.DateTimeFormat(language, { month: "short", day: "numeric" });
const monthDayUTC = new Intl.DateTimeFormat(language, { month: "short", day: "numeric", timeZone: "UTC" });
const weekdayUTC = new Intl.DateTimeFormat(language, { weekday: "short", year: "numeric", month: "short", day: "numeric", timeZone: "UTC" });
const ago = new Intl.RelativeTimeFormat(language, { numeric: "auto" });

const utc = (time) => `${new Date(time).toISOString().slice(0, 16).replace("T", " ")} UTC`;

/** Returns a time in the zone of the browser; the title has it in UTC. */
export const when = (time) => h("time", { datetime: time, title: utc(time) }, zoned.format(new Date(time)));
export const minute = (time) => zoned.format(new Date(time));
/** Returns a day as text. The days of the gate are those of UTC. */
export const day = (time) => dated.format(new Date(time));
export const shortDay = (time) => monthDayUTC.format(new Date(time));

/** Returns the label of a time on an axis, whose steps have a length in seconds. */
export function axisTime(time, stepSeconds) {
    const date = new Date(time);
    if (stepSeconds >= 86_400) return monthDayUTC.format(date);
    return date.getHours() === 0 && date.getMinutes() === 0 ? monthDay.format(date) : clock.format(date);
}

/** Returns a step as text; steps of a day are days of UTC. */
const stepTime = (time, stepSeconds) => (stepSeconds >= 86_400 ? `${weekdayUTC.format(new Date(time))} (UTC)` : minute(time));
/** Returns a step as the title of its figures; `isOpen` if it is not over. */
export const stepTitle = (time, stepSeconds, isOpen) => (isOpen ? t("soFar", { time: stepTime(time, stepSeconds) }) : stepTime(time, stepSeconds));

/** Returns how long ago a time was, in the largest unit that fits. */
export function since(time) {
    const seconds = (Date.parse(time) - Date.now()) / 1000;
    const units = [["day", 86_400], ["hour", 3600], ["minute", 60]];
    const [unit, size] = units.find(([, length]) => Math.abs(seconds) >= length) ?? ["second", 1];
    return ago.format(Math.trunc(seconds / size), unit);
}

/** The offset of the browser's zone from UTC, in milliseconds, for the axis of steps that are shorter than a day. */
export const zoneOffset = (time, stepSeconds) => (stepSeconds >= 86_400 ? 0 : -new Date(time).getTimezoneOffset() * 60_000);
