import { ApiError, type WebhookFormat } from '@earshot/contracts'

interface Receiver {
  url: string
  format: WebhookFormat
}

/** The addresses of chats that take only one format. Other hosts may take any: Mattermost and Rocket.Chat read Slack's. */
const chats: readonly { host: RegExp; path: RegExp; format: WebhookFormat; name: string }[] = [
  { host: /^hooks\.slack(-gov)?\.com$/, path: /^/, format: 'slack', name: 'Slack' },
  { host: /^((canary|ptb)\.)?discord(app)?\.com$/, path: /^\/api\/(v\d+\/)?webhooks\/.*\/slack\/?$/, format: 'slack', name: 'Discord' },
  { host: /^((canary|ptb)\.)?discord(app)?\.com$/, path: /^\/api\/(v\d+\/)?webhooks\//, format: 'discord', name: 'Discord' },
  { host: /\.webhook\.office\.com$/, path: /^/, format: 'teams', name: 'Microsoft Teams' },
]

/** Refuses a format that the address of an endpoint does not take. Throws `validation_error`. */
export function requireAcceptedFormat({ url, format }: Receiver): void {
  const { hostname, pathname } = new URL(url)
  // A name may end in a dot (RFC 1034 §3.1).
  const host = hostname.replace(/\.$/, '')
  const chat = chats.find((known) => known.host.test(host) && known.path.test(pathname))
  if (!chat || chat.format === format) return
  const detail = `must be ${chat.format}, because this is an address of ${chat.name}, which takes no other: send "format": "${chat.format}"`
  throw new ApiError('validation_error', { errors: [{ field: 'format', code: 'wrong_format', detail }] })
}
