import { resolve } from 'node:path'
import { readStorageUrl } from '@earshot/drivers'
import { expect, test } from 'vitest'

const S3 = { kind: 's3', bucket: 'feedback', prefix: '', endpoint: null, region: null, forcePathStyle: false }

test.each([
  ['file:/var/lib/earshot/blobs', '/var/lib/earshot/blobs'],
  ['file:///var/lib/earshot/blobs', '/var/lib/earshot/blobs'],
  ['file:///var/with%20space', '/var/with space'],
  ['file:blobs', resolve('blobs')],
  ['file:./blobs', resolve('blobs')],
  ['file:../blobs', resolve('../blobs')],
])('%s is the directory %s', (url, directory) => {
  expect(readStorageUrl(url)).toEqual({ kind: 'file', directory })
})

test.each([
  ['s3://feedback', S3],
  ['s3://feedback/', S3],
  ['s3://feedback/earshot', { ...S3, prefix: 'earshot/' }],
  ['s3://feedback/earshot/v1/?region=eu-central-1', { ...S3, prefix: 'earshot/v1/', region: 'eu-central-1' }],
  ['s3://feedback?endpoint=https://s3.example.com', { ...S3, endpoint: 'https://s3.example.com', forcePathStyle: true }],
  ['s3://feedback?endpoint=http%3A%2F%2F10.0.0.5%3A9000', { ...S3, endpoint: 'http://10.0.0.5:9000', forcePathStyle: true }],
  [
    's3://feedback?endpoint=https://s3.example.com&force_path_style=false&region=auto',
    { ...S3, endpoint: 'https://s3.example.com', region: 'auto' },
  ],
])('%s is read', (url, location) => {
  expect(readStorageUrl(url)).toEqual(location)
})

test.each([
  ['', 'must be like file:'],
  ['/var/lib', 'must be like file:'],
  ['https://s3.example.com/bucket', 'must be like file:'],
  ['file:', 'must be like file:'],
  ['s3:feedback', 'must be like file:'],
  ['s3://', 'must be like file:'],
  ['s3://Feedback', 'must be like file:'],
  ['s3://feedback:9000', 'must be like file:'],
  ['file://blobs', 'must have three slashes'],
  ['s3://key:hush@feedback', 'must not contain credentials'],
  ['s3://feedback/a//b', 'must have a prefix of'],
  ['s3://feedback/a b', 'must have a prefix of'],
  ['s3://feedback?endpoint=s3.example.com', 'must have an endpoint like'],
  ['s3://feedback?endpoint=https://key:hush@s3.example.com', 'must have an endpoint like'],
  ['s3://feedback?region=Europe', 'must have a region like'],
  ['s3://feedback?force_path_style=yes', 'must have force_path_style=true'],
  ['s3://feedback?acl=public', 'must have no parameters but'],
])('%j is refused in one line', (url, line) => {
  expect(() => readStorageUrl(url)).toThrow(line)
  expect(() => readStorageUrl(url)).not.toThrow('hush')
})
