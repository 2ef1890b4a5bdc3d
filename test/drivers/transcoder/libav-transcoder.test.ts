import { testTranscoder } from './transcoder-conformance.ts'

testTranscoder('libav')
