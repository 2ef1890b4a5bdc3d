export { startEmbeddedPostgres } from './cluster.ts'
export { connectEmbedded } from './connect.ts'
export { EmbeddedPostgresError } from './errors.ts'
