/** The addresses of a `DATABASE_URL`, which may name several servers, as libpq reads it. */
export interface Servers {
  /** One URL per server. */
  urls: string[]
  /** Whether connections must reach a server that accepts writes: it has several servers, or asks for such a one. */
  isPrimaryWanted: boolean
}

const PARTS = /^(postgres(?:ql)?:\/\/(?:[^@/?]*@)?)([^/?]*)([^?]*)(?:\?(.*))?$/
const SESSION_ATTRS = 'target_session_attrs'
/** A replica that accepts no writes is of no use, so both values mean the same here. */
const PRIMARY_ATTRS = new Set(['read-write', 'primary'])

/** Splits a URL into those of its servers. Returns null when it is none of PostgreSQL, or asks for other servers than writable ones. */
export function readServers(url: string): Servers | null {
  const [, start = '', authorities = '', path = '', query = ''] = PARTS.exec(url) ?? []
  if (start === '') return null
  const parameters = query.split('&').filter(Boolean)
  const attrs = parameters.find((parameter) => parameter.startsWith(`${SESSION_ATTRS}=`))?.slice(SESSION_ATTRS.length + 1)
  if (attrs !== undefined && !PRIMARY_ATTRS.has(attrs)) return null
  const rest = parameters.filter((parameter) => !parameter.startsWith(`${SESSION_ATTRS}=`)).join('&')
  const urls = authorities.split(',').map((authority) => `${start}${authority}${path}${rest && `?${rest}`}`)
  if (!urls.every((one) => URL.canParse(one))) return null
  return { urls, isPrimaryWanted: urls.length > 1 || attrs !== undefined }
}
