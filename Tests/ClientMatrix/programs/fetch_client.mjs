// The built-in `fetch` and `WebSocket` of Node, Deno and Bun.

import process from 'node:process';

import { Unsupported, answer, content, firstEvent, pieces, serve } from './adapter.mjs';

const speaksHTTP2 = Boolean(globalThis.Deno);

class Client {
  constructor(given) {
    if (given.http === '2' && !speaksHTTP2) throw new Unsupported('HTTP/1.1 only');
  }

  async ask(given) {
    if (given.kind === 'websocket') return this.handshake(given);
    const options = { method: given.method, headers: given.fields, signal: AbortSignal.timeout(given.timeout * 1000) };
    if (given.upload) {
      if (given.upload.expect) throw new Unsupported('fetch has no Expect');
      if (given.upload.chunked) {
        const source = pieces(given.upload);
        options.duplex = 'half';
        options.body = new ReadableStream({
          pull(controller) {
            const { value, done } = source.next();
            if (done) controller.close();
            else controller.enqueue(new Uint8Array(value));
          },
        });
      } else options.body = content(given.upload);
    }
    const response = await fetch(given.url, options);
    if (given.kind === 'events') {
      let text = '';
      const decoder = new TextDecoder();
      for await (const bytes of response.body) {
        text += decoder.decode(bytes, { stream: true });
        const event = firstEvent(text);
        if (event && text.endsWith('\n')) return answer(response.status, response.headers, event);
      }
    }
    return answer(response.status, response.headers, await response.text());
  }

  handshake(given) {
    if (!globalThis.WebSocket) throw new Unsupported('no WebSocket');
    const query = '?app_platform=ios&app_version=' + given.fields['X-App-Version'];
    const socket = new WebSocket(given.url + query);
    return new Promise((resolve) => {
      let message = '';
      socket.addEventListener('open', () => resolve({ opened: true }));
      socket.addEventListener('error', (event) => {
        message = event.message ?? '';
      });
      socket.addEventListener('close', (event) => {
        resolve({ error: `close ${event.code}`, message: message || event.reason });
      });
    });
  }
}

function version() {
  if (globalThis.Deno) return `Deno ${Deno.version.deno}`;
  if (globalThis.Bun) return `Bun ${Bun.version}`;
  return `Node ${process.versions.node}, undici ${process.versions.undici}`;
}

await serve(version(), Client);
