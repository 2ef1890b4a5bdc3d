import { readProxyUrl } from '@earshot/drivers'
import { describe, expect, test } from 'vitest'

const basic = (text: string) => `Basic ${Buffer.from(text).toString('base64')}`

describe('the address of an egress proxy', () => {
  test.each([
    ['http://proxy.example.com:3128', { origin: 'http://proxy.example.com:3128', authorization: null }],
    ['HTTP://Proxy.example.com:3128/', { origin: 'http://proxy.example.com:3128', authorization: null }],
    ['http://10.0.0.8:80', { origin: 'http://10.0.0.8', authorization: null }],
    ['http://[::1]:3128', { origin: 'http://[::1]:3128', authorization: null }],
    ['http://ada:hush@proxy:3128', { origin: 'http://proxy:3128', authorization: basic('ada:hush') }],
    ['http://ada@proxy:3128', { origin: 'http://proxy:3128', authorization: basic('ada:') }],
    ['http://:hush@proxy:3128', { origin: 'http://proxy:3128', authorization: basic(':hush') }],
    ['http://ada:p%40ss%25w%C3%B6rd:2@proxy:3128', { origin: 'http://proxy:3128', authorization: basic('ada:p@ss%wörd:2') }],
  ])('%s', (url, expected) => {
    expect(readProxyUrl(url)).toEqual(expected)
  })

  test.each([
    ['', 'must be like'],
    ['proxy.example.com:3128', 'must be like'],
    ['https://proxy.example.com:3128', 'must be like'],
    ['socks5://proxy.example.com:1080', 'must be like'],
    ['http://proxy.example.com', 'must be like'],
    ['http://ada:hush@proxy.example.com', 'must be like'],
    ['http://[::1]', 'must be like'],
    ['http://:3128', 'must be like'],
    ['http://proxy.example.com:0', 'must be like'],
    ['http://proxy.example.com:65536', 'must be like'],
    ['http://ada:hush@proxy.example.com:3128/path', 'must be like'],
    ['http://ada:hush@proxy.example.com:3128?x', 'must be like'],
    ['http://ada:hush@proxy.example.com:3128#x', 'must be like'],
    ['http://ada:hush#1@proxy.example.com:3128', 'must be like'],
    [' http://proxy.example.com:3128', 'must be like'],
    ['http://ada%3A:hush@proxy.example.com:3128', 'no colon'],
    ['http://ada:hush%@proxy.example.com:3128', 'must have %25'],
  ])('%s is refused, and not repeated', (url, reason) => {
    expect(() => readProxyUrl(url)).toThrow(reason)
    expect(() => readProxyUrl(url)).not.toThrow(/hush/)
  })
})
