import { randomUUID } from 'node:crypto'
import { isEverywhere, isOperation, listOperations, type NamedOperation, type OperationTree, sizes } from '@earshot/contracts'
import type { FastifyInstance } from 'fastify'
import { fastify, LogController } from 'fastify'
import type { Registry } from 'prom-client'
import { createAccessJwts } from './auth/access-jwts.ts'
import { createDeviceCookies } from './auth/device-cookie.ts'
import { registerForwardingWarning } from './auth/forwarding.ts'
import { createJwtKeys } from './auth/jwt-keys.ts'
import { createPasswords } from './auth/passwords.ts'
import { createSessions } from './auth/session-engine.ts'
import { registerDocs } from './docs/routes.ts'
import { handlers as ownHandlers } from './handlers.ts'
import { registerBodyTimeout } from './http/body-timeout.ts'
import { sendClientError } from './http/client-error.ts'
import { registerCors } from './http/cors.ts'
import { registerDrain } from './http/drain.ts'
import { registerExport } from './http/export.ts'
import { sendFailure } from './http/failure.ts'
import { createFeedPolls } from './http/feed-poll.ts'
import { registerJsonBody } from './http/json-body.ts'
import { createKeyQueue } from './http/key-queue.ts'
import { NO_SCHEMAS } from './http/no-schemas.ts'
import { type AnyHandler, compileAuthentication, compilePipeline, type PipelineOptions } from './http/pipeline.ts'
import { registerRest } from './http/rest.ts'
import { countStreams, registerStream } from './http/stream.ts'
import { registerTrpc } from './http/trpc.ts'
import { registerUnknownRoute } from './http/unknown-route.ts'
import { registerImportUpload } from './imports/upload.ts'
import { registerMcp } from './mcp/routes.ts'
import { registerImages } from './media/images.ts'
import { registerMedia } from './media/routes.ts'
import { oauthPages, registerOAuth } from './oauth/routes.ts'
import { registerBacklogMetrics } from './observability/backlog-metrics.ts'
import { countForeignRows } from './observability/foreign-rows.ts'
import type { Log } from './observability/log.ts'
import { registerLoopDelay } from './observability/loop-delay.ts'
import { type ProbeOptions, registerProbes } from './observability/probes.ts'
import { registerRequestMetrics } from './observability/request-metrics.ts'
import { registerReference } from './openapi/reference.ts'
import { registerPages } from './pages/routes.ts'
import type { GivenServices } from './services.ts'
import { registerUploads, type UploadsOptions } from './uploads/routes.ts'
import { registerWeb } from './web/routes.ts'

const SAFE_REQUEST_ID = /^[A-Za-z0-9._:-]{1,128}$/
const MAX_ROUTE_PARAMETER = 2_000
const HEADERS_TIMEOUT_MS = 60_000
const BODY_TIMEOUT_MS = 60_000
const MEDIA_STALL_MS = 120_000

export interface AppOptions extends Omit<PipelineOptions, 'services' | 'onForeignRow'>, Omit<ProbeOptions, 'database' | 'metrics'> {
  contracts: OperationTree
  services: GivenServices
  baseUrl: string
  version: string
  log: Log
  metrics: Registry
  /** The folder of the workspace `web`, whose build may be missing yet. */
  webFolder: string
  /** How long `close` waits for requests in flight. */
  drainMs: number
  /** How often a stream is authorized again; 15 seconds unless given. */
  streamHeartbeatMs?: number
  /** How long a reader of a stream or an export that takes nothing may delay a stop; a second unless given. */
  streamGraceMs?: number
  /** How long the body of a request may take to arrive; a minute unless given. */
  bodyTimeoutMs?: number
  /** Limits of uploads; those of the service unless given. */
  uploads?: Pick<UploadsOptions, 'stallMs' | 'maxActive'>
  /** Whether clips and posters are redirected to the store, which must be able to sign addresses; not unless given. */
  redirectsMedia?: boolean
  /** Where redirected clips and posters are, as a source of a Content-Security-Policy. */
  mediaOrigin?: string | null
  /** The priority of the threads that hash passwords, below that of serving other requests, as of `nice`: 10 unless given. */
  passwordNiceness?: number
  /** How long a client may read nothing of a file; two minutes unless given. */
  mediaStallMs?: number
  /** Which proxies' forwarding headers are trusted (Fastify's `trustProxy`). */
  trustProxy: false | string[] | ((address: string, hop: number) => boolean)
}

/** Builds the HTTP side of the service. Reads as a table of contents. */
export async function buildApp(options: AppOptions): Promise<FastifyInstance> {
  const app = createServer(options)
  registerDrain(app, { timeoutMs: options.drainMs })
  registerRequestMetrics(app, options.metrics)
  registerBacklogMetrics(options.metrics, options)
  registerLoopDelay(app, options.metrics)
  registerCors(app)
  if (options.trustProxy === false) registerForwardingWarning(app)
  registerHeaders(app, options.version)
  registerBodyTimeout(app, { timeoutMs: options.bodyTimeoutMs ?? BODY_TIMEOUT_MS })
  registerUnknownRoute(app)
  app.setErrorHandler((error, request, reply) => sendFailure(error, request, reply))
  registerJsonBody(app)
  registerProbes(app, options)
  await registerReference(app, {
    // What builds it is loaded when somebody asks for it.
    document: async () => (await import('./openapi/document.ts')).buildDocument(options.contracts, options),
  })
  registerDocs(app, options)

  const jwtKeys = createJwtKeys(options.database, options.services.secretBox)
  // The first start creates the first key. Fails the start when the secret key is not the one that sealed the keys.
  app.addHook('onReady', async () => void (await jwtKeys.signing()))
  const operations = listOperations(options.contracts)
  const services = {
    ...options.services,
    passwords: createPasswords({ niceness: options.passwordNiceness }),
    sessions: createSessions(options.baseUrl),
    deviceOf: createDeviceCookies(options.services.secretBox, options.baseUrl),
    accessJwts: createAccessJwts(jwtKeys, options.baseUrl),
    keyQueue: createKeyQueue(),
    baseUrl: options.baseUrl,
    rateLimitMultiplier: options.rateLimitMultiplier,
    nudge: () => options.onCommit(null),
  }
  app.addHook('onClose', services.passwords.close)
  const pipelineOptions = { ...options, services, onForeignRow: countForeignRows(options.metrics) }
  const pipelines = operations.map((named) => compilePipeline(named, handlerOf(named), pipelineOptions))
  const streaming = { feedPolls: createFeedPolls(options.database), openStreams: countStreams(options.streamGraceMs) }
  for (const pipeline of pipelines) {
    const { stream } = pipeline.named.operation
    const { baseUrl, streamHeartbeatMs: heartbeatMs, streamGraceMs: graceMs } = options
    if (stream === 'events') registerStream(app, pipeline, { ...streaming, baseUrl, heartbeatMs })
    else if (stream === 'records') registerExport(app, pipeline, { baseUrl, heartbeatMs, graceMs })
    else registerRest(app, pipeline, { ...options, resourcePath: retrievePathOf(options.contracts, pipeline.named) })
  }
  registerFiles(app, options, pipelineOptions)
  const everywhere = pipelines.filter(({ named }) => isEverywhere(named.operation))
  const authenticate = compileAuthentication(pipelineOptions)
  await registerTrpc(app, everywhere, { baseUrl: options.baseUrl, authenticate })
  registerMcp(app, everywhere, { ...options, authenticate })
  const pages = { database: options.database, services, baseUrl: options.baseUrl }
  const { webFolder, mediaOrigin = null } = options
  await registerPages(app, { ...pages, webFolder }, oauthPages)
  await registerOAuth(app, pages)
  await registerWeb(app, { ...pages, webFolder, mediaOrigin, pipelines })
  return app
}

/** Headers of every response. */
function registerHeaders(app: FastifyInstance, version: string): void {
  // With a callback, as all hooks that wait for nothing: a promise for each request and hook costs more than what they do.
  app.addHook('onRequest', (request, reply, done) => {
    reply.header('x-request-id', request.id).header('earshot-version', version)
    done()
  })
}

/** What carries files: uploads, and the media that became of them. */
function registerFiles(app: FastifyInstance, options: AppOptions, pipelineOptions: PipelineOptions): void {
  const { blobStore, secretBox } = options.services
  const { baseUrl, database } = options
  registerImportUpload(app, { compile: (named, handler) => compilePipeline(named, handler, pipelineOptions), blobStore, baseUrl })
  registerUploads(app, { ...options, ...options.uploads, blobStore })
  const { redirectsMedia: redirects = false, mediaStallMs: stallMs = MEDIA_STALL_MS } = options
  registerMedia(app, { database, blobStore, secretBox, redirects, stallMs })
  registerImages(app, { database })
}

function createServer({ log, trustProxy }: AppOptions): FastifyInstance {
  return fastify({
    schemaController: NO_SCHEMAS,
    loggerInstance: log,
    logController: new LogController({ disableRequestLogging: true }),
    trustProxy,
    bodyLimit: sizes.bodyBytes,
    // For the headers alone; see body-timeout.ts for the body.
    requestTimeout: 0,
    http: { maxHeaderSize: sizes.headerBytes, headersTimeout: HEADERS_TIMEOUT_MS },
    connectionTimeout: 0,
    keepAliveTimeout: 65_000,
    forceCloseConnections: 'idle',
    // Requests on open connections are served during shutdown; see drain.ts.
    return503OnClosing: false,
    genReqId: ({ headers }) => safeRequestId(headers['x-request-id']) ?? randomUUID(),
    clientErrorHandler: sendClientError,
    frameworkErrors: (error, request, reply) => void sendFailure(error, request, reply),
    routerOptions: { ignoreTrailingSlash: true, maxParamLength: MAX_ROUTE_PARAMETER },
  }) as unknown as FastifyInstance
}

/** Returns the client's request id, if it is a safe one. */
function safeRequestId(header: string | string[] | undefined): string | null {
  return typeof header === 'string' && SAFE_REQUEST_ID.test(header) ? header : null
}

/** Finds the handler of an operation by its name. */
function handlerOf({ name }: NamedOperation): AnyHandler {
  const found = name.split('.').reduce<unknown>((tree, key) => (tree as Record<string, unknown> | undefined)?.[key], ownHandlers)
  if (typeof found !== 'function') throw new Error(`${name} has no handler`)
  return found as AnyHandler
}

/** Returns the path of the created resource: that of the sibling operation `retrieve`. */
function retrievePathOf(tree: OperationTree, { name }: NamedOperation): string | null {
  const siblings = name
    .split('.')
    .slice(0, -1)
    .reduce<OperationTree>((node, key) => node[key] as OperationTree, tree)
  const { retrieve } = siblings
  return retrieve && isOperation(retrieve) ? retrieve.path : null
}
