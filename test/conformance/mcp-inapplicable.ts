/** Scenarios of the suite that ask for what the server does not have, by the reason. */
const scenarios = {
  'asks for a tool of the SDK’s example server': [
    ...['tools-call-simple-text', 'tools-call-image', 'tools-call-audio', 'tools-call-embedded-resource', 'tools-call-mixed-content'],
    ...['tools-call-error', 'tools-call-with-progress', 'tools-call-sampling', 'tools-call-elicitation', 'json-schema-2020-12'],
    ...['elicitation-sep1034-defaults', 'elicitation-sep1330-enums', 'input-required-result-basic-elicitation'],
    ...['input-required-result-basic-sampling', 'input-required-result-basic-list-roots', 'input-required-result-request-state'],
    ...['input-required-result-multiple-input-requests', 'input-required-result-multi-round', 'input-required-result-result-type'],
    ...['input-required-result-tampered-state', 'input-required-result-capability-check'],
  ],
  'asks for a prompt of the SDK’s example server': [
    ...['prompts-get-simple', 'prompts-get-with-args', 'prompts-get-embedded-resource', 'prompts-get-with-image'],
    'input-required-result-non-tool-request',
  ],
  'asks for a resource of the SDK’s example server': ['resources-read-text', 'resources-read-binary', 'resources-templates-read'],
  'asks for a capability that the server does not declare': [
    ...['completion-complete', 'logging-set-level', 'tools-call-with-logging', 'resources-subscribe', 'resources-unsubscribe'],
  ],
  'asks for a tool that repeats an argument in a header': ['http-custom-header-server-validation'],
}

/** Checks of scenarios that do apply, which ask for a tool of the SDK’s example server. */
const checks = [
  'sep-2575-server-rejects-undeclared-capability',
  'sep-2575-missing-capability-http-400',
  'sep-2575-http-server-no-independent-requests-on-stream',
  'sep-2575-server-no-log-without-loglevel',
]

/** What is expected to fail: names of scenarios, and of checks. */
export const inapplicable: ReadonlySet<string> = new Set([...Object.values(scenarios).flat(), ...checks])
