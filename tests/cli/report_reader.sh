# SPDX-License-Identifier: Apache-2.0
# Who has only the PDF of a trace of anybody's answers 21 questions on it as plain Python does from the raw events.
. "$TRACEBOOK_TOP/tests/cli/functions"
traces="$TRACEBOOK_SHARED/traces"
[ -d "$traces/kineto" ] || { echo 'the shared traces are not here'; exit 77; }
command -v pdftotext >/dev/null 2>&1 || { echo 'pdftotext is not here'; exit 77; }

python3 "$TRACEBOOK_TOP/tests/data/trust/foreign_questions.py" "$TRACEBOOK_BIN/report" "$traces" >out || wrong "$(cat out)"
says out ', 0 wrong'

# It sees a report of another trace.
cat >other <<'END'
#!/bin/sh
exec "$TRACEBOOK_BIN/report" -q -o "$3" "$TRACEBOOK_SHARED/traces/kineto/h100_transformer_tutorial_step1.json"
END
chmod +x other
python3 "$TRACEBOOK_TOP/tests/data/trust/foreign_questions.py" ./other "$traces" >out || wrong "$(cat out)"
[ "$(grep -c ' Not there: ' out)" -ge 14 ] || wrong "it is blind: $(cat out)"
