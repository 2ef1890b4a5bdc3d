import { writeSync } from 'node:fs'
import process from 'node:process'
import { emitKeypressEvents, type Key } from 'node:readline'

/** Sequences of ECMA-48 and xterm: the other screen, the cursor, and marks around what is pasted. */
const OPEN = '\u001b[?1049h\u001b[?25l\u001b[?2004h'
const CLOSE = '\u001b[?2004l\u001b[?25h\u001b[?1049l'
const HOME = '\u001b[H'
const CLEAR_LINE = '\u001b[K'
const CLEAR_REST = '\u001b[J'

const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const

/** A signal that asks the process to end. */
export type EndSignal = (typeof SIGNALS)[number]

/** A key as it was pressed: a letter, or a name such as `return`, `backspace`, `left` or `ctrl-c`. Text that is pasted is one key, `paste`. */
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
  /** The process goes on, so that the listener can end it in order. A terminal that is gone counts as SIGHUP. */
  onSignal: (listener: (signal: EndSignal) => void) => void
}

/** Opens the screen of this process. What was on the terminal before is there again when it is closed. */
export function openScreen(): Screen {
  const { stdin, stdout } = process
  const signals = catchSignals()
  let drawn = ''
  const close = () => {
    stdin.setRawMode(false)
    stdin.pause()
    if (signals.isHungUp()) writeIfPossible(CLOSE)
    else stdout.write(CLOSE)
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
      const frame = `${HOME}${shown.join('\r\n')}${CLEAR_REST}`
      if (frame !== drawn && !signals.isHungUp()) stdout.write(frame)
      drawn = frame
    },
    onKey: (listener) => void stdin.on('keypress', keyReader(listener)),
    onResize: (listener) =>
      void stdout.on('resize', () => {
        drawn = ''
        listener()
      }),
    onSignal: signals.tell,
    [Symbol.dispose]: () => {
      process.off('exit', close)
      stdin.removeAllListeners('keypress')
      stdout.removeAllListeners('resize')
      signals.release()
      close()
    },
  }
}

/** Keeps signals from ending the process. */
function catchSignals() {
  let listener: ((signal: EndSignal) => void) | undefined
  let isHungUp = false
  const receive = (signal: EndSignal) => {
    isHungUp ||= signal === 'SIGHUP'
    listener?.(signal)
  }
  const hangUp = () => receive('SIGHUP')
  for (const signal of SIGNALS) process.on(signal, receive)
  // A terminal that is gone fails to be read and written.
  process.stdin.on('end', hangUp).on('error', hangUp)
  process.stderr.on('error', hangUp)
  return {
    isHungUp: () => isHungUp,
    tell: (given: (signal: EndSignal) => void) => {
      listener = given
    },
    /** SIGHUP stays without effect: it comes twice when a window is closed, from the system and from the shell. */
    release: () => {
      process.off('SIGINT', receive).off('SIGTERM', receive)
    },
  }
}

/** An asynchronous write to a terminal that is gone would end the process. */
function writeIfPossible(text: string): void {
  try {
    writeSync(process.stdout.fd, text)
  } catch {
    // There is nobody to see it.
  }
}

/** Returns a listener of readline's keys that puts together what is pasted, in one line. */
function keyReader(listener: (key: PressedKey) => void): (text: string | undefined, key: Key) => void {
  let pasted: string | null = null
  return (text, key) => {
    if (key.name === 'paste-start') pasted = ''
    else if (key.name === 'paste-end') {
      listener({ name: 'paste', text: (pasted ?? '').replace(/\r\n|\s/g, ' ') })
      pasted = null
    } else if (pasted === null) listener(pressedKey(text, key))
    else pasted += /^\s$/.test(text ?? '') ? text : pressedKey(text, key).text
  }
}

function pressedKey(text: string | undefined, { name, ctrl, meta }: Key): PressedKey {
  // Readline takes Escape for the beginning of Alt and another key, which did not come.
  if (name === 'escape') return { name, text: '' }
  if (ctrl || meta) return { name: `${ctrl ? 'ctrl' : 'alt'}-${name}`, text: '' }
  // biome-ignore lint/suspicious/noControlCharactersInRegex: keys such as Escape come as control characters.
  const isText = text !== undefined && !/[\u0000-\u001f\u007f]/.test(text)
  return { name: name ?? text ?? '', text: isText ? text : '' }
}
