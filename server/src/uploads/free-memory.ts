/**
 * Frees the memory of bytes that nobody needs any more, unless others share it. Without this, it waits for the garbage collector, and V8
 * collects its whole heap for each 64 MB that wait.
 */
export function freeMemory({ buffer, byteLength }: Uint8Array): void {
  if (buffer instanceof ArrayBuffer && buffer.byteLength === byteLength) buffer.transfer(0)
}
