"""Signed webhooks that a source posts to the gate."""

import hashlib
import hmac
import ssl
import threading
import urllib.error
import urllib.request


def signature(secret, body):
    """Returns the HMAC-SHA256 in lowercase hexadecimal."""
    return hmac.new(secret.encode(), body, hashlib.sha256).hexdigest()


class Webhook:
    """Posts webhooks and records the results. No webhook is sent again."""

    def __init__(self):
        self.lock = threading.Lock()
        self.deliveries = []

    def post_later(self, *delivery):
        threading.Thread(target=self.post, args=delivery, daemon=True).start()

    def post(self, url, body, headers, authority=None):
        """`authority` is a file with trusted CA certificates for HTTPS."""
        # A proxy from the environment must not be used.
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
