/** Where responses come from, in words. */
export const channels = [
  { value: 'public', label: 'Survey page' },
  { value: 'api', label: 'API' },
  { value: 'dashboard', label: 'Dashboard' },
  { value: 'import', label: 'Import' },
  { value: 'mcp', label: 'Agent (MCP)' },
] as const

export function channelName(channel: string): string {
  return channels.find(({ value }) => value === channel)?.label ?? channel
}
