#!/bin/sh
# A receiver as a CGI program (RFC 3875): the web server passes the headers as variables and the body as standard input.
# WEBHOOK_SECRET is the endpoint's secret. DONE_DIRECTORY records the received deliveries.
set -eu
body=$(mktemp)
trap 'rm -f "$body"' EXIT
head -c "${CONTENT_LENGTH:-0}" >"$body"

# $1 is the key, standard input the message. The list of processes shows the key for a moment: use your own machine only.
hmac() { openssl dgst -sha256 -hmac "$1" -hex | sed 's/.* //'; }

respond() {
  echo "receiver: $2" >&2
  printf 'Status: %s\nContent-Type: text/plain\n\n%s\n' "$1" "$2"
  exit
}

timestamp=${HTTP_X_SERVICE_TIMESTAMP:-}
case $timestamp in '' | 0* | *[!0-9]* | ?????????????*) respond 400 'refused: no timestamp' ;; esac
age=$(($(date +%s) - timestamp))
[ "${age#-}" -lt 300 ] || respond 400 'refused: timestamp too far from the clock'

expected=$({ printf '%s.' "$timestamp" && cat "$body"; } | hmac "$WEBHOOK_SECRET")
# Compares an HMAC of each, by a random key, so that the time it takes reveals nothing about the expected signature.
nonce=$(openssl rand -hex 32)
veiled=$(printf %s "$expected" | hmac "$nonce")
verified=no
# For 24 hours after a rotation the previous secret signs too.
for given in "${HTTP_X_SERVICE_SIGNATURE:-}" "${HTTP_X_SERVICE_SIGNATURE_PREVIOUS:-}"; do
  [ "$(printf %s "$given" | hmac "$nonce")" != "$veiled" ] || verified=yes
done
[ "$verified" = yes ] || respond 400 'refused: not signed with this secret'

delivery=$(printf %s "${HTTP_X_SERVICE_DELIVERY:-}" | tr -cd '0-9a-f-')
# mkdir is atomic: of several calls, only one creates the directory.
mkdir "$DONE_DIRECTORY/$delivery" 2>/dev/null || respond 200 "already has ${HTTP_X_SERVICE_EVENT:-}"
respond 200 "verified ${HTTP_X_SERVICE_EVENT:-}"
