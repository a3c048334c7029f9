#!/usr/bin/env bash
# Starts the gate with the shipped rules, the built-in demo backend and clients of three apps that have been using it for
# thirty days (none with --no-traffic), and prints instructions.
set -euo pipefail

gate=$1
traffic=${2:-}
listen=${LISTEN:-127.0.0.1:8080}
backend=${BACKEND:-127.0.0.1:8081}
admin=${ADMIN:-127.0.0.1:9901}

"$gate" demo-backend --listen "$backend" &
children=($!)
state=$(mktemp -d)
finish() {
    kill "${children[@]}" 2>/dev/null || true
    # The gate writes to the directory until it has ended.
    wait
    rm -rf "$state"
}
trap finish EXIT
trap 'exit 130' INT
trap 'exit 143' TERM
if [ "$traffic" != --no-traffic ]; then
    "$gate" demo-history --state-dir "$state" --rules rules/rules.yaml
    "$gate" demo-traffic --gate "$listen" &
    children+=($!)
fi

cat <<EOF

Open the page for operators in a browser. It shows thirty days of made-up traffic of three demo apps, and the requests
that they send now, a few per second (neither with RUN=--no-traffic).

  http://$admin/

Try this on the page:

  1. Under "What if", select the rule ios and move the minimum to 4.0.1. The page shows how many requests and devices
     this minimum would deny.
  2. In rules/rules.yaml, replace the minimum of the rule ios with the line shown below the chart, and save the file.
     The gate applies it without a restart. The page shows the new revision and the increasing number of denials.
  3. Under "Changes to the rules", click "Restore" next to an earlier revision. Its rules take effect at once, although
     the file still contains the others.

In another terminal:

  # An old build gets 426 with the texts for the app, here in Japanese.
  curl -i -H 'X-App-Platform: ios' -H 'X-App-Version: 3.4.9' -H 'Accept-Language: ja' http://$listen/v2/orders

  # A current build gets the response of the backend, which shows the request as the backend received it.
  curl -i -H 'X-App-Platform: ios' -H 'X-App-Version: 4.2.0' http://$listen/v2/orders

  # The path is exempt: the request is not evaluated.
  curl -i -X POST -H 'X-App-Platform: ios' -H 'X-App-Version: 1.0.0' http://$listen/logout

Press Ctrl-C to stop.

EOF
"$gate" serve --listen "$listen" --upstream "http://$backend" --admin-listen "$admin" --census-interval 2 \
    --state-dir "$state" --rules rules/rules.yaml &
gate_pid=$!
children+=("$gate_pid")
wait "$gate_pid"
