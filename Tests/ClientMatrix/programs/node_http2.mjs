// node:http2, as in its documentation.

import http2 from 'node:http2';
import process from 'node:process';
import { Readable } from 'node:stream';

import { Unsupported, answer, authority, firstEvent, pieces, serve } from './adapter.mjs';

class Client {
  constructor(given) {
    if (given.http === '1.1') throw new Unsupported('HTTP/2 only');
  }

  // A session that the server has ended cannot be reused.
  session(origin) {
    if (!this.current || this.current.closed || this.current.destroyed) {
      this.current = http2.connect(origin, { ca: authority() });
      this.current.on('error', () => {});
    }
    return this.current;
  }

  ask(given) {
    if (given.kind === 'websocket') throw new Unsupported('no WebSocket');
    const { origin, pathname } = new URL(given.url);
    const session = this.session(origin);
    const upload = given.upload;
    const headers = { ':method': given.method, ':path': pathname };
    for (const [name, value] of Object.entries(given.fields)) headers[name.toLowerCase()] = value;
    if (upload && !upload.chunked) headers['content-length'] = upload.bytes;
    if (upload?.expect) headers.expect = '100-continue';
    return new Promise((resolve, reject) => {
      const stream = session.request(headers, { endStream: !upload });
      const parts = [];
      let status;
      let fields;
      const timer = setTimeout(() => {
        resolve({ error: 'timeout', message: `of ${given.timeout} s, set by the app` });
        stream.destroy();
      }, given.timeout * 1000);
      stream.on('response', (received) => {
        status = received[':status'];
        fields = Object.entries(received);
      });
      stream.on('data', (part) => {
        parts.push(part);
        const event = given.kind === 'events' && firstEvent(Buffer.concat(parts).toString());
        if (event) resolve(answer(status, fields, event));
      });
      stream.on('end', () => status && resolve(answer(status, fields, Buffer.concat(parts))));
      stream.on('error', (error) => {
        const more = { error: error.code ?? error.name, message: error.message };
        if (status) resolve(answer(status, fields, Buffer.concat(parts), more));
        else reject(error);
      });
      stream.on('close', () => {
        clearTimeout(timer);
        const closed = { error: 'closed', message: `code ${stream.rstCode}` };
        resolve(status ? answer(status, fields, Buffer.concat(parts), closed) : closed);
      });
      // Piped like a file, because a single write of more than 10 MB exceeds a Node session's buffer.
      const send = () => Readable.from(pieces(upload)).pipe(stream);
      if (upload?.expect) stream.on('continue', send);
      else if (upload) send();
    });
  }

  close() {
    this.current?.destroy();
  }
}

await serve(`Node ${process.versions.node}, nghttp2 ${process.versions.nghttp2}`, Client);
