// The timeline of a run: steps as bars, marks on them, paths from origin to observation (dashboard/charts/waterfall.py).
// Recorded text only ever becomes the text of a node.
const SVG = 'http://www.w3.org/2000/svg'
const ROW = 26, BAR = 16, TOP = 12, INDENT = 12, EDGE = 14, PAD = 8, AXIS = 46
// What a person did to the chart outlives a run of the page: the part looked at, and what the legend hides.
const views = new WeakMap()

export default function ({ data, parentElement, setTriggerValue }) {
  const root = parentElement.querySelector('.flt')
  if (!root || !data) return
  const known = views.get(root)
  const same = known && known.of === data.of
  const view = { of: data.of, from: 0, to: data.axis.whole, hidden: new Set(), ...(same ? known : {}) }
  views.set(root, view)
  view.open = (id) => id && setTriggerValue('chosen', id)
  const again = () => draw(root, data, view, again)
  again()
  view.watch?.disconnect()
  view.watch = new ResizeObserver(() => root.clientWidth !== view.width && again())
  view.watch.observe(root)
  return () => view.watch.disconnect()
}

function draw(root, data, view, again) {
  view.width = root.clientWidth
  if (!view.width) return
  const lane = data.lane ? 1 : 0
  const rows = [...(lane ? [{ label: 'run', depth: 0 }] : []), ...data.rows]
  const height = TOP + ROW * rows.length + AXIS
  const svg = node('svg', { height, viewBox: `0 0 ${view.width} ${height}`, role: 'group', 'aria-label': data.alt })
  const tip = part('div', 'tip')
  tip.hidden = true
  root.replaceChildren(svg, legend(data, view, again), tip)
  const left = labels(svg, rows, view.width)
  const right = view.width - EDGE
  const across = (value) => left + PAD + ((value - view.from) / (view.to - view.from || 1)) * (right - left - PAD)
  const down = (row) => TOP + ROW * (row + lane) + ROW / 2
  const place = { svg, left, right, across, down, bottom: TOP + ROW * rows.length, shows: (at) => at >= view.from && at <= view.to }
  axis(place, data, view)
  const items = []
  const add = (item, thing) => { reacts(root, tip, item, thing, view); items.push(item); svg.append(item) }
  for (const bar of data.bars) if (!view.hidden.has(bar.word)) addBar(place, bar, data, add)
  for (const path of data.paths) if (!view.hidden.has('path')) addPath(place, path, data.accent, add)
  for (const mark of data.marks) if (!view.hidden.has(mark.word) && place.shows(mark.at)) addMark(place, mark, add)
  walk(items)
  looksCloser(place, view, again)
  if (view.from > 0 || view.to < data.axis.whole) root.append(wholeButton(data, view, again))
}

function labels(svg, rows, width) {
  // At most a third of the width; what is cut keeps its whole text in the tooltip of the label.
  const most = Math.max(70, width * 0.34)
  const texts = rows.map((row, at) => {
    const x = INDENT * row.depth * (width < 600 ? 0.5 : 1)
    const text = node('text', { x, y: TOP + ROW * at + ROW / 2, dy: '0.35em' })
    svg.append(text)
    fit(text, row.label, most - x)
    const title = node('title')
    title.textContent = row.label
    text.append(title)
    return x + text.getComputedTextLength()
  })
  return Math.min(most, Math.max(30, ...texts)) + 12
}

function fit(text, whole, room) {
  text.textContent = whole
  if (text.getComputedTextLength() <= room) return
  let [fits, not] = [1, whole.length]
  while (not - fits > 1) {
    const middle = (fits + not) >> 1
    text.textContent = whole.slice(0, middle) + '…'
    if (text.getComputedTextLength() <= room) fits = middle
    else not = middle
  }
  text.textContent = whole.slice(0, fits) + '…'
}

function axis({ svg, left, right, across, bottom }, data, view) {
  const long = view.to - view.from
  const raw = long / Math.max(2, Math.floor((right - left) / 90))
  const power = 10 ** Math.floor(Math.log10(raw))
  const least = data.axis.unit ? 0 : 1
  const step = Math.max(least, power * [1, 2, 5, 10].find((times) => times * power >= raw * 0.999))
  const digits = Math.max(0, -Math.floor(Math.log10(step) + 1e-9))
  for (let tick = Math.ceil(view.from / step - 1e-9) * step; tick <= view.to + step * 1e-9; tick += step) {
    const x = across(tick)
    svg.append(node('line', { class: 'grid', x1: x, x2: x, y1: TOP, y2: bottom }))
    const said = (tick || 0).toLocaleString('en', { minimumFractionDigits: digits, maximumFractionDigits: digits })
    svg.append(words(said, { class: 'tick', x, y: bottom + 16, 'text-anchor': 'middle' }))
  }
  svg.append(words(data.axis.title, { class: 'title', x: (left + right) / 2, y: bottom + 36, 'text-anchor': 'middle' }))
}

function addBar({ svg, left, right, across, down, shows }, bar, data, add) {
  const begin = across(bar.from), end = across(bar.from + bar.long)
  if (end < left || begin > right) return
  const group = node('g', { class: 'item' })
  const [x, until] = [Math.max(left, begin), Math.min(right, end)]
  if (bar.long) {
    group.append(node('rect', { class: 'shape', x, y: down(bar.row) - BAR / 2, width: Math.max(2, until - x), height: BAR, fill: bar.colour }))
  }
  add(group, bar)
  if (!bar.said) return
  const marked = data.marks.some((mark) => mark.row === bar.row && shows(mark.at) && Math.abs(across(mark.at) - until) < 14)
  const text = words(bar.word, { class: 'halo', x: until + (marked ? 16 : 6), y: down(bar.row), dy: '0.35em' })
  group.append(text)
  if (until + 16 + text.getComputedTextLength() <= right + EDGE) return
  // No room behind the bar: before it, else at the edge.
  const before = x - 6 - text.getComputedTextLength() > left
  text.setAttribute('x', before ? x - 6 : right - (marked ? 14 : 2))
  text.setAttribute('text-anchor', 'end')
}

function addMark({ across, down }, mark, add) {
  const [x, y] = [across(mark.at), down(mark.row)]
  const group = node('g', { class: 'item' })
  group.append(symbol(mark.shape, x, y, mark.colour))
  if (mark.count > 1) group.append(words(mark.count.toLocaleString('en'), { class: 'number halo', x: x + 7, y: y - 4 }))
  add(group, mark)
}

function addPath({ svg, right, across, down, shows }, path, accent, add) {
  const there = path.filter((end) => shows(end.at))
  if (path.length === 2 && there.length === 2) {
    const [a, b] = path
    svg.append(node('line', { x1: across(a.at), y1: down(a.row), x2: across(b.at), y2: down(b.row), stroke: accent, 'stroke-width': 2, 'stroke-dasharray': '2 4' }))
  }
  for (const end of there) {
    const [x, y] = [across(end.at), down(end.row)]
    const group = node('g', { class: 'item' })
    const open = end.word.startsWith('◎')
    group.append(node('circle', { class: 'shape', cx: x, cy: y, r: 6, fill: open ? 'none' : accent, stroke: accent, 'stroke-width': 2, 'pointer-events': 'all' }))
    if (open) group.append(node('circle', { cx: x, cy: y, r: 2, fill: accent }))
    const text = words(end.word, { class: 'halo', x: x + 8, y: y - 8 })
    group.append(text)
    add(group, end)
    if (x + 8 + text.getComputedTextLength() <= right + EDGE) continue
    text.setAttribute('x', x - 8)
    text.setAttribute('text-anchor', 'end')
  }
}

const SHAPES = {
  x: 'M-6-3-3-6 0-3 3-6 6-3 3 0 6 3 3 6 0 3-3 6-6 3-3 0Z', triangle: 'M0-6 6 5-6 5Z', diamond: 'M0-7 7 0 0 7-7 0Z',
  hourglass: 'M-5-6 5-6-5 6 5 6Z', bowtie: 'M-6-5-6 5 6-5 6 5Z', circle: 'M-6 0a6 6 0 1 0 12 0a6 6 0 1 0-12 0Z',
}

function symbol(shape, x, y, colour) {
  return node('path', { class: 'mark shape', d: SHAPES[shape], transform: `translate(${x} ${y})`, stroke: colour })
}

function legend(data, view, again) {
  const box = part('div', 'legend')
  const seen = new Map()
  for (const bar of data.bars) seen.set(bar.word, node('rect', { x: 2, y: 3, width: 14, height: 10, fill: bar.colour }))
  for (const mark of data.marks) seen.set(mark.word, symbol(mark.shape, 9, 8, mark.colour))
  if (data.paths.length) seen.set('path', node('line', { x1: 0, x2: 18, y1: 8, y2: 8, stroke: data.accent, 'stroke-width': 2, 'stroke-dasharray': '2 4' }))
  for (const [word, sign] of seen) {
    const said = word === 'path' ? '◎ originated → ◉ observed' : word
    const button = part('button', '')
    button.type = 'button'
    button.title = 'Hide or show'
    button.setAttribute('aria-pressed', String(!view.hidden.has(word)))
    const drawn = node('svg', { viewBox: '0 0 18 16', 'aria-hidden': 'true' })
    drawn.append(sign)
    button.append(drawn, said)
    button.onclick = () => { view.hidden.delete(word) || view.hidden.add(word); again() }
    box.append(button)
  }
  return box
}

function wholeButton(data, view, again) {
  const button = part('button', 'whole')
  button.type = 'button'
  button.textContent = 'Show it whole'
  button.onclick = () => { Object.assign(view, { from: 0, to: data.axis.whole }); again() }
  return button
}

function reacts(root, tip, item, thing, view) {
  item.setAttribute('role', 'button')
  item.setAttribute('tabindex', '-1')
  item.setAttribute('aria-label', thing.tip)
  const show = () => {
    tip.textContent = thing.tip
    tip.hidden = false
    const [at, of] = [item.getBoundingClientRect(), root.getBoundingClientRect()]
    const x = Math.min(at.left - of.left + 10, of.width - tip.offsetWidth - 4)
    const above = at.top - of.top - tip.offsetHeight - 6
    tip.style.left = `${Math.max(0, x)}px`
    tip.style.top = `${above > -60 ? above : at.bottom - of.top + 6}px`
  }
  item.onpointerenter = item.onfocus = show
  item.onpointerleave = item.onblur = () => { tip.hidden = true }
  item.onclick = () => view.open(thing.id)
}

function walk(items) {
  // One stop for the Tab key, arrows within.
  items[0]?.setAttribute('tabindex', '0')
  items.forEach((item, at) => {
    item.onkeydown = (pressed) => {
      const by = { ArrowDown: 1, ArrowRight: 1, ArrowUp: -1, ArrowLeft: -1 }[pressed.key]
      if (by && items[at + by]) items[at + by].focus()
      else if (pressed.key === 'Enter' || pressed.key === ' ') item.onclick()
      else return
      pressed.preventDefault()
    }
  })
}

function looksCloser({ svg, left, right, bottom }, view, again) {
  // Drawn across, the part between becomes the whole width.
  const at = (event) => Math.min(right, Math.max(left, event.clientX - svg.getBoundingClientRect().left))
  const value = (x) => view.from + Math.max(0, (x - left - PAD) / (right - left - PAD)) * (view.to - view.from)
  svg.onpointerdown = (down) => {
    if (down.button || at(down) === left) return
    const from = at(down)
    const chosen = node('rect', { class: 'chosen', y: TOP, height: bottom - TOP })
    svg.onpointermove = (move) => {
      if (Math.abs(at(move) - from) < 8) return
      svg.setPointerCapture(down.pointerId)
      svg.append(chosen)
      chosen.setAttribute('x', Math.min(from, at(move)))
      chosen.setAttribute('width', Math.abs(at(move) - from))
    }
    svg.onpointercancel = () => { svg.onpointermove = svg.onpointerup = null; chosen.remove() }
    svg.onpointerup = (up) => {
      svg.onpointercancel()
      const [a, b] = [value(from), value(at(up))]
      if (Math.abs(at(up) - from) < 8 || a === b) return
      Object.assign(view, { from: Math.min(a, b), to: Math.max(a, b) })
      again()
    }
  }
}

function node(name, attributes = {}) {
  const made = document.createElementNS(SVG, name)
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value)
  return made
}

function words(text, attributes) {
  const made = node('text', attributes)
  made.textContent = text
  return made
}

function part(name, style) {
  const made = document.createElement(name)
  made.className = style
  return made
}
