// node:http and node:https, as in their documentation.

import http from 'node:http';
import process from 'node:process';

import { Unsupported, answer, content, firstEvent, pieces, serve } from './adapter.mjs';

class Client {
  constructor(given) {
    if (given.http === '2') throw new Unsupported('HTTP/1.1 only');
    this.agent = new http.Agent({ keepAlive: true });
  }

  ask(given) {
    if (given.kind === 'websocket') throw new Unsupported('no WebSocket');
    const upload = given.upload;
    const headers = { ...given.fields };
    if (upload && !upload.chunked) headers['Content-Length'] = upload.bytes;
    if (upload?.chunked) headers['Transfer-Encoding'] = 'chunked';
    if (upload?.expect) headers.Expect = '100-continue';
    return new Promise((resolve, reject) => {
      const signal = AbortSignal.timeout(given.timeout * 1000);
      const request = http.request(given.url, { method: given.method, headers, agent: this.agent, signal });
      request.on('error', reject);
      request.on('response', (response) => {
        const parts = [];
        const fields = Object.entries(response.headers);
        const status = response.statusCode;
        const end = (error) => {
          const more = error ? { error: error.code ?? error.name, message: error.message } : {};
          resolve(answer(status, fields, Buffer.concat(parts), more));
        };
        response.on('data', (part) => {
          parts.push(part);
          const event = given.kind === 'events' && firstEvent(Buffer.concat(parts).toString());
          if (event) resolve(answer(status, fields, event));
        });
        response.on('end', () => end());
        response.on('error', end);
      });
      if (upload?.expect) request.on('continue', () => request.end(content(upload)));
      else if (upload?.chunked) {
        for (const part of pieces(upload)) request.write(part);
        request.end();
      } else request.end(upload && content(upload));
      if (upload?.expect) request.flushHeaders();
    });
  }

  close() {
    this.agent.destroy();
  }
}

await serve(`Node ${process.versions.node}`, Client);
