/* SPDX-License-Identifier: Apache-2.0 */
// The same fields through simdjson's On-Demand parser: out/bench/simdjson TRACE.json
//
// Built where the library is (libsimdjson-dev), for the processor at hand, which is its best case:
// the packaged On-Demand parser is chosen while it is compiled. On-Demand is the fair one of its
// two: it makes no tree, and walks each event once. What the reader keeps is kept here, too: one
// array for each field, texts by number, times in nanoseconds (through a double, as it offers them).
// Not done: sorting, joining, mending. Prints `name value unit` lines like bench_read.
#include <chrono>
#include <cmath>
#include <cstdio>
#include <ctime>
#include <deque>
#include <simdjson.h>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

using namespace simdjson;

struct texts {
	std::deque<std::string> kept;
	std::unordered_map<std::string_view, uint32_t> ids;
	uint32_t add(std::string_view text)
	{
		auto found = ids.find(text);
		if (found != ids.end())
			return found->second;
		kept.emplace_back(text);
		uint32_t id = uint32_t(kept.size());
		ids.emplace(kept.back(), id);
		return id;
	}
};

struct row {
	char phase = 0;
	int64_t start_ns = 0, dur_ns = 0, correlation = 0, external = 0, stream = -1, bytes = -1;
	uint32_t name = 0, category = 0, pid_text = 0, tid_text = 0, input[4] = {};
	int64_t pid = 0, tid = 0, device = -1, context = -1, registers = -1, shared = -1, occupancy = -1;
	int64_t grid[3] = {-1, -1, -1}, block[3] = {-1, -1, -1};
	double blocks = -1, warps = -1, bandwidth = -1;
};

struct kernel {
	int32_t grid[3], block[3], registers, shared, occupancy, device, context, stream;
	float blocks, warps;
};

struct columns {
	std::vector<int64_t> start_ns, dur_ns, bytes;
	std::vector<uint32_t> name, category, lane, correlation, external, input;
	std::vector<double> bandwidth;
	std::vector<kernel> kernels;
	std::unordered_map<uint64_t, uint32_t> lanes;
	texts words;
	int64_t events = 0, sum_ns = 0;
};

static void id_of(columns &c, ondemand::value v, int64_t &number, uint32_t &text)
{
	if (v.type() == ondemand::json_type::string)
		text = c.words.add(v.get_string());
	else
		number = v.get_int64();
}

static int64_t ns_of(ondemand::value v)
{
	return std::llround(v.get_double() * 1000.0);
}

static void three(ondemand::value v, int64_t *to)
{
	int i = 0;
	for (auto x : v.get_array())
		if (i < 3)
			to[i++] = x.get_int64();
}

static void take_args(columns &c, row &r, ondemand::object args)
{
	for (auto field : args) {
		std::string_view key = field.unescaped_key();
		ondemand::value v = field.value();
		if (key == "External id")
			r.external = v.get_int64();
		else if (key == "correlation")
			r.correlation = v.get_int64();
		else if (key == "stream")
			r.stream = v.get_int64();
		else if (key == "device")
			r.device = v.get_int64();
		else if (key == "context")
			r.context = v.get_int64();
		else if (key == "bytes")
			r.bytes = v.get_int64();
		else if (key == "memory bandwidth (GB/s)")
			r.bandwidth = v.get_double();
		else if (key == "grid")
			three(v, r.grid);
		else if (key == "block")
			three(v, r.block);
		else if (key == "registers per thread")
			r.registers = v.get_int64();
		else if (key == "shared memory")
			r.shared = v.get_int64();
		else if (key == "blocks per SM")
			r.blocks = v.get_double();
		else if (key == "warps per SM")
			r.warps = v.get_double();
		else if (key == "est. achieved occupancy %")
			r.occupancy = v.get_int64();
		else if (key == "Input Dims")
			r.input[0] = c.words.add(to_json_string(v));
		else if (key == "Input type")
			r.input[1] = c.words.add(to_json_string(v));
		else if (key == "Input Strides")
			r.input[2] = c.words.add(to_json_string(v));
		else if (key == "Concrete Inputs")
			r.input[3] = c.words.add(to_json_string(v));
	}
}

static void keep(columns &c, const row &r)
{
	c.events++;
	if (r.phase != 'X')
		return;
	uint64_t lane = uint64_t(r.pid + r.pid_text) << 32 ^ uint64_t(r.tid + r.tid_text);
	c.start_ns.push_back(r.start_ns);
	c.dur_ns.push_back(r.dur_ns);
	c.sum_ns += r.dur_ns;
	c.name.push_back(r.name);
	c.category.push_back(r.category);
	c.lane.push_back(c.lanes.emplace(lane, uint32_t(c.lanes.size())).first->second);
	c.correlation.push_back(uint32_t(r.correlation));
	c.external.push_back(uint32_t(r.external));
	if (r.input[0] | r.input[1] | r.input[2] | r.input[3])
		c.input.insert(c.input.end(), r.input, r.input + 4);
	if (r.bytes >= 0) {
		c.bytes.push_back(r.bytes);
		c.bandwidth.push_back(r.bandwidth);
	}
	if (r.grid[0] >= 0)
		c.kernels.push_back({{int32_t(r.grid[0]), int32_t(r.grid[1]), int32_t(r.grid[2])},
			{int32_t(r.block[0]), int32_t(r.block[1]), int32_t(r.block[2])},
			int32_t(r.registers), int32_t(r.shared), int32_t(r.occupancy),
			int32_t(r.device), int32_t(r.context), int32_t(r.stream), float(r.blocks),
			float(r.warps)});
}

static void take_event(columns &c, ondemand::object event)
{
	row r;
	for (auto field : event) {
		std::string_view key = field.unescaped_key();
		ondemand::value v = field.value();
		if (key == "ph")
			r.phase = std::string_view(v.get_string())[0];
		else if (key == "name")
			r.name = c.words.add(v.get_string());
		else if (key == "cat")
			r.category = c.words.add(v.get_string());
		else if (key == "ts")
			r.start_ns = ns_of(v);
		else if (key == "dur")
			r.dur_ns = ns_of(v);
		else if (key == "pid")
			id_of(c, v, r.pid, r.pid_text);
		else if (key == "tid")
			id_of(c, v, r.tid, r.tid_text);
		else if (key == "args")
			take_args(c, r, v.get_object());
	}
	keep(c, r);
}

int main(int argc, char **argv)
{
	if (argc != 2) {
		fprintf(stderr, "usage: simdjson TRACE.json\n");
		return 2;
	}
	try {
		auto start = std::chrono::steady_clock::now();
		clock_t cpu_start = clock();
		columns c;
		padded_string text = padded_string::load(argv[1]);
		ondemand::parser parser;
		ondemand::document document = parser.iterate(text);
		for (auto event : document["traceEvents"].get_array())
			take_event(c, event.get_object());
		std::chrono::duration<double> s = std::chrono::steady_clock::now() - start;
		double cpu = double(clock() - cpu_start) / CLOCKS_PER_SEC;
		printf("simdjson_seconds %.4f s\nsimdjson_cpu %.4f s\nsimdjson_events %lld n\nsimdjson_duration %lld ns\n",
			s.count(), cpu, (long long)c.events, (long long)c.sum_ns);
	} catch (const simdjson_error &e) {
		fprintf(stderr, "simdjson: %s: %s\n", argv[1], e.what());
		return 1;
	}
	return 0;
}
