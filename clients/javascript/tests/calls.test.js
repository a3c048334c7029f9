import assert from "node:assert/strict";
import { test } from "node:test";

import { inspect } from "../versiongate.js";

/** A length-delimited field of a protobuf message; up to 16,383 bytes. */
function field(number, content) {
  const size = content.length;
  const length = size < 128 ? [size] : [(size & 0x7f) | 0x80, size >> 7];
  return Buffer.concat([Buffer.from([(number << 3) | 2, ...length]), content]);
}

function denial(metadata) {
  const entries = Object.entries(metadata).map(([name, value]) =>
    field(3, Buffer.concat([field(1, Buffer.from(name)), field(2, Buffer.from(value))])));
  const type = field(1, Buffer.from("type.googleapis.com/google.rpc.ErrorInfo"));
  const detail = Buffer.concat([type, field(2, Buffer.concat(entries))]);
  return {
    status: 200,
    url: "https://gate.example/shop.Orders/List",
    headers: new Headers([
      ["content-type", "application/grpc"],
      ["x-versiongate", "require"],
      ["grpc-status-details-bin", field(3, detail).toString("base64")],
    ]),
  };
}

test("a build in the status of a gRPC call is a number", () => {
  const { update } = inspect(denial({ title: "t", minimumBuild: "41200" }), "");
  assert.deepEqual([update.title, update.minimumBuild], ["t", 41200]);
});

for (const build of ["93.1", "", "x", "-1"]) {
  test(`the build '${build}' leaves all other facts`, () => {
    const { update } = inspect(denial({ title: "t", minimumBuild: build }), "");
    assert.deepEqual([update.title, update.minimumBuild], ["t", undefined]);
  });
}
