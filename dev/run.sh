#!/usr/bin/env bash
# Starts the gate on the shipped rules in front of the built-in demo backend, and prints what to try.
set -euo pipefail

gate=$1
listen=${LISTEN:-127.0.0.1:8080}
backend=${BACKEND:-127.0.0.1:8081}
admin=${ADMIN:-127.0.0.1:9901}

"$gate" demo-backend --listen "$backend" &
backend_pid=$!
trap 'kill "$backend_pid" 2>/dev/null || true' EXIT

cat <<EOF

Try, in another terminal:

  # An old build: 426 with what the app shows, here in Japanese.
  curl -i -H 'X-App-Platform: ios' -H 'X-App-Version: 3.4.9' -H 'Accept-Language: ja' http://$listen/v2/orders

  # A current build: the backend's answer, which shows what reached it.
  curl -i -H 'X-App-Platform: ios' -H 'X-App-Version: 4.2.0' http://$listen/v2/orders

  # A path that is never judged.
  curl -i -X POST -H 'X-App-Platform: ios' -H 'X-App-Version: 1.0.0' http://$listen/logout

In a browser, who is out there, and whom a higher minimum would hit (ten seconds after the first request):

  http://$admin/

Then change the minimum in rules/rules.yaml and try again: no restart, no signal. Ctrl-C ends it.

EOF
"$gate" serve --listen "$listen" --upstream "http://$backend" --admin-listen "$admin" --rules rules/rules.yaml
