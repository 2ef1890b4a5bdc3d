-- What an endpoint is sent, and its key pair for signatures without a shared secret (Standard Webhooks, v1a).

alter table webhook_endpoints
  add column format text not null default 'earshot' check (format in ('earshot', 'slack', 'discord', 'teams')),
  -- whpk_ and an Ed25519 key in base64. Null for an endpoint from before, until its secret is rotated.
  add column public_key text,
  -- Sealed: the private key in PKCS #8.
  add column signing_key text,
  add column previous_public_key text,
  add column previous_signing_key text;
