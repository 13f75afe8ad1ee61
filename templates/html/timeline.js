// SPDX-License-Identifier: Apache-2.0
// The timeline of report --html, behind report.js in one script: the events of a picture in a drawer, down to the single one.
// Keys are Perfetto's. Texts of a trace go through textContent and fillText alone.
(() => {
"use strict";
const {words, bars, gutter, width} = data;
const ROW = 18, GAP = 10, AXIS = 22, LEAST_SPAN = 20, NEAR = 4; // px, px, px, ns, px
const INK = "#1a1c1e", FAINT = "#6b7178", RULE = "#d9dde1"; // as on paper; the dark turns the canvas as a whole

// ---- the events: columns by lane, each lane in rows of which no two events overlap ----

function rows_of(lane) {
	const free = []; // when each row is free again
	for (let i = 0; i < lane.n; i++) {
		let r = 0;
		while (r < free.length && free[r] > lane.start[i])
			r++;
		free[r] = lane.start[i] + lane.length[i];
		lane.row[i] = r;
		(lane.rows[r] = lane.rows[r] || []).push(i);
	}
}

function lane_of(track) {
	const all = track.events, n = all.length / 4;
	const lane = {title: track.name, detail: track.detail, from: track.from, n, rows: [], start: new Float64Array(n),
		length: new Float64Array(n), name: new Uint32Array(n), launch: new Uint32Array(n), row: new Uint16Array(n)};
	for (let i = 0, at = 0; i < n; i++) {
		lane.start[i] = at += all[4 * i];
		lane.length[i] = all[4 * i + 1];
		lane.name[i] = all[4 * i + 2];
		lane.launch[i] = all[4 * i + 3];
	}
	rows_of(lane);
	return lane;
}

let traces;
function trace_of(number) {
	traces = traces || JSON.parse(document.getElementById("events").textContent);
	const t = traces[number];
	if (!t.lanes) {
		t.by_track = t.tracks.map(track => track ? lane_of(track) : null);
		t.lanes = t.by_track.filter(lane => lane);
		t.tracks = null;
		let y = 0;
		for (const lane of t.lanes) {
			lane.y = y;
			y += lane.rows.length * ROW + GAP;
		}
		t.height = y;
	}
	return t;
}

// The place in a row of the first event, from `low` on, that ends after `at`.
function first_ending_after(lane, row, at, low = 0) {
	for (let high = row.length; low < high;) {
		const middle = (low + high) >> 1, i = row[middle];
		if (lane.start[i] + lane.length[i] > at)
			high = middle;
		else
			low = middle + 1;
	}
	return low;
}

const name_of = one => shown.trace.names[one.lane.name[one.i]][0];
const end_of = one => one.lane.start[one.i] + one.lane.length[one.i];

// Exact, as the trace has it.
function time(ns) {
	const [unit, name, digits] = Math.abs(ns) < 1e3 ? [1, "ns", 0] : Math.abs(ns) < 1e6 ? [1e3, "µs", 3]
		: Math.abs(ns) < 1e9 ? [1e6, "ms", 6] : [1e9, "s", 9];
	const text = (ns / unit).toFixed(digits);
	return (digits ? text.replace(/\.?0+$/, "") : text) + "\u00a0" + name;
}

// In the unit of the greater, as finely as a step can tell apart.
function about(ns, greater, step) {
	const [unit, name] = greater < 1e3 ? [1, "ns"] : greater < 1e6 ? [1e3, "µs"] : greater < 1e9 ? [1e6, "ms"] : [1e9, "s"];
	return (ns / unit).toFixed(Math.max(0, Math.min(9, Math.ceil(-Math.log10(step / unit) - 1e-9)))) + "\u00a0" + name;
}

const fill = (text, values) => text.replace(/\{(\w+)\}/g, (whole, key) => key in values ? values[key] : whole);

// ---- the drawer ----

const drawer = element("dialog", {class: "timeline", "aria-label": words.timeline});
const button = (text, label, act) => {
	const b = element("button", {type: "button", "aria-label": label, title: label}, text);
	b.addEventListener("click", act);
	return b;
};
const canvas = element("canvas", {tabindex: 0, role: "application", "aria-label": words.timeline, "aria-describedby": "timeline-keys"});
const range = element("output", {class: "range"}), said = element("output", {class: "caption"});
const search = element("input", {type: "search", class: "filter", placeholder: words.find, "aria-label": words.find});
const details = element("div", {class: "details", "aria-live": "polite"});
const note = element("p", {class: "caption"}), frame = element("div", {class: "frame"});
const bar = element("div", {class: "tools"});
bar.append(search, said, range, button("+", words.nearer, () => zoom(1 / 1.6)), button("−", words.farther, () => zoom(1.6)),
	button("×", words.close, () => drawer.close()));
frame.append(canvas);
drawer.append(bar, frame, details, note, element("p", {class: "caption", id: "timeline-keys"}, words.keys));

// What is seen: a trace from..to, `top` pixels of its lanes rolled away, one event chosen or none.
const shown = {trace: null, from: 0, to: 1, top: 0, chosen: null, pointer: null};
const left = () => canvas.clientWidth < 600 ? 76 : 150;
const scale = () => Math.max(1, canvas.clientWidth - left()) / (shown.to - shown.from); // px a ns
const x_of = ns => left() + (ns - shown.from) * scale();
const at_x = x => shown.from + (x - left()) / scale();

function show(from, to) {
	const whole = Math.max(shown.trace.end, LEAST_SPAN), span = Math.min(Math.max(to - from, LEAST_SPAN), whole);
	shown.from = Math.min(Math.max(from, 0), whole - span);
	shown.to = shown.from + span;
	range.textContent = fill(words.range, {from: about(shown.from, shown.to, span / 1e3), to: about(shown.to, shown.to, span / 1e3)});
	canvas.dataset.from = shown.from;
	canvas.dataset.to = shown.to;
	redraw();
}

function roll(top) {
	shown.top = Math.max(0, Math.min(top, shown.trace.height - (canvas.clientHeight - AXIS)));
	redraw();
}

// About the pointer; else about what is chosen and seen; else about the middle.
function zoom(factor) {
	let x = shown.pointer;
	if (x === null && shown.chosen) {
		const middle = x_of((shown.chosen.lane.start[shown.chosen.i] + end_of(shown.chosen)) / 2);
		x = middle >= left() && middle <= canvas.clientWidth ? middle : null;
	}
	const at = at_x(x === null ? (left() + canvas.clientWidth) / 2 : Math.max(x, left()));
	const whole = Math.max(shown.trace.end, LEAST_SPAN);
	const span = Math.min(Math.max((shown.to - shown.from) * factor, LEAST_SPAN), whole), share = (at - shown.from) / (shown.to - shown.from);
	show(at - share * span, at + (1 - share) * span);
}

const move = share => show(shown.from + share * (shown.to - shown.from), shown.to + share * (shown.to - shown.from));

// ---- drawing ----

let wanted = false;
function redraw() {
	if (!wanted)
		requestAnimationFrame(draw);
	wanted = true;
}

function cut(pen, text, room) {
	if (pen.measureText(text).width <= room)
		return text;
	const fits = Math.floor(room / 6.5) - 1;
	return fits > 1 ? text.slice(0, fits) + "…" : "";
}

function draw_bar(pen, lane, i, x, y, w) {
	const [name, kind] = shown.trace.names[lane.name[i]], [inside, edge, label] = bars[kind];
	pen.fillStyle = inside;
	pen.fillRect(x, y, w, ROW - 2);
	if (w > 3) {
		pen.strokeStyle = edge;
		pen.strokeRect(x + .5, y + .5, w - 1, ROW - 3);
	}
	if (w > 26) {
		pen.fillStyle = label;
		pen.fillText(cut(pen, name.replace(/^void /, ""), w - 8), x + 4, y + 12);
	}
}

// What would end within a pixel that is drawn is under it.
function draw_row(pen, lane, row, y) {
	const right = canvas.clientWidth, first = left();
	for (let k = first_ending_after(lane, row, shown.from); k < row.length;) {
		const i = row[k], x = Math.max(first, x_of(lane.start[i])), end = Math.min(right, x_of(lane.start[i] + lane.length[i]));
		if (lane.start[i] >= shown.to)
			break;
		draw_bar(pen, lane, i, x, y, Math.max(end - x, 1));
		k = end - x < 1 ? Math.max(k + 1, first_ending_after(lane, row, at_x(x + 1), k)) : k + 1;
	}
}

function draw_lane(pen, lane) {
	const y = AXIS + lane.y - shown.top, h = canvas.clientHeight;
	if (y > h || y + lane.rows.length * ROW + GAP < AXIS)
		return;
	lane.rows.forEach((row, r) => {
		if (y + r * ROW < h && y + (r + 1) * ROW > AXIS)
			draw_row(pen, lane, row, y + r * ROW);
	});
	pen.fillStyle = RULE;
	pen.fillRect(0, y + lane.rows.length * ROW + GAP / 2 - 1, canvas.clientWidth, 1);
	const at = Math.max(y, Math.min(AXIS, y + lane.rows.length * ROW - 2 * ROW)) + 12;
	pen.fillStyle = INK;
	pen.fillText(cut(pen, lane.title, left() - 8), 2, at);
	if (lane.rows.length > 1) {
		pen.fillStyle = FAINT;
		pen.fillText(cut(pen, lane.detail, left() - 8), 2, at + 14);
	}
}

function draw_axis(pen) {
	const span = shown.to - shown.from, rough = span / Math.max(2, (canvas.clientWidth - left()) / 110), power = 10 ** Math.floor(Math.log10(rough));
	const step = power * [1, 2, 5, 10].find(k => k * power >= rough);
	pen.fillStyle = "#ffffff";
	pen.fillRect(0, 0, canvas.clientWidth, AXIS - 2);
	for (let at = Math.ceil(shown.from / step) * step; at <= shown.to; at += step) {
		pen.fillStyle = RULE;
		pen.fillRect(Math.round(x_of(at)), AXIS - 6, 1, 4);
		pen.fillStyle = FAINT;
		pen.fillText(about(at, shown.to, step), x_of(at) + 3, 13);
	}
}

const y_of = one => AXIS + one.lane.y - shown.top + one.lane.row[one.i] * ROW;

function draw_chosen(pen) {
	const one = shown.chosen, launch = launch_of(one);
	pen.strokeStyle = INK;
	pen.lineWidth = 2;
	if (launch) {
		pen.beginPath();
		pen.moveTo(x_of(Math.min(end_of(launch), one.lane.start[one.i])), y_of(launch) + ROW - 2);
		pen.lineTo(x_of(one.lane.start[one.i]), y_of(one));
		pen.stroke();
	}
	pen.strokeRect(x_of(one.lane.start[one.i]), y_of(one), Math.max(2, one.lane.length[one.i] * scale()), ROW - 2);
	pen.lineWidth = 1;
}

function draw() {
	wanted = false;
	const w = canvas.clientWidth, h = canvas.clientHeight, ratio = window.devicePixelRatio || 1, pen = canvas.getContext("2d");
	canvas.width = Math.round(w * ratio);
	canvas.height = Math.round(h * ratio);
	pen.setTransform(ratio, 0, 0, ratio, 0, 0);
	pen.font = "11px \"Noto Sans\",system-ui,sans-serif";
	pen.fillStyle = "#ffffff";
	pen.fillRect(0, 0, w, h);
	for (const lane of shown.trace.lanes)
		draw_lane(pen, lane);
	if (shown.chosen) {
		pen.save();
		pen.beginPath();
		pen.rect(left(), AXIS, w - left(), h - AXIS);
		pen.clip();
		draw_chosen(pen);
		pen.restore();
	}
	draw_axis(pen);
	if (shown.trace.height > h - AXIS) { // how far it is rolled
		pen.fillStyle = FAINT;
		pen.fillRect(w - 4, AXIS + shown.top / shown.trace.height * (h - AXIS), 3, (h - AXIS) ** 2 / shown.trace.height);
	}
}

// ---- the chosen event ----

function launch_of(one) {
	const place = one.lane.launch[one.i];
	return place ? {lane: shown.trace.by_track[one.lane.from], i: place - 1} : null;
}

function launched_by(one) {
	const track = shown.trace.by_track.indexOf(one.lane), found = [];
	for (const lane of shown.trace.lanes)
		if (lane.from === track)
			for (let i = 0; i < lane.n; i++)
				if (lane.launch[i] === one.i + 1)
					found.push({lane, i});
	return found;
}

function tell(list, label, ...what) {
	const pair = element("div", {}), value = element("dd", {});
	value.append(...what);
	pair.append(element("dt", {}, label), value);
	list.append(pair);
}

const way_to = one => button(name_of(one), name_of(one), () => choose(one));

function describe(one) {
	details.replaceChildren();
	if (!one)
		return;
	const list = element("dl", {}), launch = launch_of(one), launched = launched_by(one);
	tell(list, words.start, time(one.lane.start[one.i]));
	tell(list, words.duration, time(one.lane.length[one.i]));
	tell(list, words.lane, [one.lane.title, one.lane.detail].filter(text => text).join(", "));
	if (launch)
		tell(list, words.launched, way_to(launch));
	if (launched.length)
		tell(list, words.launches, way_to(launched[0]), launched.length > 1 ? " " + fill(words.first_of, {n: launched.length}) : "");
	details.append(element("strong", {}, name_of(one)), list);
}

function choose(one) {
	shown.chosen = one;
	describe(one);
	if (one) {
		const start = one.lane.start[one.i], end = end_of(one), span = shown.to - shown.from, y = one.lane.y + one.lane.row[one.i] * ROW;
		if (end <= shown.from || start >= shown.to)
			show((start + end) / 2 - span / 2, (start + end) / 2 + span / 2);
		if (y < shown.top || y + ROW > shown.top + canvas.clientHeight - AXIS)
			roll(y - canvas.clientHeight / 2);
	}
	redraw();
}

// The event of a row that has, or is nearest to, a time.
function nearest(lane, r, at) {
	const row = lane.rows[r], k = first_ending_after(lane, row, at), before = row[k - 1], after = row[k];
	if (before === undefined || after === undefined)
		return {lane, i: before === undefined ? after : before};
	return {lane, i: lane.start[after] - at < at - (lane.start[before] + lane.length[before]) ? after : before};
}

function hit(x, y) {
	const down = y - AXIS + shown.top, lane = shown.trace.lanes.find(l => down >= l.y && down < l.y + l.rows.length * ROW);
	if (!lane || y < AXIS || x < left())
		return null;
	const one = nearest(lane, Math.floor((down - lane.y) / ROW), at_x(x));
	return x_of(lane.start[one.i]) - x > NEAR || x - x_of(end_of(one)) > NEAR ? null : one;
}

// In the same row the event before or after.
function step(by) {
	const one = shown.chosen;
	if (!one)
		return choose(shown.trace.lanes.length ? nearest(shown.trace.lanes[0], 0, (shown.from + shown.to) / 2) : null);
	const row = one.lane.rows[one.lane.row[one.i]], next = row[row.indexOf(one.i) + by];
	if (next !== undefined)
		choose({lane: one.lane, i: next});
}

// In the row above or below the event at the same time.
function climb(by) {
	const one = shown.chosen, lanes = shown.trace.lanes;
	if (!one)
		return step(0);
	let at = lanes.indexOf(one.lane), r = one.lane.row[one.i] + by;
	if (r < 0 || r >= one.lane.rows.length) {
		at += by;
		if (at < 0 || at >= lanes.length)
			return;
		r = by > 0 ? 0 : lanes[at].rows.length - 1;
	}
	const start = Math.max(one.lane.start[one.i], shown.from), end = Math.min(end_of(one), shown.to);
	choose(nearest(lanes[at], r, start < end ? (start + end) / 2 : start));
}

function fit() {
	if (!shown.chosen)
		return show(0, shown.trace.end);
	const length = Math.max(shown.chosen.lane.length[shown.chosen.i], LEAST_SPAN);
	show(shown.chosen.lane.start[shown.chosen.i] - length / 10, end_of(shown.chosen) + length / 10);
}

// ---- finding by name ----

let found = [], found_at = -1, found_for = "";
function find(by) {
	const text = plain(search.value);
	if (text !== found_for) {
		const named = shown.trace.names.map(([name]) => text !== "" && plain(name).includes(text));
		found = [];
		for (const lane of shown.trace.lanes)
			for (let i = 0; i < lane.n; i++)
				if (named[lane.name[i]])
					found.push({lane, i});
		found.sort((a, b) => a.lane.start[a.i] - b.lane.start[b.i]);
		found_for = text;
		found_at = by > 0 ? -1 : 0;
	}
	if (found.length) {
		found_at = (found_at + by + found.length) % found.length;
		choose(found[found_at]);
	}
	said.textContent = found.length ? fill(words.found, {at: found_at + 1, all: found.length}) : text ? words.none : "";
}
search.addEventListener("keydown", e => {
	if (e.key === "Enter")
		find(e.shiftKey ? -1 : 1);
});

// ---- keys and the pointer ----

const keys = {w: () => zoom(1 / 1.4), s: () => zoom(1.4), a: () => move(-.15), d: () => move(.15), f: fit, ",": () => step(-1), ".": () => step(1),
	"+": () => zoom(1 / 1.4), "-": () => zoom(1.4), ArrowLeft: () => move(-.15), ArrowRight: () => move(.15),
	ArrowUp: () => climb(-1), ArrowDown: () => climb(1), Home: () => show(0, shown.to - shown.from),
	End: () => show(shown.trace.end - shown.to + shown.from, shown.trace.end)};
drawer.addEventListener("keydown", e => {
	if (e.ctrlKey || e.metaKey || e.altKey || e.target === search)
		return;
	const act = keys[e.key.length === 1 ? e.key.toLowerCase() : e.key];
	if (e.key === "Escape" && shown.chosen) { // first what is chosen is let go, then the drawer
		choose(null);
		e.preventDefault();
	} else if (act) {
		act();
		e.preventDefault();
	}
});

canvas.addEventListener("wheel", e => {
	if (e.ctrlKey || e.metaKey)
		zoom(1.002 ** Math.max(-400, Math.min(400, e.deltaY)));
	else if (e.shiftKey || Math.abs(e.deltaX) > Math.abs(e.deltaY))
		move((e.deltaX || e.deltaY) / canvas.clientWidth);
	else
		roll(shown.top + e.deltaY);
	e.preventDefault();
}, {passive: false});

let held = null; // where the pointer went down, and what was seen then
canvas.addEventListener("pointerdown", e => {
	held = {x: e.offsetX, y: e.offsetY, from: shown.from, to: shown.to, top: shown.top, moved: false};
	canvas.setPointerCapture(e.pointerId);
});
canvas.addEventListener("pointermove", e => {
	shown.pointer = e.offsetX;
	if (!held)
		return;
	held.moved = held.moved || Math.abs(e.offsetX - held.x) + Math.abs(e.offsetY - held.y) > NEAR;
	if (held.moved) {
		const by = (held.x - e.offsetX) / scale();
		show(held.from + by, held.to + by);
		roll(held.top + held.y - e.offsetY);
	}
});
canvas.addEventListener("pointerup", e => {
	if (held && !held.moved)
		choose(hit(e.offsetX, e.offsetY));
	held = null;
});
canvas.addEventListener("pointerleave", () => shown.pointer = null);
new ResizeObserver(() => shown.trace && show(shown.from, shown.to)).observe(frame);

// ---- ways in: a button at each picture, the picture itself, the events of an action ----

function open(number, from, to) {
	const t = trace_of(number);
	if (shown.trace !== t) {
		shown.trace = t;
		shown.top = 0;
		found_for = search.value = said.textContent = "";
	}
	note.textContent = fill(t.shown < t.all ? words.shown : words.whole, {shown: t.shown, all: t.all});
	choose(null);
	if (!drawer.open)
		drawer.showModal();
	show(from, to);
	canvas.focus();
}

function open_event(item) {
	const [number, track, start, length] = item.dataset.event.split(",").map(Number), room = Math.max(10 * length, LEAST_SPAN);
	open(number, start - room / 2, start + length + room / 2);
	const lane = shown.trace.by_track[track];
	let i = lane ? lane.start.indexOf(start) : -1;
	while (i >= 0 && lane.start[i] === start && lane.length[i] !== length)
		i++;
	if (i >= 0 && i < lane.n && lane.start[i] === start)
		choose({lane, i});
	else
		details.replaceChildren(words.absent + " " + item.textContent);
}

for (const figure of document.querySelectorAll("figure[data-views]")) {
	const views = figure.dataset.views.split(";").map(view => view.split(",").map(Number)), picture = figure.querySelector("svg");
	for (const [number, from, to] of views) {
		const b = button(words.zoom, words.zoom, () => open(number, from, to));
		b.className = "zoom";
		figure.before(b);
	}
	if (!picture)
		continue;
	picture.addEventListener("click", e => {
		const box = picture.getBoundingClientRect(), points = width / box.width, y = (e.clientY - box.top) * points;
		const [number, from, to] = views.find(view => y < view[3] + view[4]) || views[0];
		const at = from + (to - from) * Math.min(1, Math.max(0, ((e.clientX - box.left) * points - gutter) / (width - gutter)));
		open(number, at - (to - from) / 8, at + (to - from) / 8);
	});
}
for (const item of document.querySelectorAll("[data-event]")) {
	const b = button("", item.textContent, () => open_event(item));
	b.className = "way";
	b.append(...item.childNodes);
	b.removeAttribute("aria-label");
	b.removeAttribute("title");
	item.append(b);
}
document.body.append(drawer);
})();
