#!/usr/bin/env bash
# Starts the gate with the shipped rules, the built-in demo backend and clients of three apps (none with
# --no-traffic), and prints what to try.
set -euo pipefail

gate=$1
traffic=${2:-}
listen=${LISTEN:-127.0.0.1:8080}
backend=${BACKEND:-127.0.0.1:8081}
admin=${ADMIN:-127.0.0.1:9901}

"$gate" demo-backend --listen "$backend" &
children=($!)
trap 'kill "${children[@]}" 2>/dev/null || true' EXIT
if [ "$traffic" != --no-traffic ]; then
    "$gate" demo-traffic --gate "$listen" &
    children+=($!)
fi

cat <<EOF

In a browser, who is out there: the builds of three apps that ask this gate a few times a second.

  http://$admin/

Three things to try there:

  1. Under "What if", choose the rule ios and drag the minimum to 4.0.1: whom it would cost.
  2. Put the line that stands below into rules/rules.yaml, at the rule ios, and save: no restart, no signal. The page
     shows the new revision, and how more and more are refused.
  3. Under "Changes to the rules", press "Restore": it takes effect at once, although the file contains other rules.

In another terminal:

  # An old build: 426 with what the app shows, here in Japanese.
  curl -i -H 'X-App-Platform: ios' -H 'X-App-Version: 3.4.9' -H 'Accept-Language: ja' http://$listen/v2/orders

  # A current build: the backend's response, which shows what reached it.
  curl -i -H 'X-App-Platform: ios' -H 'X-App-Version: 4.2.0' http://$listen/v2/orders

  # An exempt path.
  curl -i -X POST -H 'X-App-Platform: ios' -H 'X-App-Version: 1.0.0' http://$listen/logout

Ctrl-C ends it.

EOF
"$gate" serve --listen "$listen" --upstream "http://$backend" --admin-listen "$admin" --census-interval 2 \
    --rules rules/rules.yaml
