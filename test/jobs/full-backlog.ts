import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { Worker } from 'node:worker_threads'

/** Longer than any accepted connection on this machine takes. */
const ACCEPT_TIMEOUT_MS = 500
/** A thread that blocks as soon as it listens, so that no connection is ever accepted. */
const NEVER_ACCEPTING = `
  const { parentPort, workerData } = require('node:worker_threads')
  const server = require('node:net').createServer()
  server.listen({ ...workerData, backlog: 1 }, () => {
    parentPort.postMessage(server.address().port)
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0)
  })`

interface FullBacklog {
  port: number
  url: string
  [Symbol.asyncDispose]: () => Promise<void>
}

/** Opens a listening port, a free one unless given, whose accept backlog is full: the kernel drops further connections. */
export async function fillBacklog({ host = '127.0.0.1', port: wantedPort = 0 } = {}): Promise<FullBacklog> {
  const worker = new Worker(NEVER_ACCEPTING, { eval: true, workerData: { host, port: wantedPort } })
  const [port] = await once(worker, 'message')
  const waiting: Socket[] = []
  while (await connects(port, host, waiting));
  return {
    port,
    url: `http://${host}:${port}/`,
    async [Symbol.asyncDispose]() {
      for (const socket of waiting) socket.destroy()
      await worker.terminate()
    },
  }
}

async function connects(port: number, host: string, waiting: Socket[]): Promise<boolean> {
  const socket = connect({ port, host })
  socket.on('error', () => {})
  waiting.push(socket)
  const { promise, resolve } = Promise.withResolvers<boolean>()
  const timer = setTimeout(resolve, ACCEPT_TIMEOUT_MS, false)
  socket.once('connect', () => resolve(true))
  const isConnected = await promise
  clearTimeout(timer)
  return isConnected
}
