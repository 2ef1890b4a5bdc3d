import process from 'node:process'
import { emitKeypressEvents, type Key } from 'node:readline'

/** Sequences of ECMA-48 and xterm: the other screen, and the cursor. */
const OPEN = '\u001b[?1049h\u001b[?25l'
const CLOSE = '\u001b[?25h\u001b[?1049l'
const HOME = '\u001b[H'
const CLEAR_LINE = '\u001b[K'
const CLEAR_REST = '\u001b[J'

/** A key as it was pressed: a letter, or a name such as `return`, `backspace`, `left` or `ctrl-c`. */
export interface PressedKey {
  name: string
  /** What it writes in a text; empty for keys that write nothing. */
  text: string
}

/** A terminal that a command has for itself, and reads key by key. */
export interface Screen extends Disposable {
  size: () => { columns: number; rows: number }
  /** Shows lines from the top, and nothing else. */
  draw: (lines: readonly string[]) => void
  onKey: (listener: (key: PressedKey) => void) => void
  onResize: (listener: () => void) => void
}

/** Opens the screen of this process. What was on the terminal before is there again when it is closed. */
export function openScreen(): Screen {
  const { stdin, stdout } = process
  const close = () => {
    stdin.setRawMode(false)
    stdin.pause()
    stdout.write(CLOSE)
  }
  emitKeypressEvents(stdin)
  stdin.setRawMode(true)
  stdin.resume()
  stdout.write(OPEN)
  process.once('exit', close)
  return {
    size: () => ({ columns: stdout.columns, rows: stdout.rows }),
    draw: (lines) => {
      const shown = lines.slice(0, stdout.rows).map((line) => `${line}${CLEAR_LINE}`)
      stdout.write(`${HOME}${shown.join('\r\n')}${CLEAR_REST}`)
    },
    onKey: (listener) => void stdin.on('keypress', (text: string | undefined, key: Key) => listener(pressedKey(text, key))),
    onResize: (listener) => void stdout.on('resize', listener),
    [Symbol.dispose]: () => {
      process.off('exit', close)
      stdin.removeAllListeners('keypress')
      stdout.removeAllListeners('resize')
      close()
    },
  }
}

function pressedKey(text: string | undefined, { name, ctrl, meta }: Key): PressedKey {
  if (ctrl || meta) return { name: `${ctrl ? 'ctrl' : 'alt'}-${name}`, text: '' }
  // biome-ignore lint/suspicious/noControlCharactersInRegex: keys such as Escape come as control characters.
  const isText = text !== undefined && !/[\u0000-\u001f\u007f]/.test(text)
  return { name: name ?? text ?? '', text: isText ? text : '' }
}
