import type { ShelfFile } from './shelf.ts'

const UNSUPPORTED = { refused: 'unsupported_media' } as const
const CORRUPT = { refused: 'corrupt' } as const

/** Bytes that are no video, or only look like one. `url` is an address that nothing must open, and `path` a file. */
export function hostileFiles({ url, path }: { url: string; path: string }): ShelfFile[] {
  return [
    { name: 'empty.mp4', bytes: () => Buffer.alloc(0), outcome: CORRUPT },
    { name: 'zeros.mp4', bytes: () => Buffer.alloc(100_000), outcome: 'ends' },
    { name: 'text.mp4', bytes: () => Buffer.from('This is no video.'), outcome: UNSUPPORTED },
    { name: 'archive.mp4', bytes: () => Buffer.from(`PK\x03\x04${'\0'.repeat(200)}`, 'latin1'), outcome: UNSUPPORTED },
    {
      name: 'picture.mp4',
      bytes: () => Buffer.from(`<svg xmlns="http://www.w3.org/2000/svg"><image href="${url}"/></svg>`),
      outcome: UNSUPPORTED,
    },
    {
      name: 'playlist.mp4',
      bytes: () => Buffer.from(`#EXTM3U\n#EXT-X-TARGETDURATION:1\n#EXTINF:1,\n${url}\n#EXT-X-ENDLIST\n`),
      outcome: UNSUPPORTED,
    },
    {
      name: 'local-playlist.mp4',
      bytes: () => Buffer.from(`#EXTM3U\n#EXT-X-TARGETDURATION:1\n#EXTINF:1,\nfile://${path}\n#EXT-X-ENDLIST\n`),
      outcome: UNSUPPORTED,
    },
    { name: 'concat.mp4', bytes: () => Buffer.from(`ffconcat version 1.0\nfile '${path}'\nfile '${url}'\n`), outcome: UNSUPPORTED },
    { name: 'reference.mov', bytes: () => Buffer.concat([box('ftyp', 'qt  \0\0\0\0'), box('moov', referenceTo(path))]), outcome: CORRUPT },
    {
      name: 'sound.mp3',
      bytes: () => Buffer.from(`ID3\x03\0\0\0\0\0\0\xff\xfb\x90\0${'\0'.repeat(2000)}`, 'latin1'),
      outcome: UNSUPPORTED,
    },
    { name: 'old.avi', bytes: () => Buffer.from(`RIFF\xff\xff\0\0AVI LIST${'\0'.repeat(200)}`, 'latin1'), outcome: UNSUPPORTED },
    {
      name: 'stream.ts',
      bytes: () => Buffer.alloc(188 * 20, Buffer.from(`G@\0\x10${'\xff'.repeat(184)}`, 'latin1')),
      outcome: UNSUPPORTED,
    },
    { name: 'no-contents.mp4', bytes: () => box('ftyp', 'isom\0\0\0\0'), outcome: CORRUPT },
    { name: 'no-tracks.mp4', bytes: () => Buffer.concat([box('ftyp', 'isom\0\0\0\0'), box('moov', '')]), outcome: CORRUPT },
    {
      name: 'many-tracks.mp4',
      bytes: () => Buffer.concat([box('ftyp', 'isom\0\0\0\0'), box('moov', box('trak', '').toString('latin1').repeat(100_000))]),
      outcome: 'ends',
    },
    { name: 'deep.mp4', bytes: () => Buffer.concat([box('ftyp', 'isom\0\0\0\0'), nested(20_000)]), outcome: CORRUPT },
    {
      name: 'endless-box.mp4',
      bytes: () => Buffer.concat([box('ftyp', 'isom\0\0\0\0'), Buffer.from('\x7f\xff\xff\xffmoov', 'latin1')]),
      outcome: CORRUPT,
    },
    {
      name: 'large-contents.mp4',
      bytes: () => Buffer.concat([box('ftyp', 'isom\0\0\0\0'), box('moov', '\0'.repeat(40_000_000))]),
      outcome: CORRUPT,
    },
    {
      name: 'header.webm',
      bytes: () => Buffer.from('1a45dfa39f4286810142f7810142f2810442f381084282847765626d42878102428581', 'hex'),
      outcome: 'ends',
    },
    { name: 'empty-clusters.webm', bytes: emptyClusters, outcome: 'ends' },
  ]
}

/** A WebM of 265 bytes that keeps the parser of mediabunny 1.61.0 busy for ever. */
export const ENDLESS_WEBM = [
  'GkXfoxAAAB9ChoEBQveBAULygQRC84EIQoKEd2VibUKHgQRChYECGFOAZ/8VSalmEAAAMSrXsYMPQkBNgJJNZWRpYWJ1bm55IHYxLjYxLjBXQZJNZWRpYWJ1',
  'bm55IHYxLjYxLjAWVK5rEAAAd64QAAAn14EBc8WBAYOBAZyBACK1nIN1bmSGheVfVlA44BAAAAewggFAuoG0rhAAAEbXgQJzxYECg4ECnIEAIrWcg3VuZIaG',
  'QV9PUFVTY6KTT3B1c0hlYWQBAjgBgLsAAAAAAFa7g2MuoOEQAAAJtYRHO4AAn4ECH0O2c//ngQCjEAAaOYEAAIDwYgCdAipAAbQAAAcIhYWImYSIAg==',
].join('')

/** ISO/IEC 14496-12 §4.2. */
function box(name: string, content: string): Buffer {
  const bytes = Buffer.from(`\0\0\0\0${name}${content}`, 'latin1')
  bytes.writeUInt32BE(bytes.length)
  return bytes
}

function referenceTo(path: string): string {
  return box('rmra', box('rmda', box('rdrf', `\0\0\0\0url \0\0\0\x40file://${path}\0`).toString('latin1')).toString('latin1')).toString(
    'latin1',
  )
}

function nested(depth: number): Buffer {
  const size = 8 * depth
  const bytes = Buffer.alloc(size)
  for (let level = 0; level < depth; level++) {
    bytes.writeUInt32BE(size - 8 * level, 8 * level)
    bytes.write(level === 0 ? 'moov' : 'trak', 8 * level + 4, 'latin1')
  }
  return bytes
}

/** Matroska: a segment of unknown size with nothing but clusters of no size. */
function emptyClusters(): Buffer {
  const header = Buffer.from('1a45dfa38442828477656218538067'.slice(0, 8), 'hex')
  const document = Buffer.concat([header, Buffer.from('87', 'hex'), Buffer.from('4282847765626d', 'hex')])
  const segment = Buffer.from('1853806701ffffffffffffff', 'hex')
  return Buffer.concat([document, segment, Buffer.alloc(5 * 50_000, Buffer.from('1f43b67580', 'hex'))])
}
