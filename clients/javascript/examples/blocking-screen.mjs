// Shows and hides a screen while the app is in use. Run it with the gate's URL and the app's version.
import { VersionGate } from "versiongate";

const [url, version] = process.argv.slice(2);
const gate = new VersionGate(url, { platform: "android", version });

for await (const state of gate.states()) {
  if (state.state === "required") {
    const { title, message, button, storeUrl, cannotUpdate } = state.update;
    console.log(`show: ${title}: ${message}${cannotUpdate ? "" : ` [${button}: ${storeUrl}]`}`);
  } else {
    console.log("hide");
  }
}
