/** A browser with one tab, driven as a person would: by keys and a pointer. */
export interface OtherBrowser extends AsyncDisposable {
  name: string
  open: (url: string) => Promise<void>
  /** Resolves to the value of an expression of the page; it may be a promise. */
  evaluate: <T>(expression: string) => Promise<T>
  /** Performs actions of WebDriver, which all browsers have in common. */
  perform: (actions: readonly Actions[]) => Promise<void>
  /** Makes the page as large as this. */
  resize: (width: number, height: number) => Promise<void>
  /** Returns a PNG of the window. */
  picture: () => Promise<Buffer>
  /** What the browser reported since the last time: errors of scripts, warnings, breaches of policies. */
  takeComplaints: () => string[]
}

/** Actions of one device (W3C WebDriver, §15). */
interface Actions {
  type: 'key' | 'pointer'
  id: string
  actions: readonly Record<string, string | number>[]
}

const KEYS: Record<string, string> = {
  ...{ Tab: '\uE004', Enter: '\uE007', Shift: '\uE008', Control: '\uE009', Escape: '\uE00C', End: '\uE010', Home: '\uE011' },
  ...{ ArrowLeft: '\uE012', ArrowUp: '\uE013', ArrowRight: '\uE014', ArrowDown: '\uE015', Delete: '\uE017' },
}

/** Presses a key by its name, or a character; `Shift+Tab` presses both. */
export function pressKey(key: string): readonly Actions[] {
  const values = key.split(/(?<=.)\+/).map((name) => KEYS[name] ?? name)
  const down = values.map((value) => ({ type: 'keyDown', value }))
  const up = values.toReversed().map((value) => ({ type: 'keyUp', value }))
  return [{ type: 'key', id: 'keyboard', actions: [...down, ...up] }]
}

/** Types a text, character by character. */
export function typeText(text: string): readonly Actions[] {
  const actions = [...text].flatMap((value) => [
    { type: 'keyDown', value },
    { type: 'keyUp', value },
  ])
  return [{ type: 'key', id: 'keyboard', actions }]
}

/** Clicks at a point of the window. */
export function clickAt(x: number, y: number): readonly Actions[] {
  const move = { type: 'pointerMove', x: Math.round(x), y: Math.round(y) }
  return [{ type: 'pointer', id: 'mouse', actions: [move, { type: 'pointerDown', button: 0 }, { type: 'pointerUp', button: 0 }] }]
}
