import type { Socket } from 'node:net'

/** Responds on a socket once a request has arrived. */
export type Play = (socket: Socket) => void

/** Sends a text and waits. */
export function says(bytes: string | Buffer): Play {
  return (socket) => void socket.write(bytes)
}

/** Sends a text and closes. */
export function saysAndEnds(bytes: string): Play {
  return (socket) => void socket.end(bytes)
}

/** Sends a text and resets the connection. */
export function saysAndResets(bytes: string): Play {
  return (socket) => void socket.write(bytes, () => socket.resetAndDestroy())
}

/** Sends a little at a time, without end. */
export function drips(first: string, next: string): Play {
  return (socket) => {
    socket.write(first)
    const timer = setInterval(() => socket.write(next), 20)
    socket.on('close', () => clearInterval(timer))
  }
}

/** Sends as fast as it is read, without end. */
export function pours(first: string, next: string): Play {
  return (socket) => {
    const pour = () => {
      while (socket.writable && socket.write(next));
    }
    socket.on('drain', pour)
    socket.write(first)
    pour()
  }
}

/** Returns a response with a status, and a body where one is allowed. */
export function withStatus(status: number, headers = ''): Play {
  const hasBody = status !== 204 && status !== 304
  return says(`HTTP/1.1 ${status} X\r\n${headers}${hasBody ? 'Content-Length: 3\r\n\r\nwhy' : '\r\n'}`)
}

/** Redirects with 301 to an address, which may contain the receiver’s port. */
export function redirectsTo(place: string | ((port: number) => string)): Play {
  return (socket) => {
    const location = typeof place === 'string' ? place : place(socket.localPort ?? 0)
    socket.write(`HTTP/1.1 301 Moved\r\nLocation: ${location}\r\nContent-Length: 0\r\n\r\n`)
  }
}
