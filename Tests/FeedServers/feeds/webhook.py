"""Signed notices that a source posts to the gate."""

import hashlib
import hmac
import ssl
import threading
import urllib.error
import urllib.request


def signature(secret, body):
    """HMAC-SHA256 in lower-case hexadecimal."""
    return hmac.new(secret.encode(), body, hashlib.sha256).hexdigest()


class Webhook:
    """Posts notices and remembers what became of them; nothing is ever sent again."""

    def __init__(self):
        self.lock = threading.Lock()
        self.deliveries = []

    def post_later(self, *delivery):
        threading.Thread(target=self.post, args=delivery, daemon=True).start()

    def post(self, url, body, headers, authority=None):
        """`authority`: a file of certificates to trust for HTTPS."""
        # No proxy of the environment may come between.
        handlers = [urllib.request.ProxyHandler({})]
        if url.startswith("https:"):
            context = ssl.create_default_context(cafile=authority)
            handlers.append(urllib.request.HTTPSHandler(context=context))
        request = urllib.request.Request(url, body, headers, method="POST")
        delivery = {"url": url, "body": body.decode("utf-8", "replace"), "headers": headers}
        try:
            with urllib.request.build_opener(*handlers).open(request, timeout=10) as response:
                delivery.update(status=response.status, answer=response.read().decode())
        except urllib.error.HTTPError as refusal:
            with refusal:
                delivery.update(status=refusal.code, answer=refusal.read().decode())
        except OSError as problem:
            delivery.update(status=None, error=str(problem))
        with self.lock:
            self.deliveries.append(delivery)
        return delivery
