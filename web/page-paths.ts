/** A route of the router, as it is written. A route that only redirects, or holds others, may end before its component. */
const ROUTE = /const (\w+) = createRoute\(\{\s*getParentRoute: \(\) => (\w+),\s*path: '([^']*)',?(.*?)\}\)\n/gs
const SOURCE = /import\('\.\/([^']+)'\)/
/** Where the addresses that only redirect lead to. */
const START = 'inbox/inbox.tsx'

/**
 * Returns the paths of each page of the dashboard by the source of its component, read from the text of the router: the document of a
 * page names the files of that page, so that they are not asked for one after the other. Throws when a route cannot be read.
 */
export function pagePathsOf(router: string): Map<string, string[]> {
  const routes = [...router.matchAll(ROUTE)].map(([, name = '', parent = '', path = '', rest = '']) => ({ name, parent, path, rest }))
  if (routes.length !== router.split('createRoute({').length - 1) throw new Error('A route of the dashboard cannot be read')
  const whole = ({ parent, path }: { parent: string; path: string }): string => {
    const above = routes.find(({ name }) => name === parent)
    return (above ? whole(above) : '') + path
  }
  const paths = new Map<string, string[]>([[START, ['/', '/$team']]])
  for (const route of routes) {
    const [, source] = SOURCE.exec(route.rest) ?? []
    if (source !== undefined) paths.set(source, [...(paths.get(source) ?? []), whole(route)])
  }
  return paths
}
