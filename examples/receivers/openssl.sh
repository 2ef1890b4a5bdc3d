#!/bin/sh
# A receiver as a CGI program (RFC 3875): any web server that runs one gives it the headers as variables and the body
# as its input. WEBHOOK_SECRET is the endpoint's secret, DONE_DIRECTORY keeps what has been received.
set -eu
body=$(mktemp)
trap 'rm -f "$body"' EXIT
head -c "${CONTENT_LENGTH:-0}" >"$body"

# $1 is a key, the message is the input. (The key shows in the list of processes for a moment: for a machine of your own.)
hmac() { openssl dgst -sha256 -hmac "$1" -hex | sed 's/.* //'; }

answer() {
  echo "receiver: $2" >&2
  printf 'Status: %s\nContent-Type: text/plain\n\n%s\n' "$1" "$2"
  exit
}

timestamp=${HTTP_X_SERVICE_TIMESTAMP:-}
case $timestamp in '' | 0* | *[!0-9]* | ?????????????*) answer 400 'refused: no timestamp' ;; esac
age=$(($(date +%s) - timestamp))
[ "${age#-}" -lt 300 ] || answer 400 'refused: too old, or of the future'

expected=$({ printf '%s.' "$timestamp" && cat "$body"; } | hmac "$WEBHOOK_SECRET")
# What is compared is an HMAC of each, by a key of this moment: how long it takes tells nothing of the expected signature.
nonce=$(openssl rand -hex 32)
veiled=$(printf %s "$expected" | hmac "$nonce")
verified=no
# For 24 hours after a rotation the previous secret signs too.
for given in "${HTTP_X_SERVICE_SIGNATURE:-}" "${HTTP_X_SERVICE_SIGNATURE_PREVIOUS:-}"; do
  [ "$(printf %s "$given" | hmac "$nonce")" != "$veiled" ] || verified=yes
done
[ "$verified" = yes ] || answer 400 'refused: not signed with this secret'

delivery=$(printf %s "${HTTP_X_SERVICE_DELIVERY:-}" | tr -cd '0-9a-f-')
# Only one of any number of callers makes a directory.
mkdir "$DONE_DIRECTORY/$delivery" 2>/dev/null || answer 200 "already has ${HTTP_X_SERVICE_EVENT:-}"
answer 200 "verified ${HTTP_X_SERVICE_EVENT:-}"
