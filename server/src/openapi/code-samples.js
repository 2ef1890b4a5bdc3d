/** Shows the `x-codeSamples` of each operation above its responses, in tabs: a plugin of Swagger UI. It runs in the browser. */
function CodeSamples() {
  const withSamples =
    (Original, { React, getComponent }) =>
    (props) => {
      const { specSelectors, path, method } = props
      const samples = specSelectors.specJson().getIn(['paths', path, method, 'x-codeSamples'])
      const responses = React.createElement(Original, props)
      return samples
        ? React.createElement('div', null, React.createElement(Samples, { samples, React, getComponent }), responses)
        : responses
    }
  return { wrapComponents: { responses: withSamples } }
}

function Samples({ samples, React, getComponent }) {
  const { createElement } = React
  const [label, choose] = React.useState('curl')
  const chosen = samples.find((sample) => sample.get('label') === label)
  const tabs = samples.map((sample) => {
    const own = sample.get('label')
    const button = createElement('button', { type: 'button', className: 'tablinks', onClick: () => choose(own) }, own)
    return createElement('li', { key: own, className: own === label ? 'tabitem active' : 'tabitem' }, button)
  })
  const language = chosen.get('lang') === 'Shell' ? 'bash' : chosen.get('lang').toLowerCase()
  const heading = createElement('h4', { className: 'opblock-title' }, 'Code samples')
  return createElement(
    'div',
    { className: 'opblock-section code-samples' },
    createElement('div', { className: 'opblock-section-header' }, heading, createElement('ul', { className: 'tab' }, tabs)),
    createElement(getComponent('HighlightCode', true), { language, canCopy: true }, chosen.get('source')),
  )
}

globalThis.CodeSamples = CodeSamples
