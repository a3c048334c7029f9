"""An app whose builds pass, and its rules."""

HEADERS = {"Host": "api.example.com", "X-App-Platform": "ios", "X-App-Version": "3.4.9"}
RULES = """
rules:
  - id: ios
    match: { platform: ios }
    minimum: "2.0"
    storeUrl: https://apps.apple.com/app/id1
"""
