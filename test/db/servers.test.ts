import { expect, test } from 'vitest'
import { readServers } from '../../db/src/driver/servers.ts'

const ONE = 'postgres://earshot:hush@db.example.com/earshot'

test.for([
  { what: 'one server', url: ONE, urls: [ONE], isPrimaryWanted: false },
  { what: 'its parameters', url: `${ONE}?sslmode=require`, urls: [`${ONE}?sslmode=require`], isPrimaryWanted: false },
  { what: 'one server that must accept writes', url: `${ONE}?target_session_attrs=read-write`, urls: [ONE], isPrimaryWanted: true },
  {
    what: 'several servers with ports',
    url: 'postgresql://earshot:a%2Cb@one:5433,[::1]:5434,three/earshot?target_session_attrs=primary&sslmode=require',
    urls: [
      'postgresql://earshot:a%2Cb@one:5433/earshot?sslmode=require',
      'postgresql://earshot:a%2Cb@[::1]:5434/earshot?sslmode=require',
      'postgresql://earshot:a%2Cb@three/earshot?sslmode=require',
    ],
    isPrimaryWanted: true,
  },
  {
    what: 'several servers without a word',
    url: 'postgres://one,two/earshot',
    urls: ['postgres://one/earshot', 'postgres://two/earshot'],
    isPrimaryWanted: true,
  },
])('an address with $what is read as libpq reads it', ({ url, urls, isPrimaryWanted }) => {
  expect(readServers(url)).toEqual({ urls, isPrimaryWanted })
})

test.for(['mysql://one/earshot', 'earshot', 'postgres://one:port/earshot', `${ONE}?target_session_attrs=standby`])(
  '%s is refused',
  (url) => {
    expect(readServers(url)).toBeNull()
  },
)
