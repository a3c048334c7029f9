import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const built = fileURLToPath(new URL("../../../.build/debug/versiongate", import.meta.url));

/** A server on loopback that responds with a function, for backends and for anything between client and gate. */
export async function server(answer, port = 0) {
  const http = createServer(answer);
  await new Promise((resolve) => http.listen(port, "127.0.0.1", resolve));
  return {
    url: `http://127.0.0.1:${http.address().port}`,
    port: http.address().port,
    end: () => new Promise((resolve) => {
      http.close(resolve);
      http.closeAllConnections();
    }),
  };
}

/** A real gate, with a backend that returns the requests it receives. */
export class Gate {
  static async start(rules) {
    const gate = new Gate();
    gate.backend = await server((request, response) => {
      response.setHeader("Content-Type", "application/json");
      response.end(JSON.stringify({ target: request.url, headers: request.headers }));
    });
    gate.folder = mkdtempSync(join(tmpdir(), "versiongate-"));
    gate.write(rules);
    await gate.run(0);
    return gate;
  }

  async run(port) {
    this.process = spawn(process.env.VERSIONGATE_BINARY ?? built, [
      "serve", "--listen", `127.0.0.1:${port}`, "--upstream", this.backend.url,
      "--rules", join(this.folder, "rules.yaml"), "--threads", "1", "--drain-timeout", "1",
      "--log-format", "json",
    ], { stdio: ["ignore", "ignore", "pipe"] });
    this.log = "";
    this.exit = new Promise((resolve) => this.process.once("exit", resolve));
    this.process.stderr.on("data", (text) => (this.log += text));
    const line = await this.logged((line) => line.message === "listening");
    this.port = Number(line.address.split(":").pop());
    this.url = `http://127.0.0.1:${this.port}`;
  }

  /** Returns the first matching line of the log, after a number of characters. */
  async logged(isIt, from = 0) {
    for (;;) {
      for (const text of this.log.slice(from).split("\n").slice(0, -1)) {
        const line = JSON.parse(text);
        if (isIt({ ...line.metadata, ...line })) return { ...line.metadata, ...line };
      }
      if (this.process.exitCode !== null) throw new Error(`not in the log:\n${this.log}`);
      await Promise.race([once(this.process.stderr, "data"), this.exit]);
    }
  }

  write(rules) {
    this.rules = rules;
    writeFileSync(join(this.folder, "new"), rules);
    renameSync(join(this.folder, "new"), join(this.folder, "rules.yaml"));
  }

  /** Applies other rules. */
  async change(rules) {
    if (rules === this.rules) return;
    const from = this.log.length;
    this.write(rules);
    this.process.kill("SIGHUP");
    await this.logged((line) => line.message === "rules loaded", from);
  }

  async stop() {
    this.process.kill("SIGTERM");
    await this.exit;
  }

  async end() {
    await this.stop();
    await this.backend.end();
    rmSync(this.folder, { recursive: true });
  }
}

/** Returns rules with one floor for all clients, and additional keys. */
export function rules(minimum, more = "") {
  return `rules:
  - id: floor
    minimum: "${minimum}"
    storeUrl: https://example.com/app
    accept: [plan-opens]
${more}`;
}

/** Returns the time in a number of seconds, in the format of rules. */
export function time(seconds) {
  return new Date(Date.now() + seconds * 1_000).toISOString().replace(/\.\d+/, "");
}
