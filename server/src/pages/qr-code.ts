import { renderSVG } from 'uqr'

/** Returns a QR code of a text as a data URL, which a page shows without loading anything. */
export function qrCode(text: string): string {
  // The quiet zone is four modules wide (ISO/IEC 18004 §6.3.8).
  return `data:image/svg+xml,${encodeURIComponent(renderSVG(text, { border: 4 }))}`
}
