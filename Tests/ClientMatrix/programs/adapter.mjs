// The JavaScript adapters' common code. adapter.py documents the input and the output.

import { Buffer } from 'node:buffer';
import { readFileSync } from 'node:fs';
import process from 'node:process';
import { createInterface } from 'node:readline';

export class Unsupported extends Error {}

const piece = Buffer.from('0123456789abcdef'.repeat(4096));

export function content(upload) {
  return Buffer.alloc(upload.bytes, piece);
}

export function* pieces(upload) {
  for (let left = upload.bytes; left > 0; left -= piece.length) yield piece.subarray(0, Math.min(left, piece.length));
}

export function answer(status, fields, body, more = {}) {
  const names = {};
  for (const [name, value] of fields) names[name.toLowerCase()] = String(value);
  return { status, fields: names, body: body.toString('utf8').slice(0, 8192), length: body.length, ...more };
}

export function failure(error) {
  if (error instanceof Unsupported) return { unsupported: error.message };
  const causes = [];
  for (let cause = error?.cause; cause; cause = cause.cause) causes.push(cause.code ?? cause.name, cause.message);
  const name = error?.code && typeof error.code === 'string' ? error.code : error?.name ?? String(error);
  return { error: name, message: [error?.message, ...causes].filter(Boolean).join(': ').replace(/\s+/g, ' ').slice(0, 300) };
}

export function firstEvent(text) {
  return text.split('\n').find((line) => line.startsWith('data:'));
}

export function authority() {
  return readFileSync(process.env.MATRIX_CA);
}

async function timed(action) {
  const began = performance.now();
  let result;
  try {
    result = await action();
  } catch (error) {
    result = failure(error);
  }
  return { ...result, seconds: Math.round(performance.now() - began) / 1000 };
}

// Runs a case with a new `Client`, which implements `ask(case)` and optionally `close()`.
export async function serve(version, Client) {
  const say = (line) => process.stdout.write(JSON.stringify(line) + '\n');
  say({ version });
  for await (const line of createInterface({ input: process.stdin })) {
    const given = JSON.parse(line);
    let client;
    const result = await timed(() => {
      client = new Client(given);
      return client.ask(given);
    });
    if (given.next && client) {
      const following = { kind: 'request', upload: null, timeout: given.timeout, http: given.http, ...given.next };
      result.next = await timed(() => client.ask(following));
    }
    await client?.close?.();
    say(result);
  }
  process.exit(0);
}
