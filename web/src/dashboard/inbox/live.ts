/** Placeholder until the stream. */
export function useLive(): 'live' | 'connecting' | 'off' {
  return 'off'
}
