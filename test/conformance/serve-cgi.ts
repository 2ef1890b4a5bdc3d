import { spawn } from 'node:child_process'
import { createServer, type IncomingMessage } from 'node:http'
import { buffer, text } from 'node:stream/consumers'

const [program = ''] = process.argv.slice(2)
const url = new URL(process.env.RECEIVER_URL ?? '')

/** A web server that answers with a CGI program (RFC 3875). */
createServer(async (request, response) => {
  const body = await buffer(request)
  const child = spawn(program, [], { env: { ...process.env, ...variablesOf(request, body) }, stdio: ['pipe', 'pipe', 'inherit'] })
  // It need not read its input to the end.
  child.stdin.on('error', () => {}).end(body)
  const output = await text(child.stdout)
  const status = /^Status: (\d{3})$/m.exec(output)?.[1]
  response.writeHead(Number(status ?? 500)).end(output.slice(output.indexOf('\n\n') + 2))
}).listen(Number(url.port), url.hostname)

/** RFC 3875 §4.1: the headers of the request in capitals, after HTTP_. */
function variablesOf({ method = '', headers }: IncomingMessage, body: Buffer): Record<string, string> {
  const ofHeaders = Object.entries(headers).map(([name, value]) => [`HTTP_${name.toUpperCase().replaceAll('-', '_')}`, String(value)])
  return { ...Object.fromEntries(ofHeaders), REQUEST_METHOD: method, CONTENT_LENGTH: String(body.length) }
}
