import { spawnSync } from 'node:child_process'
import { describe } from 'vitest'
import { testTranscoder } from './transcoder-conformance.ts'

const hasFfmpeg = spawnSync('ffmpeg', ['-version']).status === 0

describe.runIf(hasFfmpeg)('where ffmpeg is installed', () => testTranscoder('ffmpeg'))
