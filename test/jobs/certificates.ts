import type { TlsOptions } from 'node:tls'
import { generate } from 'selfsigned'

const DAY_MS = 86_400_000

export interface Authority {
  key: string
  cert: string
}

export async function makeAuthority(name: string): Promise<Authority> {
  const extensions = [
    { name: 'basicConstraints' as const, cA: true, critical: true },
    { name: 'keyUsage' as const, keyCertSign: true, cRLSign: true, critical: true },
  ]
  const { private: key, cert } = await generate([{ name: 'commonName', value: name }], { keyType: 'ec', algorithm: 'sha256', extensions })
  return { key, cert }
}

/** A server's certificate, valid for `host` and 127.0.0.1 from and to so many days from now; self-signed without an authority. */
export async function certificate(
  authority: Authority | null,
  { host = 'hooks.example.com', from = -1, to = 1 } = {},
): Promise<TlsOptions> {
  const { private: key, cert } = await generate([{ name: 'commonName', value: host }], {
    keyType: 'ec',
    algorithm: 'sha256',
    notBeforeDate: new Date(Date.now() + from * DAY_MS),
    notAfterDate: new Date(Date.now() + to * DAY_MS),
    extensions: [
      {
        name: 'subjectAltName',
        altNames: [
          { type: 2, value: host },
          { type: 7, ip: '127.0.0.1' },
        ],
      },
    ],
    ...(authority && { ca: authority }),
  })
  return { key, cert }
}
