// SPDX-License-Identifier: Apache-2.0
// The script of report --html: tables sort and filter; timeline.js, behind it in the same script, opens the timelines.
// The page is whole without it, and nothing of a trace is ever read as markup: texts go through textContent alone.
"use strict";
const data = JSON.parse(document.getElementById("data").textContent);
const words = data.words;

function element(name, attributes, text) {
	const e = document.createElement(name);
	for (const key in attributes)
		e.setAttribute(key, attributes[key]);
	if (text !== undefined)
		e.textContent = text;
	return e;
}

// ---- tables: a head is a button that sorts, long ones have a filter ----

// What a cell is worth: "1.2 ms" is less than "3 s". Units of one kind are of one table's column.
const unit = {ns: 1, "µs": 1e3, "μs": 1e3, us: 1e3, ms: 1e6, s: 1e9, min: 6e10, h: 3.6e12,
	B: 1, kB: 1e3, MB: 1e6, GB: 1e9, TB: 1e12, KiB: 1024, MiB: 1048576, GiB: 1073741824,
	k: 1e3, M: 1e6, G: 1e9, T: 1e12};
function worth(text) {
	const m = /^[^\d−-]*([−-]?[\d\u2009\u202f\u00a0 ,]*\d(?:\.\d+)?(?:e[+-]?\d+)?)\s*([a-zA-Zµμ]*)/.exec(text);
	if (!m)
		return NaN;
	const number = parseFloat(m[1].replace("−", "-").replace(/[\u2009\u202f\u00a0 ,]/g, ""));
	return number * (unit[m[2]] || unit[m[2].charAt(0)] && m[2].length > 1 && unit[m[2].charAt(0)] || 1);
}

function compare(a, b, numbers) {
	if (numbers && (a.worth !== b.worth)) {
		if (Number.isNaN(a.worth) || Number.isNaN(b.worth))
			return Number.isNaN(a.worth) - Number.isNaN(b.worth) || 0;
		return a.worth - b.worth;
	}
	return a.text < b.text ? -1 : a.text > b.text ? 1 : 0;
}

// Largest first, then smallest first, then as it was; within each group of rows.
function sort(table, column, head) {
	const was = head.getAttribute("aria-sort"), numbers = head.classList.contains("n");
	const first = numbers ? "descending" : "ascending", second = numbers ? "ascending" : "descending";
	const now = was === first ? second : was === second ? null : first;
	for (const other of table.tHead.rows[0].cells)
		other.removeAttribute("aria-sort");
	if (now)
		head.setAttribute("aria-sort", now);
	for (const body of table.tBodies) {
		const rows = [...body.rows].filter(r => r.cells.length > column && r.cells[0].tagName === "TD");
		const keyed = rows.map(row => {
			const text = row.cells[column].textContent;
			return {row, text, worth: numbers ? worth(text) : 0, at: +row.dataset.at};
		});
		const sign = now === "descending" ? -1 : 1;
		keyed.sort((a, b) => now && (Number.isNaN(a.worth) || Number.isNaN(b.worth) ? compare(a, b, true)
			: sign * compare(a, b, numbers)) || a.at - b.at);
		body.append(...keyed.map(k => k.row));
	}
}

// Every blank is one: names and units are written with several kinds.
const plain = text => text.replace(/\s+/g, " ").trim().toLowerCase();

function filter(table, text, said) {
	const wanted = plain(text);
	let shown = 0, all = 0;
	for (const body of table.tBodies)
		for (const row of body.rows)
			if (row.cells[0].tagName === "TD") {
				row.hidden = !plain(row.textContent).includes(wanted);
				shown += !row.hidden;
				all++;
			}
	said.textContent = wanted ? words.rows.replace("{shown}", shown).replace("{all}", all) : "";
}

const LONG = 8; // rows
for (const table of document.querySelectorAll("main table")) {
	let n = 0;
	for (const body of table.tBodies)
		for (const row of body.rows)
			row.dataset.at = n++;
	if (n < 2 || !table.tHead)
		continue;
	[...table.tHead.rows[0].cells].forEach((head, column) => {
		const button = element("button", {type: "button", title: words.sort});
		button.append(...head.childNodes);
		head.append(button);
		button.addEventListener("click", () => sort(table, column, head));
	});
	if (n >= LONG) {
		const input = element("input", {type: "search", class: "filter", placeholder: words.filter,
			"aria-label": words.filter});
		const said = element("output", {class: "caption"});
		input.addEventListener("input", () => filter(table, input.value, said));
		table.parentNode.before(input, " ", said);
	}
}
