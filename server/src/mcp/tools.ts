import { hintsOf, type NamedOperation, strangersWords } from '@earshot/contracts'
import { compileMarkedFields, type ReplaceFields } from '../http/marked-fields.ts'
import type { Pipeline } from '../http/pipeline.ts'
import { slimInput, slimOutput, type ToolSchema } from './slim-schema.ts'

/** How many items a list returns unless the call says how many. */
export const LIST_ITEMS = 10

/** Fields that every tool explains alike, in the instructions of the server. */
const KNOWN_FIELDS = ['cursor', 'limit', 'created_after', 'created_before']

/** An operation as a tool. */
export interface Tool {
  /** The operationId: the one name of the operation. */
  name: string
  /** The first word of its name. */
  toolset: string
  pipeline: Pipeline
  isReadOnly: boolean
  isDestructive: boolean
  /** Asks for a secret or shows one. */
  showsSecret: boolean
  isList: boolean
  /** The tool that shows a record of this list whole; null where there is none. */
  readsOn: string | null
  /** Replaces the words of strangers in its output; null where it has none. */
  replaceWords: ReplaceFields | null
}

/** A tool as `tools/list` describes it. */
export interface ToolDefinition {
  name: string
  description: string
  inputSchema: ToolSchema
  outputSchema?: ToolSchema
  annotations: { readOnlyHint: boolean; destructiveHint: boolean; idempotentHint: boolean; openWorldHint: boolean }
}

/** Makes a tool of every operation, in the order of the contracts. Called when the first MCP request comes. */
export function compileTools(pipelines: readonly Pipeline[]): ReadonlyMap<string, Tool> {
  const names = new Set(pipelines.map(({ named }) => named.operationId))
  return new Map(pipelines.map((pipeline) => [pipeline.named.operationId, toolOf(pipeline, names)]))
}

/** Describes a tool, without the fields that the connection fixes. */
export function defineTool({ name, pipeline, isReadOnly, isDestructive, replaceWords }: Tool, fixed: ReadonlySet<string>): ToolDefinition {
  const { operation } = pipeline.named
  const { idempotent, sendsOut } = hintsOf(operation)
  const inputSchema = slimInput(operation.input, { fixed, undescribed: new Set([...operation.pathFields, ...KNOWN_FIELDS]) })
  return {
    name,
    description: descriptionOf(pipeline.named),
    inputSchema: withListDefault(inputSchema),
    ...(operation.status !== 204 && { outputSchema: slimOutput(operation.output) }),
    // All four, because what is absent counts as destructive and open to the world.
    annotations: {
      readOnlyHint: isReadOnly,
      destructiveHint: isDestructive,
      idempotentHint: idempotent,
      openWorldHint: sendsOut || replaceWords !== null,
    },
  }
}

function toolOf(pipeline: Pipeline, names: ReadonlySet<string>): Tool {
  const { operationId: name, words, operation } = pipeline.named
  const { destructive, showsSecret } = hintsOf(operation)
  const isList = operation.queryFields.has('cursor') && operation.queryFields.has('limit')
  return {
    name,
    toolset: (words[0] ?? name).replaceAll('-', '_'),
    pipeline,
    isReadOnly: operation.method === 'GET',
    isDestructive: destructive,
    showsSecret,
    isList,
    readsOn: readingOn(name, names),
    replaceWords: compileMarkedFields(operation.output, (schema) => strangersWords.has(schema)),
  }
}

/** Results of surveys are a list of answers, whose responses show them whole. */
function readingOn(name: string, names: ReadonlySet<string>): string | null {
  if (name === 'surveys_results') return 'responses_retrieve'
  const sibling = name.replace(/_list$/, '_retrieve')
  return sibling !== name && names.has(sibling) ? sibling : null
}

function descriptionOf({ operation: { summary, description } }: NamedOperation): string {
  return description === undefined ? `${summary}.` : `${summary}. ${description}`
}

function withListDefault(schema: ToolSchema): ToolSchema {
  const properties = schema.properties as Record<string, object>
  if (properties.limit === undefined || properties.cursor === undefined) return schema
  return { ...schema, properties: { ...properties, limit: { ...properties.limit, default: LIST_ITEMS } } }
}
