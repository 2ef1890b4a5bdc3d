export { type Client, createClient, type Export, type ExportOptions } from './client.ts'
export { EarshotApiError, EarshotConnectionError, EarshotTimeoutError } from './errors.ts'
export type { PagedPromise } from './pages.ts'
export type { CallOptions, ClientOptions } from './request.ts'
export type { ExpiredCursor, Streamed, StreamOptions } from './stream.ts'
export { type UploadFile, type UploadOptions, uploadImportFile } from './upload.ts'
export {
  type ReserveAndUploadOptions,
  type UploadProgress,
  type UploadVideoInput,
  type UploadVideoOptions,
  uploadVideoFile,
} from './upload-video.ts'
export type { VideoFile } from './video-source.ts'
