/** Slices of a segment: each gram belongs to one or two of them. */
export const SLICES = 2_048
/** Slices that a search reads: enough that few records have them all and lack the words. */
const MAX_SLICES = 8

/** From here on a character is a word or a part of one: Chinese and Japanese, mostly. */
const FIRST_IDEOGRAPH = 0x2e80
const WHITESPACE = /\s+/u

interface Gram {
  /** In code points. */
  length: number
  /** Grams of different seeds belong to different slices. */
  seed: number
}

const sign = { length: 1, seed: 1 }
/** Each pair is in two slices: one tells too little. */
const pairs = [
  { length: 2, seed: 2 },
  { length: 2, seed: 3 },
]
const three = { length: 3, seed: 4 }
const four = { length: 4, seed: 5 }
const grams = { ofIdeographs: [sign, ...pairs], ofLetters: [three, four] } satisfies Record<string, Gram[]>

/** Splits a folded text into its words, without empty ones. */
export function wordsOf(folded: string): string[] {
  return folded.split(WHITESPACE).filter((word) => word !== '')
}

/**
 * Calls `visit` with the slices of all grams of a folded text, with some of them more than once. Grams lie within words: every
 * three and four letters that follow each other, and every ideograph and pair of them.
 */
export function visitSlices(folded: string, visit: (slice: number) => void): void {
  for (const run of wordsOf(folded).flatMap(runsOf)) {
    for (const gram of isIdeographic(run) ? grams.ofIdeographs : grams.ofLetters) {
      for (let start = 0; start + gram.length <= run.length; start += 1) visit(sliceOf(run, start, gram))
    }
  }
}

/**
 * Returns up to eight slices that contain every record with all these words, or parts of words: the longest grams, taken from
 * all words in turn. None for words of one or two letters: the index does not know them.
 */
export function slicesOfWords(words: readonly string[]): number[] {
  const perRun = words.flatMap(runsOf).map((run) => spread(longestGramsOf(run)))
  const inTurn = Array.from({ length: MAX_SLICES }, (_value, turn) => perRun.flatMap((slices) => slices[turn] ?? [])).flat()
  return [...new Set(inTurn)].slice(0, MAX_SLICES)
}

function longestGramsOf(run: number[]): number[] {
  if (isIdeographic(run)) return slicesOf(run, run.length === 1 ? [sign] : pairs)
  return slicesOf(run, [run.length === 3 ? three : four])
}

function slicesOf(run: number[], some: Gram[]): number[] {
  return some.flatMap((gram) => {
    const starts = Array.from({ length: Math.max(0, run.length - gram.length + 1) }, (_value, start) => start)
    return starts.map((start) => sliceOf(run, start, gram))
  })
}

/** Takes entries from all over a list first: neighbours share most of their letters. */
function spread(slices: number[]): number[] {
  const step = Math.max(1, Math.ceil(slices.length / MAX_SLICES))
  return slices.filter((_slice, index) => index % step === 0)
}

/** Splits a word where ideographs begin and end, into code points. */
function runsOf(word: string): number[][] {
  const runs: number[][] = []
  for (const character of word) {
    const point = character.codePointAt(0) as number
    const run = runs.at(-1)
    if (run && isIdeographic(run) === point >= FIRST_IDEOGRAPH) run.push(point)
    else runs.push([point])
  }
  return runs
}

function isIdeographic(run: number[]): boolean {
  return (run[0] as number) >= FIRST_IDEOGRAPH
}

/** FNV-1a over code points, with its bits mixed once more: neighbours in the alphabet must not be neighbours here. */
function sliceOf(run: number[], start: number, { length, seed }: Gram): number {
  let hash = Math.imul(2_166_136_261 ^ seed, 16_777_619)
  for (let index = start; index < start + length; index += 1) hash = Math.imul(hash ^ (run[index] as number), 16_777_619)
  hash = Math.imul(hash ^ (hash >>> 15), 0x2c1b3c6d)
  hash = Math.imul(hash ^ (hash >>> 12), 0x297a2d39)
  return (hash ^ (hash >>> 15)) & (SLICES - 1)
}
