/**
 * Ends this process with exit code 0. An exit waits for the threads of libuv, and a thread that asks the system's resolver for a
 * name whose DNS is silent waits for up to half a minute. Then the process becomes another program, which ends at once.
 */
export function endProcess(): never {
  const isResolving = process.getActiveResourcesInfo().includes('GetAddrInfoReqWrap')
  if (isResolving) process.execve?.(process.execPath, [process.execPath, '--eval', '0'], {})
  process.exit(0)
}
