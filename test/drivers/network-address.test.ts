import { createAddressRules } from '@earshot/drivers'
import { describe, expect, test } from 'vitest'

const strict = createAddressRules({ allowNetworks: [], allowLoopback: false })

const BLOCKED = [
  // IPv4: the first and last address of each range
  ...['0.0.0.0', '0.255.255.255', '10.0.0.0', '10.255.255.255', '100.64.0.0', '100.127.255.255', '127.0.0.1', '127.255.255.255'],
  ...['169.254.0.0', '169.254.169.254', '169.254.255.255', '172.16.0.0', '172.31.255.255', '192.0.0.0', '192.0.0.255', '192.0.2.0'],
  ...['192.0.2.255', '192.31.196.1', '192.52.193.1', '192.88.99.0', '192.88.99.255', '192.168.0.0', '192.168.255.255', '192.175.48.1'],
  ...['198.18.0.0', '198.19.255.255', '198.51.100.0', '198.51.100.255', '203.0.113.0', '203.0.113.255', '224.0.0.1', '239.255.255.255'],
  ...['240.0.0.0', '255.255.255.254', '255.255.255.255', '168.63.129.16'],
  // IPv6: all that is not global unicast, and the exceptions within it
  ...['::', '::1', '::2', '::127.0.0.1', '::8.8.8.8', '100::1', 'fc00::1', 'fd00:ec2::254', 'fdff:ffff::1', 'fe80::1', 'febf::1'],
  ...['fec0::1', 'ff02::1', 'ff0e::1', '1fff:ffff::1', '4000::1', '5f00::1', '2001::1', '2001:0:4136:e378:8000:63bf:3fff:fdd2'],
  ...['2001:2::1', '2001:10::1', '2001:20::1', '2001:1ff:ffff::1', '2001:db8::1', '2001:db8:ffff::1', '2002::1', '2002:7f00:1::1'],
  ...['2002:808:808::1', '2002:a9fe:a9fe::', '3fff::1', '3fff:fff:ffff::1', '2620:4f:8000::1', '2620:4f:8000:ffff::1'],
  // IPv4 inside IPv6: mapped (dotted, hex, written out) and NAT64
  ...['::ffff:127.0.0.1', '::ffff:7f00:1', '0:0:0:0:0:ffff:7f00:0001', '::FFFF:10.0.0.1', '::ffff:a9fe:a9fe', '::ffff:0.0.0.0'],
  ...['::ffff:192.168.1.1', '::ffff:168.63.129.16', '64:ff9b::127.0.0.1', '64:ff9b::7f00:1', '64:ff9b::10.1.2.3', '64:ff9b::a9fe:a9fe'],
  ...['64:ff9b::', '64:ff9b::192.168.0.1', '64:ff9b:1::8.8.8.8', '64:ff9b:0:0:0:1:808:808', '::ffff:0:127.0.0.1'],
  // not a plain address: refused whatever it may mean to someone else
  ...['', ' ', 'localhost', 'example.com', '8.8.8.8 ', ' 8.8.8.8', '8.8.8', '8.8', '134744072', '0x8.0x8.0x8.0x8', '010.8.8.8', '08.8.8.8'],
  ...['8.8.8.8.8', '256.8.8.8', '8.8.8.8/32', '8.8.8.8:80', '[2606:4700::1]', '2606:4700::1%eth0', 'fe80::1%eth0', '::ffff:8.8.8.8%1'],
  ...['2606:4700::1::2', '２.８.８.８', '8.8.8.8\0', '-1.8.8.8'],
]

const ALLOWED = [
  ...['1.0.0.0', '1.1.1.1', '8.8.8.8', '9.255.255.255', '11.0.0.0', '100.63.255.255', '100.128.0.0', '126.255.255.255', '128.0.0.0'],
  ...['168.63.129.15', '168.63.129.17', '169.253.255.255', '169.255.0.0', '172.15.255.255', '172.32.0.0', '192.0.1.0', '192.0.3.0'],
  ...['192.167.255.255', '192.169.0.0', '198.17.255.255', '198.20.0.0', '223.255.255.255'],
  ...['2000::1', '2001:200::1', '2001:4860:4860::8888', '2003::1', '2606:4700::1111', '2620:4f:7fff::1', '2620:4f:8001::1', '3ffe::1'],
  ...['::ffff:8.8.8.8', '::ffff:808:808', '64:ff9b::8.8.8.8', '64:ff9b::808:808'],
]

describe('by default', () => {
  test(`the table has at least 88 forms (${BLOCKED.length + ALLOWED.length})`, () => {
    expect(new Set([...BLOCKED, ...ALLOWED]).size).toBeGreaterThanOrEqual(88)
  })
  test.each(BLOCKED.map((address) => [JSON.stringify(address), address]))('%s is blocked', (_shown, address) => {
    expect(strict.isAllowed(address)).toBe(false)
  })
  test.each(ALLOWED)('%s is allowed', (address) => {
    expect(strict.isAllowed(address)).toBe(true)
  })
})

describe('with exceptions', () => {
  test('a listed network is allowed in all its forms, and its neighbours are not', () => {
    const rules = createAddressRules({ allowNetworks: ['10.1.0.0/16', ' 192.168.7.7 ', 'fd00:1::/32'], allowLoopback: false })
    const allowed = ['10.1.0.0', '10.1.255.255', '::ffff:10.1.2.3', '64:ff9b::10.1.2.3', '192.168.7.7', 'fd00:1::5']
    const blocked = ['10.0.255.255', '10.2.0.0', '::ffff:10.2.0.0', '192.168.7.8', 'fd00:2::5', '127.0.0.1', 'fd00:1::5%eth0']
    expect(allowed.filter((address) => !rules.isAllowed(address))).toEqual([])
    expect(blocked.filter((address) => rules.isAllowed(address))).toEqual([])
  })

  test('loopback alone can be allowed', () => {
    const rules = createAddressRules({ allowNetworks: [], allowLoopback: true })
    expect(['127.0.0.1', '127.9.9.9', '::1', '::ffff:127.0.0.1'].filter((address) => !rules.isAllowed(address))).toEqual([])
    expect(['0.0.0.0', '::', '10.0.0.1', '64:ff9b::127.0.0.1', '169.254.169.254'].filter((address) => rules.isAllowed(address))).toEqual([])
  })

  test.each([
    '10.0.0.0/33',
    '10.0.0/8',
    'fd00::/129',
    '10.0.0.0/',
    '10.0.0.0/8/8',
    '10.0.0.0/-1',
    '10.0.0.0/8.5',
    'fe80::%1/64',
    'lan',
    '',
  ])('"%s" is refused as a network, by name', (network) => {
    expect(() => createAddressRules({ allowNetworks: [network], allowLoopback: false })).toThrow(`"${network}" is not a network`)
  })
})
