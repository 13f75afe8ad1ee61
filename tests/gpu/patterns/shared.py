# SPDX-License-Identifier: Apache-2.0
"""What the patterns share, among themselves and with the pairs of the folder above."""
import pathlib
import sys

sys.path.append(str(pathlib.Path(__file__).resolve().parent.parent))
from more_pairs import join  # noqa: E402, F401  (the folder above, found just now)
from pair_parts import CUDA, HALF, layers, recorded, timed, trained  # noqa: E402, F401


def square(x):
    return lambda model: model(x).float().square().mean()
