export { type Client, createClient } from './client.ts'
export { EarshotApiError, EarshotConnectionError, EarshotTimeoutError } from './errors.ts'
export type {
  CallOptions,
  ClientOptions,
  ExpiredCursor,
  Export,
  ExportOptions,
  PagedPromise,
  ReserveAndUploadOptions,
  Streamed,
  StreamOptions,
  UploadFile,
  UploadOptions,
  UploadProgress,
  UploadVideoInput,
  UploadVideoOptions,
  VideoFile,
} from './options.ts'
export { uploadImportFile } from './upload.ts'
export { uploadVideoFile } from './upload-video.ts'
