// Checks the version when the app starts. Run it with the gate's URL and the app's version.
import { VersionGate } from "versiongate";

const [url, version] = process.argv.slice(2);
const gate = new VersionGate(url, { platform: "android", version });

const state = await gate.check();
switch (state.state) {
  case "recommended": console.log(`start, and offer ${state.update.latestVersion}`); break;
  case "required": console.log(`update first: ${state.update.storeUrl}`); break;
  case "maintenance": console.log("come back later"); break;
  default: console.log("start");   // allowed, or unknown because there is no network
}
