// Starts without a network. Run it with the gate's URL, the app's version and a file for the last state.
import { readFileSync, writeFileSync } from "node:fs";

import { VersionGate } from "versiongate";

const [url, version, file] = process.argv.slice(2);
// A browser has localStorage, and React Native has AsyncStorage.
const storage = {
  getItem: () => readFileSync(file, "utf8"),
  setItem: (_, text) => writeFileSync(file, text),
};
const gate = new VersionGate(url, { platform: "android", version }, { storage });

const state = await gate.check();
if (state.state !== "unknown") {
  console.log("online");
} else if (state.last?.state === "required") {
  // The requirement may have been withdrawn since, so it does not block the app.
  console.log("start offline; last time, an update was required");
} else {
  console.log("start offline");
}
