// npm runs this script in its folder before it packs the package. It writes what is derived from versiongate.js: the
// module for require(), its types, and the module that Node imports. That one re-exports the module for require(), so
// that a process that uses both has only one class GateDenied.

import { copyFileSync, readFileSync, writeFileSync } from "node:fs";

const names = [];
const declaration = /^export ((?:async )?(?:class|function\*?) (\w+))/gm;
const source = readFileSync("versiongate.js", "utf8").replace(declaration, (_, text, name) => {
  names.push(name);
  return text;
});
if (/^(?:import|export)\b/m.test(source)) throw new Error("only declarations can be exported");

const list = `{ ${names.join(", ")} }`;
writeFileSync("versiongate.cjs", `"use strict";\n\n${source}\nmodule.exports = ${list};\n`);
writeFileSync("versiongate.mjs", `export ${list} from "./versiongate.cjs";\n`);
copyFileSync("versiongate.d.ts", "versiongate.d.cts");
