// Sends a request to the backend. Run it with the gate's URL and the app's version.
import { GateDenied, VersionGate } from "versiongate";

const [url, version] = process.argv.slice(2);
const gate = new VersionGate(url, { platform: "android", version });

try {
  const response = await gate.fetch("/orders");
  console.log(`status ${response.status}`);
} catch (error) {
  if (!(error instanceof GateDenied)) throw error;
  const { update, window } = error.denial;
  console.log(update ? `denied: ${update.message} ${update.storeUrl}` : `maintenance: ${window.message}`);
}
