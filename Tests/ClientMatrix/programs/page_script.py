"""The script that the browser adapters run on a page with the server's own origin."""

import json
from urllib.parse import urlsplit

import adapter

TEXT = """(async (given) => {
    const seen = (error) => ({ error: error.name, message: error.message });
    if (given.kind === 'websocket') {
        const query = '?app_platform=ios&app_version=' + given.fields['X-App-Version'];
        const socket = new WebSocket(given.url + query);
        return new Promise((resolve) => {
            socket.onopen = () => resolve({ opened: true });
            socket.onclose = (event) => resolve({ error: 'close ' + event.code, message: event.reason });
        });
    }
    const options = { method: given.method, headers: given.fields, signal: AbortSignal.timeout(given.timeout * 1000) };
    if (given.upload) {
        const content = new Uint8Array(given.upload.bytes);
        options.body = content;
        if (given.upload.chunked) {
            let at = 0;
            options.duplex = 'half';
            options.body = new ReadableStream({
                pull(controller) {
                    if (at >= content.length) controller.close();
                    else controller.enqueue(content.subarray(at, at += 65536));
                },
            });
            if (!(new Request(given.url, { method: 'POST', body: new ReadableStream(), duplex: 'half' }).body)) {
                return { unsupported: 'no streams as bodies' };
            }
        }
    }
    try {
        const response = await fetch(given.url, options);
        const fields = Object.fromEntries(response.headers);
        if (given.kind === 'events') {
            const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
            let text = '';
            for (;;) {
                const { value, done } = await reader.read();
                text += value ?? '';
                const event = text.split('\\n').find((line) => line.startsWith('data:'));
                if (done || (event && text.endsWith('\\n'))) {
                    reader.cancel();
                    return { status: response.status, fields, text: event ?? '' };
                }
            }
        }
        return await response.text().then(
            (text) => ({ status: response.status, fields, text }),
            (error) => ({ status: response.status, fields, text: '', ...seen(error) }));
    } catch (error) {
        return seen(error);
    }
})"""


class script:
    @staticmethod
    def origin(case):
        address = urlsplit(case["url"])
        return f"{address.scheme.replace('ws', 'http')}://{address.netloc}"

    @staticmethod
    def text(case):
        if (case["upload"] or {}).get("expect"):
            raise adapter.Unsupported("fetch has no Expect")
        if (case["upload"] or {}).get("chunked") and case["http"] == "1.1":
            raise adapter.Unsupported("streams as bodies by HTTP/2 alone")
        return f"{TEXT}({json.dumps(case)})"


def seen(result, case):
    if "status" not in result:
        return result
    more = {name: result[name] for name in ("error", "message") if name in result}
    return adapter.answer(result["status"], result["fields"].items(), result["text"], **more)
