// Waits until maintenance is over. Run it with the gate's URL and the app's version.
import { GateDenied, VersionGate } from "versiongate";

const [url, version] = process.argv.slice(2);
const gate = new VersionGate(url, { platform: "android", version });

try {
  await gate.fetch("/orders");
} catch (error) {
  if (!(error instanceof GateDenied) || error.denial.state !== "maintenance") throw error;
  const { message, maintenanceUntil } = error.denial.window;
  console.log(`maintenance until ${maintenanceUntil}: ${message}`);
}

for await (const state of gate.states()) {
  if (state.state === "maintenance") continue;
  console.log("maintenance is over");
  break;
}
