import { readFile } from 'node:fs/promises'

/** A page that renders the document, with all of its files served by this service. */
export interface Page {
  /** The canonical path, with the files below it. */
  path: string
  html: string
  contentSecurityPolicy: string
  files: readonly PageFile[]
}

interface PageFile {
  path: string
  contentType: string
  read: () => Promise<string | Buffer>
}

const SCRIPT = 'text/javascript; charset=utf-8'
const STYLE = 'text/css; charset=utf-8'
/** Hashes of the inline styles of ReDoc: empty elements that it fills with rules, and one rule for its scroll bars. */
const REDOC_STYLES = "'sha256-47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=' 'sha256-QMIg+bpjm3JdElJ388KYke01izlUW0UoNOeKjpMxdgc='"

/** Returns the pages, which load the document from `schemaPath`. */
export function pagesOf(schemaPath: string): readonly Page[] {
  return [swaggerUi('/api/docs/', schemaPath), redoc('/api/redoc/', schemaPath)]
}

function swaggerUi(path: string, schemaPath: string): Page {
  // Swagger UI renders only some of more than 140 operations that are open at once.
  const options = {
    url: schemaPath,
    dom_id: '#page',
    docExpansion: 'none',
    deepLinking: true,
    displayRequestDuration: true,
    validatorUrl: null,
  }
  const start = `SwaggerUIBundle({ ...${JSON.stringify(options)}, plugins: [CodeSamples] })\n`
  return {
    path,
    html: html({
      title: 'Earshot API',
      path,
      styles: ['swagger-ui.css'],
      scripts: ['swagger-ui-bundle.js', 'code-samples.js', 'start.js'],
    }),
    contentSecurityPolicy: contentSecurityPolicy("style-src 'self'"),
    files: [
      {
        path: 'swagger-ui.css',
        contentType: STYLE,
        read: () => readFile(new URL(import.meta.resolve('@fastify/swagger-ui/static/swagger-ui.css'))),
      },
      {
        path: 'swagger-ui-bundle.js',
        contentType: SCRIPT,
        read: () => readFile(new URL(import.meta.resolve('@fastify/swagger-ui/static/swagger-ui-bundle.js'))),
      },
      { path: 'code-samples.js', contentType: SCRIPT, read: () => readFile(new URL('code-samples.js', import.meta.url)) },
      { path: 'start.js', contentType: SCRIPT, read: async () => start },
    ],
  }
}

function redoc(path: string, schemaPath: string): Page {
  const fontFamily = 'system-ui, sans-serif'
  const options = { theme: { typography: { fontFamily, headings: { fontFamily } } } }
  const start = `Redoc.init(${JSON.stringify(schemaPath)}, ${JSON.stringify(options)}, document.getElementById('page'))\n`
  return {
    path,
    html: html({ title: 'Earshot API reference', path, styles: ['page.css'], scripts: ['redoc.standalone.js', 'start.js'] }),
    // Its search runs in a worker that it creates from a blob.
    contentSecurityPolicy: contentSecurityPolicy(`style-src 'self' ${REDOC_STYLES}`, 'worker-src blob:'),
    files: [
      { path: 'page.css', contentType: STYLE, read: async () => 'body { margin: 0 }\n' },
      { path: 'redoc.standalone.js', contentType: SCRIPT, read: readRedoc },
      { path: 'start.js', contentType: SCRIPT, read: async () => start },
    ],
  }
}

/** Removes ReDoc's logo, which it would load from another site. */
async function readRedoc(): Promise<string> {
  const text = await readFile(new URL(import.meta.resolve('redoc/bundles/redoc.standalone.js')), 'utf8')
  return text.replaceAll('https://cdn.redoc.ly/redoc/logo-mini.svg', 'data:,')
}

function html({
  title,
  path,
  styles,
  scripts,
}: {
  title: string
  path: string
  styles: readonly string[]
  scripts: readonly string[]
}): string {
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${title}</title>
<link rel="icon" href="data:,">
${styles.map((name) => `<link rel="stylesheet" href="${path}${name}">\n`).join('')}</head>
<body>
<div id="page"></div>
${scripts.map((name) => `<script src="${path}${name}"></script>\n`).join('')}</body>
</html>
`
}

/** Allows only what this service serves itself. */
function contentSecurityPolicy(...more: readonly string[]): string {
  return [
    "default-src 'none'",
    "script-src 'self'",
    "connect-src 'self'",
    "img-src 'self' data:",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
    ...more,
  ].join('; ')
}
