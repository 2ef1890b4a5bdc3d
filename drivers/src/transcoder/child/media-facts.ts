/** What the parent learns of a file before it is transcoded. */
export interface MediaFacts {
  container: 'mov' | 'matroska'
  durationSeconds: number
  framesPerSecond: number
  /** Of the pictures as they are shown: turned, with square pixels. */
  width: number
  height: number
  /** Among the video tracks of the file, from 0. */
  videoIndex: number
  /** Among its audio tracks; null without sound. */
  audioIndex: number | null
  /** Whether the container says that its pictures are HDR (PQ or HLG). */
  isHdr: boolean
  /** Whether its tracks can be copied into a clip as they are, as far as the container says. */
  isFitForWeb: boolean
}
