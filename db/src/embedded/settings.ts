/** The server's environment: nothing from this process, so that no PGDATA, PGPORT or LANG of the operator's shell reaches it. */
export const SERVER_ENVIRONMENT = { PATH: '/usr/bin:/bin', TZ: 'UTC', LC_ALL: 'C' }

/** `fsync`, `full_page_writes` and `synchronous_commit` stay on: a commit that is acknowledged is on the disk. */
const SETTINGS: Readonly<Record<string, string>> = {
  listen_addresses: '',
  unix_socket_permissions: '0700',
  max_connections: '100',
  shared_buffers: '128MB',
  effective_cache_size: '512MB',
  work_mem: '8MB',
  maintenance_work_mem: '64MB',
  // Solid-state disks: an index page costs little more than the next page.
  random_page_cost: '1.1',
  // Short statements: compiling them costs more than it saves.
  jit: 'off',
  timezone: 'UTC',
  max_wal_size: '1GB',
  checkpoint_timeout: '15min',
  wal_compression: 'on',
  // The embedded server has no replicas.
  max_wal_senders: '0',
  max_logical_replication_workers: '0',
  wal_level: 'minimal',
  log_timezone: 'UTC',
  // Errors of statements go to the client; the log shows no values, which may be personal data.
  log_min_messages: 'log',
  log_min_error_statement: 'panic',
  log_error_verbosity: 'terse',
  log_checkpoints: 'off',
  log_line_prefix: '%m [%p] ',
}

/** Returns the arguments of `postgres`, the same at every start, whichever version created the cluster. */
export function serverArguments(data: string, socketDir: string): string[] {
  const settings = Object.entries({ ...SETTINGS, unix_socket_directories: socketDir })
  return ['-D', data, ...settings.flatMap(([name, value]) => ['-c', `${name}=${value}`])]
}
