/** The largest picture that is decoded: 8K in either of its shapes. */
export const MAX_PIXELS = 8192 * 4352

const VIDEO_DECODERS: Record<string, string> = {
  avc: 'h264',
  hevc: 'hevc',
  vp8: 'vp8',
  vp9: 'vp9',
  av1: 'libdav1d',
  prores: 'prores',
}

const AUDIO_DECODERS: Record<string, string> = {
  aac: 'aac',
  opus: 'opus',
  mp3: 'mp3float',
  vorbis: 'vorbis',
  flac: 'flac',
  ac3: 'ac3',
  eac3: 'eac3',
  'pcm-s16': 'pcm_s16le',
  'pcm-s16be': 'pcm_s16be',
  'pcm-s24': 'pcm_s24le',
  'pcm-s24be': 'pcm_s24be',
  'pcm-s32': 'pcm_s32le',
  'pcm-s32be': 'pcm_s32be',
  'pcm-f32': 'pcm_f32le',
  'pcm-f32be': 'pcm_f32be',
  'pcm-f64': 'pcm_f64le',
  'pcm-f64be': 'pcm_f64be',
  'pcm-u8': 'pcm_u8',
  'pcm-s8': 'pcm_s8',
  ulaw: 'pcm_mulaw',
  alaw: 'pcm_alaw',
}

/** Returns FFmpeg's decoder for a codec that mediabunny names; null for a codec that is not decoded. */
export function videoDecoderFor(codec: string | null): string | null {
  return codec === null ? null : (VIDEO_DECODERS[codec] ?? null)
}

/** The same for audio. */
export function audioDecoderFor(codec: string | null): string | null {
  return codec === null ? null : (AUDIO_DECODERS[codec] ?? null)
}
