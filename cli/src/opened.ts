/** Pages of the service, by what they are called. */
export const PAGES: Readonly<Record<string, string>> = {
  dashboard: 'app/',
  account: 'accounts/',
  tokens: 'accounts/tokens/',
  docs: 'api/docs/',
}

/** What can be opened. */
export const OPENED = [...Object.keys(PAGES), 'project', 'submission']
