import { count, type SendingTexts } from './page-data.ts'

/** How near to the limit it is counted. */
const NEAR = 500

/** Says how much room a text has left, once it is near its limit. */
export function countCharacters(input: HTMLTextAreaElement, place: HTMLElement, max: number, texts: SendingTexts): void {
  const show = () => {
    // Cheap for most: a character has one or two units.
    const left = input.value.length < max - NEAR ? max : max - [...input.value].length
    place.textContent = textOf(left, texts)
    place.classList.toggle('over', left < 0)
  }
  input.addEventListener('input', show)
  show()
}

function textOf(left: number, { script }: SendingTexts): string {
  if (left > NEAR) return ''
  return left < 0 ? count(script.charactersOver, -left) : count(script.charactersLeft, left)
}
