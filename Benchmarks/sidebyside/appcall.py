"""The request of the load generator, and the right response to it."""

# 120 bytes, the size of a small API response.
BACKEND_BODY = (
    '{"id":48213,"name":"Trail running shoes","price":12800,"currency":"JPY",'
    '"stock":1742,"tags":["outdoor","running","new"]}'
)

PATH = "/v2/items/48213"
# The path for which the backend responds with a file of that many bytes.
LARGE_PATH = "/large"
LARGE_BODY_BYTES = 2**20
CURRENT_VERSION = "4.2.0"
OUTDATED_VERSION = "3.4.9"

# The policy in rules.yaml as one regular expression, for the peers that have nothing better. [.]
# replaces an escaped dot, because configuration languages treat backslashes differently.
OUTDATED = "^(?:(?:[0-2]|3[.][0-4])(?:[.][0-9.]*)?|3|3[.]7[.]2|3[.]9[.][0-3])$"

VARY = "Accept-Language, X-App-Id, X-App-Platform, X-App-Version"

BEARER = "eyJhbGciOiJFUzI1NiJ9." + "c3ViOjQ4MjEzO2V4cDoxNzk5" * 2 + "." + "Zm9vYmFyYmF6cXV4" * 2


def request_headers(version):
    """Returns the headers of an app's API request."""
    return {
        "Host": "api.example.com",
        "User-Agent": f"Shop/{version} (com.example.shop; build:93; iOS 17.5.1) Alamofire/5.9.1",
        "Accept": "application/json",
        "Accept-Language": "en-US;q=1.0, ja-JP;q=0.9",
        "X-App-Id": "com.example.shop",
        "X-App-Platform": "ios",
        "X-App-Version": version,
        "X-Device-Id": "6f1d0c62-5a5e-4f0e-9a39-0f6f6c1f2b7d",
        "Authorization": f"Bearer {BEARER}",
    }


def header_arguments(headers, option):
    """Returns the headers as arguments of a load generator."""
    return [part for name, value in headers.items() for part in (option, f"{name}: {value}")]
