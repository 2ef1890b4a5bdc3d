const COLOR = /^#[0-9a-f]{6}$/i
/** WCAG 2.2, 1.4.3 for text. */
const LEAST_CONTRAST = 4.5

export function isColor(text: string): boolean {
  return COLOR.test(text)
}

/** Says whether text in the colour reads on white and on black, where the service shades it otherwise. Null if it reads on both. */
export function contrastHint(color: string): string | null {
  if (!isColor(color)) return null
  const luminance = luminanceOf(color)
  const [onWhite, onBlack] = [1.05 / (luminance + 0.05), (luminance + 0.05) / 0.05]
  const shown = (contrast: number) => `${contrast.toFixed(1)} : 1`
  if (onWhite < LEAST_CONTRAST)
    return `Text in this colour is hard to read on white (${shown(onWhite)}). Light widgets use a darker shade of it.`
  if (onBlack < LEAST_CONTRAST)
    return `Text in this colour is hard to read on black (${shown(onBlack)}). Dark widgets use a lighter shade of it.`
  return null
}

/** WCAG 2.2, "relative luminance". */
function luminanceOf(color: string): number {
  const [red = 0, green = 0, blue = 0] = [1, 3, 5].map((start) => linear(Number.parseInt(color.slice(start, start + 2), 16) / 255))
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue
}

function linear(channel: number): number {
  return channel <= 0.040_45 ? channel / 12.92 : ((channel + 0.055) / 1.055) ** 2.4
}
