#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Pairs of programs before and after one remedy, a pattern each: `measure.py FOLDER [build|judge|NAME...]`.

Like ../pairs.py: both sides are timed in turn without a profiler (before the recording: after it CUPTI stays attached, and steps
that the host limits take a fifth to a half longer, on an H100), then three steps of each are recorded: NAME.before and
NAME.after .pt.trace.json.gz, and PAIRS.json, for `make advise PAIRS=FOLDER`. Each pattern runs in a process of its own, so
that no setting of one meets another.

The patterns were cut into two halves by lot before any of them was recorded: `build`, to work with, and `judge`, which is
opened once, when the work is thought to be done, and whose figures count as they are then. A pair whose remedy saves nothing
on the machine in hand is a trap: nothing may be promised for it.

A second set of 92 patterns was written later, with their rows of remedies.tsv, before any of it was recorded, and cut by lot
into two halves, too (SECOND_LOT); `judge` was opened once, on 2026-11-26. A pattern of two ranks
runs in two processes, where there are two GPUs, and what rank 0 saw counts.
"""
import hashlib
import json
import multiprocessing
import os
import pathlib
import statistics
import sys
import tempfile
import time

import torch

import compiling
import deciding
import device
import launching
import little
import loading
import ranking
import signals
import speaking
import training
import waiting
from shared import join, recorded, timed

TIMED, WARM, TURNS = 8, 2, 9
LIMIT, PORT = 60, 29519  # seconds that a pattern may take
FIRST = launching.PATTERNS + waiting.PATTERNS + loading.PATTERNS + device.PATTERNS
SECOND = (training.PATTERNS + deciding.PATTERNS + speaking.PATTERNS + signals.PATTERNS + compiling.PATTERNS + little.PATTERNS
          + ranking.PATTERNS)
PATTERNS = {make.__name__: make for make in FIRST + SECOND}
# random.Random(20261126) shuffled the 84 names that are no traps, sorted, and then the 8 traps, sorted; the first half of each
# is `build`.
SECOND_JUDGE = """
    adapters_beside advantages_backwards angles_in_each_layer augmented_one_by_one boxes_one_by_one columns_binned
    degrees_in_each_layer distributions_checked dropout_of_zero encoded_for_each_answer every_expert everyone_padded
    frames_one_by_one full_adjacency gradient_of_the_images graphs_read_out head_on_all_positions ids_made_unique
    indexed_by_a_list inverse_for_one_side labels_pinned logits_to_the_host loss_read_once memory_reported
    name_of_each_step norms_apart numbers_reduced_one_by_one old_policy_again overlap_of_masks penalty_for_repeats
    penalty_of_weights permuted_around_norms printing_in_the_model prompts_one_by_one rate_in_each_step
    resized_on_the_host schedule_on_the_host similar_by_broadcasting small_buckets spectra_one_by_one statistics_sent
    table_in_a_loader tables_one_by_one unpacked_in_the_step weights_of_attention widened_each_pass
""".split()
SECOND_LOT = {make.__name__: "judge" if make.__name__ in SECOND_JUDGE else "build" for make in SECOND}


def half_of(name):
    if name in SECOND_LOT:
        return SECOND_LOT[name]
    return "build" if hashlib.sha256(f"lot of 2026-11-23: {name}".encode()).digest()[0] % 2 else "judge"


def sides_of(make, sides, folder, say, rank=0):
    """What a child does: times the sides in turn, records each, and says the times."""
    if hasattr(make, "ranks"):
        join(rank, make.ranks, PORT)
    torch.manual_seed(0)
    torch.backends.cuda.matmul.allow_tf32 = False
    steps = {side: make(side == "after") for side in sides}
    wall = {side: [] for side in sides}
    for i in range(WARM + getattr(make, "turns", TURNS)):
        for side, step in steps.items():
            wall[side] += [timed(step, getattr(make, "timed", TIMED))][:i >= WARM]
    for side, step in steps.items():
        recorded(step, folder / f"{make.__name__}.{side}.pt.trace.json")
    say.send((wall, torch.cuda.get_device_name(), torch.__version__))
    say.recv()
    os._exit(0)  # nothing is put away: no other program waits for what is left


def child(make, sides, folder, environment=None):
    """What the child of rank 0 says, or None. The others record, too, and that goes."""
    kept = dict(os.environ)
    os.environ.update(environment or {})
    children = []
    with tempfile.TemporaryDirectory() as elsewhere:
        for rank in range(getattr(make, "ranks", 1)):
            here, there = multiprocessing.Pipe()
            place = pathlib.Path(elsewhere) if rank else folder
            process = multiprocessing.get_context("fork").Process(target=sides_of, args=(make, sides, place, there, rank))
            process.start()
            there.close()
            children.append((process, here))
        os.environ.clear()
        os.environ.update(kept)
        answers = [heard(here) for _, here in children]
        for process, here in children:
            if None in answers:
                process.kill()
            else:
                here.send("go")
            process.join(20)
    return None if None in answers else answers[0]


def heard(pipe):
    try:
        return pipe.recv() if pipe.poll(LIMIT) else None
    except EOFError:
        return None


def measured(make, folder):
    before, remedy = (line.strip() for line in make.__doc__.split("\n"))
    if hasattr(make, "environment"):
        answers = [child(make, ["before"], folder, make.environment), child(make, ["after"], folder)]
    else:
        answers = [child(make, ["before", "after"], folder)]
    if None in answers:
        return None
    wall = {side: times for answer in answers for side, times in answer[0].items()}
    was, now = (statistics.median(wall[side]) for side in ("before", "after"))
    print(f"{make.__name__:28} {was:12.1f} {now:12.1f} us  {was / now:.2f}", flush=True)
    return {"before": before.removeprefix("before: "), "remedy": remedy.removeprefix("remedy: "), "half": half_of(make.__name__),
            "wall_us_per_step_before": wall["before"], "wall_us_per_step_after": wall["after"],
            "speedup": round(was / now, 2), "saved_us_per_step": round(was - now, 1), "on": answers[0][1:]}


def main(folder, asked):
    folder.mkdir(parents=True, exist_ok=True)
    pairs = {}
    for name, make in PATTERNS.items():
        if asked and name not in asked and half_of(name) not in asked:
            continue
        if torch.cuda.device_count() < getattr(make, "ranks", 1):
            continue
        pair = measured(make, folder)
        if pair is None:
            print(f"{name}: did not come through", flush=True)
            continue
        device_name, version = pair.pop("on")
        pairs[name] = pair
        about = (f"Patterns before and after one remedy, by tests/gpu/patterns/measure.py. Wall times: a step without any profiler, "
                 f"{TURNS} runs of {TIMED} steps, both sides in turn. {device_name}, torch {version}, {time.strftime('%Y-%m-%d')}.")
        text = json.dumps({"about": about, "pairs": pairs}, indent=1)
        (folder / "PAIRS.json").write_text(text, encoding="utf-8")  # what was measured stays, whatever comes


if __name__ == "__main__":
    main(pathlib.Path(sys.argv[1]), set(sys.argv[2:]))
