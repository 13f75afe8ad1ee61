# SPDX-License-Identifier: Apache-2.0
# The most extreme numbers in every numeric field of a trace, of a manifest and of the tables: each costs
# its figure or its row at most. Under sanitizers no sum of them overflows. All of them are tried in make check.
. "$TRACEBOOK_TOP/tests/cli/functions"
python3 - "$TRACEBOOK_BIN/report" "$TRACEBOOK_TOP" <<'END'
import json, os, re, shutil, subprocess, sys

report, top = sys.argv[1:]
some = bool(os.environ.get("TRACEBOOK_SAN")) or os.environ.get("TRACEBOOK_SWEEP") != "all"
numbers = ["0", "-0", "-1", "1e308", "-1e308", "1e400", "1e-400", "NaN", "Infinity", "-Infinity",
           "9223372036854775807", "-9223372036854775808", "18446744073709551615", "4600000000000000",
           "4599999999999999.999", "2000000000000000", "-1000000000000000", "4294967295", "2147483648",
           "-2147483648", "9" * 400, "0." + "9" * 400, "1" + "0" * 300, "1e99999999999999999999",
           "980419524407341022", '"7"', '""', "null", "[1,2,3]", "true", "-", "0x10"]
numbers = numbers[::3] if some else numbers


def through(what, *arguments):
    p = subprocess.run([report, *arguments], capture_output=True, timeout=120)
    if p.returncode not in (0, 1, 3) or b"runtime error" in p.stderr or b"Sanitizer" in p.stderr:
        sys.exit(f"{what}: status {p.returncode}: {p.stderr[-2000:].decode(errors='replace')}")
    if b"left out; the first" in p.stderr:
        sys.exit(f"{what}: {p.stderr.decode(errors='replace')}")
    if p.returncode == 0 and os.path.exists("o.json"):
        json.load(open("o.json"), parse_constant=lambda c: sys.exit(f"{what}: {c} in --json"))


def all_outputs(what, *paths):
    through(what, "-o", "o.pdf", "--svg", "svg", "--markdown", "o.md", "--json", "o.json", "--table", *paths)


# One field of a trace after the other, in all rows and in one.
rows = []
for i in range(6):
    at = 1000 * i + 7
    rows += [
        f'{{"ph":"X","cat":"user_annotation","name":"ProfilerStep#{i}","pid":1,"tid":1,"ts":{at},"dur":900}}',
        f'{{"ph":"X","cat":"cpu_op","name":"aten::mm","pid":1,"tid":1,"ts":{at + 10},"dur":200,"args":'
        '{"External id":7,"Input Dims":[[64,32],[32,16]],"Input type":["float","float"]}}',
        f'{{"ph":"X","cat":"cuda_runtime","name":"cudaLaunchKernel","pid":1,"tid":1,"ts":{at + 20},"dur":30,'
        f'"args":{{"correlation":{2 * i + 1}}}}}',
        f'{{"ph":"X","cat":"kernel","name":"ampere_sgemm_128x64_tn","pid":0,"tid":7,"ts":{at + 100},"dur":300,"args":'
        f'{{"stream":7,"device":0,"context":1,"correlation":{2 * i + 1},"registers per thread":64,"shared memory":4096,'
        '"est. achieved occupancy %":50,"blocks per SM":1.5,"warps per SM":12.5,"grid":[8,4,1],"block":[128,1,1]}}',
        f'{{"ph":"X","cat":"gpu_memcpy","name":"Memcpy DtoD (Device -> Device)","pid":0,"tid":7,"ts":{at + 500},'
        f'"dur":100,"args":{{"stream":7,"device":0,"bytes":65536,"memory bandwidth (GB/s)":0.65,"correlation":{2 * i + 2}}}}}',
        f'{{"ph":"C","name":"m","pid":1,"ts":{at + 600},"args":{{"value":17}}}}',
    ]
head = ('{"schemaVersion":1,"baseTimeNanoseconds":1700000000000000000,"deviceProperties":[{"id":0,"name":"G","totalGlobalMem":85899345920,"numSms":108,'
        '"maxThreadsPerMultiprocessor":2048,"regsPerMultiprocessor":65536,"sharedMemPerMultiprocessor":167936,'
        '"computeMajor":8,"computeMinor":0,"warpSize":32}],"distributedInfo":{"rank":0,"world_size":2},"traceEvents":[\n')
whole = head + ",\n".join(rows) + "]}"
fields = sorted(set(re.findall(r'"([^"]+)":(?=\d)', whole)) | {"grid", "block", "Input Dims"})
if len(fields) < 25:
    sys.exit(f"only {len(fields)} fields")
for field in fields:
    made = []
    for k, number in enumerate(numbers):
        value = f"[{number},{number},1]" if field in ("grid", "block") else f"[[{number},{number}],[{number},{number}]]" if field == "Input Dims" else number
        pattern = rf'"{re.escape(field)}":(\[\[.*?\]\]|\[.*?\]|[\d.]+)'
        for count in (0, 1):
            name = f"t{k}-{count}.json"
            with open(name, "w") as f:
                f.write(re.sub(pattern, lambda m: f'"{field}":{value}', whole, count=count))
            made.append(name)
    through(field, "--json", "o.json", "--check", *made)
    few = [m for m in made if m.endswith("-0.json")]
    all_outputs(field, *(few[::11] if some else few[::5]))

# One number of a manifest, and one column of a table after the other.
shutil.copytree(top + "/tests/golden/host/in", "run")
manifest = json.load(open("run/run.json"))
values = [1e308, -1e308, 1e-308, 1e19, 9.3e18, 4e9, -1, 0.5, 0]


def set_numbers(node, value):
    for key, part in node.items() if isinstance(node, dict) else enumerate(node):
        if isinstance(part, (dict, list)):
            set_numbers(part, value)
        elif isinstance(part, (int, float)) and not isinstance(part, bool):
            node[key] = value


for value in values[::3] if some else values:
    other = json.loads(json.dumps(manifest))
    set_numbers(other, value)
    json.dump(other, open("run/run.json", "w"))
    all_outputs(f"run.json with {value}", "run")
json.dump(manifest, open("run/run.json", "w"))
os.mkdir("run/tables")
recorded = top + "/experiments/recorded/nvidia-h200/tables/"
tables = {name: open(recorded + name).read().split("\n") for name in sorted(os.listdir(recorded))}
for number in numbers[:24:6] if some else numbers[:24]:
    for name, lines in tables.items():
        with open("run/tables/" + name, "w") as f:
            f.write(lines[0] + "\n")
            for line in lines[1:]:
                f.write(re.sub(r"(?<=\t)-?[\d.]+(?=\t|$)", number, line) + "\n")
    all_outputs(f"tables with {number[:20]}", "run")
END
