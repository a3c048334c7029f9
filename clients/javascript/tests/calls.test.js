import assert from "node:assert/strict";
import { test } from "node:test";

import { inspect } from "../versiongate.js";

/** A length-delimited field of a protobuf message, up to 16,383 bytes. */
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

test("a build in a gRPC status is a number", () => {
  const { update } = inspect(denial({ title: "t", minimumBuild: "41200" }), "");
  assert.deepEqual([update.title, update.minimumBuild], ["t", 41200]);
});

for (const build of ["93.1", "", "x", "-1"]) {
  test(`the build '${build}' does not affect other facts`, () => {
    const { update } = inspect(denial({ title: "t", minimumBuild: build }), "");
    assert.deepEqual([update.title, update.minimumBuild], ["t", undefined]);
  });
}

/** A denial as the response to a Connect stream. */
function stream(body) {
  const headers = { "X-VersionGate": "require", "Content-Type": "application/connect+json" };
  return inspect({ status: 200, headers }, body);
}

test("the end of a Connect stream contains the facts", () => {
  const document = '{"type":"urn:versiongate:upgrade-required","title":"t"}';
  const good = "\u0002\0\0\0" + String.fromCharCode(document.length) + document;
  assert.deepEqual(stream(good), { state: "required", update: { title: "t" } });
  for (const body of [
    undefined, "", "\u0002", "\u0002\0\0\0", "\u0002\0\0\0\0", document, "\0" + good.slice(1),
    good.slice(0, -1), good + "}", "\u0002\0\0\0\u0004null", JSON.parse(document),
  ]) {
    assert.deepEqual(stream(body), { state: "required", update: {} }, JSON.stringify(body));
  }
});

for (const type of ["application/json", "application/graphql-response+json"]) {
  test(`members of ${type} without the problem type belong to the operator`, () => {
    const headers = { "X-VersionGate": "require", "Content-Type": type };
    for (const body of [
      '{"title":"t"}', '{"type":"about:blank","title":"t"}', '{"type":[],"title":"t"}', '["type"]',
    ]) {
      assert.deepEqual(inspect({ status: 426, headers }, body), { state: "required", update: {} });
    }
  });
}
