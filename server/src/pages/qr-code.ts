import { renderSVG } from 'uqr'

/** A text as a picture that a page can hold without loading anything. */
export function qrCode(text: string): string {
  // A border of four, which readers expect (ISO/IEC 18004 §6.3.8).
  return `data:image/svg+xml,${encodeURIComponent(renderSVG(text, { border: 4 }))}`
}
