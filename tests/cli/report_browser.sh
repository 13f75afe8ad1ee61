# SPDX-License-Identifier: Apache-2.0
# report --html in a browser, with real keys and clicks: tables sort and filter, names of a trace are never live, the policy holds,
# and without a script all is there.
. "$TRACEBOOK_TOP/tests/cli/functions"
PYTHONPATH=$TRACEBOOK_TOP/tests/cli
PYTHONDONTWRITEBYTECODE=1
export PYTHONPATH PYTHONDONTWRITEBYTECODE
python3 -c 'import browser, sys; sys.exit(browser.program() is None)' || { echo 'no Chromium here'; exit 77; }
small_trace a.json
python3 "$TRACEBOOK_TOP/tests/cli/hostile_names.py" a.json hostile.json
run 0 report --html hostile.html hostile.json
python3 "$TRACEBOOK_TOP/tests/cli/report_browser.py" trace a.json many.json
run 0 report --html many.html many.json
python3 "$TRACEBOOK_TOP/tests/cli/report_browser.py" >out 2>err || wrong 'in the browser'
