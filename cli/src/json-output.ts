import { isPage, type Output } from './page.ts'
import { jsonLine, jsonText } from './printable.ts'
import type { Terminal } from './terminal.ts'

/** Prints the response as it is. */
export function jsonOutput({ writeAll }: Terminal): Output {
  return {
    add: async (result) => {
      if (result !== undefined) await writeAll(`${jsonText(result)}\n`)
    },
    end: async () => {},
  }
}

/** Prints one document of all pages, with the fields of the last, while the pages arrive. A failure leaves it without an end. */
export function jsonPagesOutput({ writeAll }: Terminal): Output {
  let last: object = {}
  let count = 0
  return {
    add: async (page) => {
      if (!isPage(page)) return
      last = page
      const items = page.results.map((record) => `${count++ === 0 ? '{\n  "results": [\n    ' : ',\n    '}${indented(record, 4)}`)
      if (items.length > 0) await writeAll(items.join(''))
    },
    end: async () => {
      const fields = Object.entries(last).filter(([name]) => name !== 'results')
      const others = fields.map(([name, value]) => `,\n  ${JSON.stringify(name)}: ${indented(value, 2)}`)
      await writeAll(`${count === 0 ? '{\n  "results": []' : '\n  ]'}${others.join('')}\n}\n`)
    },
  }
}

/** Prints one line of JSON for each record. */
export function linesOutput({ writeAll }: Terminal): Output {
  return {
    add: async (page) => {
      const records = isPage(page) ? page.results : [page]
      if (records.length > 0) await writeAll(`${records.map(jsonLine).join('\n')}\n`)
    },
    end: async () => {},
  }
}

function indented(value: unknown, spaces: number): string {
  return jsonText(value).replaceAll('\n', `\n${' '.repeat(spaces)}`)
}
