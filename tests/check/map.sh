# SPDX-License-Identifier: Apache-2.0
# The picture of the rooms in docs/architecture.md shows the includes as they are.
python3 tests/check/map.py check report/rooms.svg
