import { networkInterfaces } from 'node:os'
import { checkWebhookUrl, createAddressRules, createOwnAddresses, resolveName } from '@earshot/drivers'
import { describe, expect, test } from 'vitest'
import { resolveFrom } from './resolve-from.ts'

const resolve = resolveFrom({
  'hooks.example.com': ['8.8.8.8', '2606:4700::1'],
  'inside.example.com': ['10.0.0.5'],
  'mixed.example.com': ['8.8.8.8', '127.0.0.1'],
  'mixed6.example.com': ['8.8.8.8', '::ffff:10.0.0.1'],
  localhost: ['127.0.0.1', '::1'],
})
const strict = {
  rules: createAddressRules({ allowNetworks: [], allowLoopback: false }),
  allowInsecure: false,
  ownAddresses: createOwnAddresses([{ host: 'feedback.example.com', port: 443 }]),
  resolve,
}

test.each([
  ['https://hooks.example.com/x?y=1', 'https://hooks.example.com/x?y=1'],
  ['https://HOOKS.example.com:443', 'https://hooks.example.com/'],
  ['https://8.8.8.8:8443/x', 'https://8.8.8.8:8443/x'],
  ['https://[2606:4700::1]/x', 'https://[2606:4700::1]/x'],
  ['https://does-not-resolve.example.com/', 'https://does-not-resolve.example.com/'],
  ['https://feedback.example.com:8443/', 'https://feedback.example.com:8443/'],
])('%s is accepted as %s', async (url, canonical) => {
  expect(await checkWebhookUrl(url, strict)).toEqual({ ok: true, url: canonical })
})

test.each([
  ['', 'invalid_url'],
  ['hooks.example.com', 'invalid_url'],
  ['/hooks', 'invalid_url'],
  ['ftp://hooks.example.com/', 'invalid_url'],
  ['file:///etc/passwd', 'invalid_url'],
  ['javascript:alert(1)', 'invalid_url'],
  ['https://1.2.3.4.5/', 'invalid_url'],
  ['https://256.1.1.1/', 'invalid_url'],
  ['https://[fe80::1%25eth0]/', 'invalid_url'],
  ['https://hooks.example.com:65536/', 'invalid_url'],
  ['http://hooks.example.com/', 'https_required'],
  ['https://user@hooks.example.com/', 'credentials_in_url'],
  ['https://user:password@hooks.example.com/', 'credentials_in_url'],
  ['https://:password@hooks.example.com/', 'credentials_in_url'],
  ['https://hooks.example.com:0/', 'invalid_port'],
  ['https://hooks.example.com../', 'invalid_url'],
  ['https://.hooks.example.com/', 'invalid_url'],
  ['https://127.0.0.1../', 'invalid_url'],
  ['https://inside.example.com/', 'blocked_address'],
  ['https://mixed.example.com/', 'blocked_address'],
  ['https://mixed6.example.com/', 'blocked_address'],
  ['https://localhost/', 'blocked_address'],
  // other ways to write 127.0.0.1, 10.0.0.1 and the metadata host: the URL parser turns them into the canonical form
  ['https://127.1/', 'blocked_address'],
  ['https://2130706433/', 'blocked_address'],
  ['https://0x7f000001/', 'blocked_address'],
  ['https://0x7f.1/', 'blocked_address'],
  ['https://0177.0.0.1/', 'blocked_address'],
  ['https://127.0.0.1./', 'blocked_address'],
  ['https://%31%32%37.0.0.1/', 'blocked_address'],
  ['https://１２７.０.０.１/', 'blocked_address'],
  ['https://①②⑦.⓪.⓪.①/', 'blocked_address'],
  ['https://012.1/', 'blocked_address'],
  ['https://0/', 'blocked_address'],
  ['https://169.254.169.254/latest/meta-data/', 'blocked_address'],
  ['https://[::1]/', 'blocked_address'],
  ['https://[::ffff:127.0.0.1]/', 'blocked_address'],
  ['https://[::ffff:7f00:1]/', 'blocked_address'],
  ['https://[64:ff9b::a00:1]/', 'blocked_address'],
  ['https://[2002:7f00:1::]/', 'blocked_address'],
  ['https://[2001:0:4136:e378:8000:63bf:3fff:fdd2]/', 'blocked_address'],
  ['https://feedback.example.com/', 'own_address'],
  ['https://Feedback.Example.com.:443/x', 'own_address'],
])('%s is refused: %s', async (url, code) => {
  expect(await checkWebhookUrl(url, strict)).toMatchObject({ ok: false, code, detail: expect.stringMatching(/^[A-Z].*\.$/) })
})

test.each(['localhost', 'localhost.', 'LOCALHOST', 'anything.localhost', 'a.b.localhost.'])(
  '%s is this machine, whatever the hosts file and the DNS say',
  async (name) => {
    expect(await resolveName(name)).toEqual([
      { address: '127.0.0.1', family: 4 },
      { address: '::1', family: 6 },
    ])
  },
)

test.each(['notlocalhost.invalid', 'localhost.invalid', '.localhost.invalid'])('%s is a name like others', async (name) => {
  await expect(resolveName(name)).rejects.toMatchObject({ code: expect.stringMatching(/ENOTFOUND|EAI_AGAIN/) })
})

test('a name whose lookup hangs is accepted after a while', { timeout: 10_000 }, async () => {
  const verdict = await checkWebhookUrl('https://slow.example.com/', { ...strict, resolve: () => new Promise(() => {}) })
  expect(verdict.ok).toBe(true)
})

describe('in a local trial', () => {
  const local = {
    rules: createAddressRules({ allowNetworks: [], allowLoopback: true }),
    allowInsecure: true,
    ownAddresses: createOwnAddresses([
      { host: '127.0.0.1', port: 8000 },
      { host: 'localhost', port: 8000 },
    ]),
    resolve,
  }

  test.each(['http://127.0.0.1:9000/', 'http://localhost:9000/', 'http://[::1]:9000/'])('%s is accepted', async (url) => {
    expect(await checkWebhookUrl(url, local)).toEqual({ ok: true, url })
  })

  test.each([
    ['http://localhost:8000/', 'own_address'],
    ['http://127.0.0.1:8000/', 'own_address'],
    ['http://127.0.0.2:8000/', 'own_address'],
    ['http://[::1]:8000/', 'own_address'],
    ['http://[::ffff:127.0.0.1]:8000/', 'own_address'],
    ['http://0.0.0.0:8000/', 'own_address'],
    ['http://mixed.example.com:8000/', 'own_address'],
    ['http://10.0.0.1:9000/', 'blocked_address'],
  ])('%s is refused: %s', async (url, code) => {
    expect(await checkWebhookUrl(url, local)).toMatchObject({ ok: false, code })
  })
})

test('a service that listens on all addresses refuses each of them on its port', () => {
  const own = createOwnAddresses([{ host: '0.0.0.0', port: 8000 }])
  const addresses = Object.values(networkInterfaces()).flatMap((entries) => (entries ?? []).map(({ address }) => address))
  for (const host of ['127.0.0.1', '0.0.0.0', ...addresses]) {
    expect(own.includes({ host, port: 8000, addresses: [] })).toBe(true)
    expect(own.includes({ host, port: 8001, addresses: [] })).toBe(false)
  }
  expect(own.includes({ host: 'elsewhere.example.com', port: 8000, addresses: ['8.8.8.8'] })).toBe(false)
})
