import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { Browser, type Tab } from './browser.ts'
import { MemoryStorage } from './memory-storage.ts'
import { FakeService } from './service.ts'

let storage: MemoryStorage
let browser: Browser
let tab: Tab

beforeEach(() => {
  vi.useFakeTimers()
  storage = new MemoryStorage()
  browser = new Browser()
  tab = open()
})

afterEach(() => void vi.useRealTimers())

test('what was typed is there again after a reload, and only in this tab', () => {
  tab.dashboard.keptFields.keepFields('earshot.draft.reason.ada', { reason: 'Not a cust' }, { reason: '' })
  expect(open().dashboard.keptFields.readFields('earshot.draft.reason.ada', { reason: '' })).toEqual({ reason: 'Not a cust' })
  expect(open(new MemoryStorage()).dashboard.keptFields.readFields('earshot.draft.reason.ada', { reason: '' })).toEqual({})
})

test('a form that is again as it began keeps nothing', () => {
  const { keepFields } = tab.dashboard.keptFields
  keepFields('earshot.draft.tag.ada', { text: 'pric' }, { text: '' })
  keepFields('earshot.draft.tag.ada', { text: '' }, { text: '' })
  expect(storage.keys()).toEqual([])
})

test('a draft of an older form fills only fields that the form still has, with values of their type', () => {
  storage.setItem('earshot.draft.invitation', JSON.stringify({ email: 'ada@example.com', role: 7, isOwner: true, gone: 'x' }))
  const known = { email: '', role: 'member', isOwner: false }
  expect(tab.dashboard.keptFields.readFields('earshot.draft.invitation', known)).toEqual({ email: 'ada@example.com', isOwner: true })
})

test('what another person typed in this tab is forgotten before a form reads it', () => {
  tab.dashboard.kept.claimTab('grace')
  tab.dashboard.kept.keep('session', 'earshot.draft.reason.ada', '{"reason":"A secret"}')
  const same = open()
  same.dashboard.kept.claimTab('grace')
  expect(same.dashboard.keptFields.readFields('earshot.draft.reason.ada', { reason: '' })).toEqual({ reason: 'A secret' })
  const other = open()
  other.dashboard.kept.claimTab('mallory')
  expect(other.dashboard.keptFields.readFields('earshot.draft.reason.ada', { reason: '' })).toEqual({})
})

test('pages work where the browser keeps nothing', () => {
  storage.isBroken = true
  browser.localStorage.isBroken = true
  const { kept, keptFields, places, keptUpload } = tab.dashboard
  kept.claimTab('grace')
  kept.forgetTab()
  keptFields.keepFields('earshot.draft.team', { name: 'Acme' }, { name: '' })
  expect(keptFields.readFields('earshot.draft.team', { name: '' })).toEqual({})
  places.rememberPlace('acme', 'app')
  expect(keptUpload.readUpload('project-1')).toBeNull()
})

test('an upload that was interrupted goes on with the same file only', () => {
  const kept = {
    video_id: 'video-1',
    upload: { url: 'https://feedback.example.com/uploads/1', token: 'secret' },
    file: { name: 'words.webm', size: 3, lastModified: 7 },
  }
  tab.dashboard.keptUpload.keepUpload('project-1', kept)
  const { keptUpload } = open().dashboard
  expect(keptUpload.readUpload('project-1')).toEqual(kept)
  expect(keptUpload.readUpload('project-2')).toBeNull()
  const file = (name: string, body: string, lastModified: number) => new File([body], name, { lastModified })
  expect(keptUpload.isSameFile(kept, file('words.webm', 'abc', 7))).toBe(true)
  expect(keptUpload.isSameFile(kept, file('words.webm', 'abcd', 7))).toBe(false)
  expect(keptUpload.isSameFile(kept, file('words.webm', 'abc', 8))).toBe(false)
  expect(keptUpload.isSameFile(kept, file('others.webm', 'abc', 7))).toBe(false)
  keptUpload.keepUpload('project-1', null)
  expect(keptUpload.readUpload('project-1')).toBeNull()
})

test('an upload whose record cannot be read is none', () => {
  storage.setItem('earshot.upload.project-1', '{')
  expect(tab.dashboard.keptUpload.readUpload('project-1')).toBeNull()
})

function open(sessionStorage = storage): Tab {
  return browser.openTab({ service: new FakeService(), sessionStorage })
}
